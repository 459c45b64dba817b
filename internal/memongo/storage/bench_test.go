package storage_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// BenchmarkStatements is what a single write costs in a collection of 100,000 documents.
func BenchmarkStatements(b *testing.B) {
	filled := func(b *testing.B) *tester {
		e := start(b, storage.Options{OplogEntries: 1000})
		for i := range 100_000 {
			e.insert(doc(i, "name", "x", "at", bson.DateTime(5)))
		}
		b.ReportAllocs()
		return e
	}
	b.Run("insert", func(b *testing.B) {
		e := filled(b)
		for i := 0; b.Loop(); i++ {
			e.insert(doc(200_000+i, "name", "x", "at", bson.DateTime(5)))
		}
	})
	b.Run("update", func(b *testing.B) {
		e := filled(b)
		for i := 0; b.Loop(); i++ {
			if err := set(e.plain(), i%100_000, "name", i); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("transaction", func(b *testing.B) {
		e := filled(b)
		for i := 0; b.Loop(); i++ {
			txn := e.begin()
			if err := set(txn, i%100_000, "name", i); err != nil {
				b.Fatal(err)
			}
			if _, err := txn.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		e := filled(b)
		for b.Loop() {
			for range e.Latest().Scan(orders) {
			}
		}
	})
}

// BenchmarkStart is what an empty engine costs.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		storage.New(storage.Options{}).Close()
	}
}
