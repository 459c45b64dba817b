package changestream_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func BenchmarkEvents(b *testing.B) {
	bb := newBench(b)
	bb.create("db.c")
	o := on("db.c")
	o.StartAt = bb.now()
	const n = 10000
	for i := range n {
		bb.insert("db.c", bson.NewObjectID(), bson.E{Key: "n", Value: int32(i)},
			bson.E{Key: "customer", Value: "customer-17"},
			bson.E{Key: "items", Value: bson.A{bson.D{{Key: "sku", Value: "x"}}}})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s := bb.open(o)
		for {
			events, _, _, err := s.Next(b.Context(), 1000, 0, false)
			if err != nil {
				b.Fatal(err)
			}
			if len(events) == 0 {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
}
