package storage

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// What was inserted and deleted again since a snapshot looks as it was, and yet conflicts.
func TestWhatWasFreedSinceTheSnapshotConflicts(t *testing.T) {
	t.Parallel()
	doc := func(id string, u int32) bson.D {
		return bson.D{{Key: "_id", Value: id}, {Key: "u", Value: u}}
	}
	for name, tt := range map[string]struct {
		late     bool // the snapshot is newer
		doc      bson.D
		conflict bool
	}{
		"the id":                   {false, doc("a", 6), true},
		"the key":                  {false, doc("b", 5), true},
		"what nobody has freed":    {false, doc("c", 7), false},
		"not for a snapshot since": {true, doc("a", 5), false},
	} {
		e := New(Options{})
		defer e.Close()
		ns := Namespace{DB: "db", Collection: "c"}
		if _, err := e.CreateIndexes(ns, []bson.D{{
			{Key: "key", Value: bson.D{{Key: "u", Value: int32(1)}}},
			{Key: "name", Value: "u"}, {Key: "unique", Value: true},
		}}); err != nil {
			t.Fatal(err)
		}
		txn := e.Begin(Write{})
		insertAndDelete(t, e, ns, doc("a", 5))
		for range 10 { // transactions that end look through what is remembered
			e.Begin(Write{}).Abort()
		}
		if tt.late {
			txn = e.Begin(Write{})
		}
		err := txn.Insert(ns, tt.doc)
		if got := mongoerr.Is(err, mongoerr.WriteConflict); got != tt.conflict ||
			!got && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func insertAndDelete(t *testing.T, e *Engine, ns Namespace, doc bson.D) {
	t.Helper()
	writer := e.Statement(Write{})
	if err := writer.Insert(ns, doc); err != nil {
		t.Fatal(err)
	}
	rec, _ := e.Latest().ByID(ns, doc[0].Value)
	if err := writer.Delete(ns, rec); err != nil {
		t.Fatal(err)
	}
}

// Nothing is remembered for longer than a transaction needs it, though some transaction is open
// all the time.
func TestWhatWasFreedIsForgotten(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	defer e.Close()
	ns := Namespace{DB: "db", Collection: "c"}
	last, most := e.Begin(Write{}), 0
	for range 200 {
		for _, id := range []string{"a", "b", "c"} {
			insertAndDelete(t, e, ns, bson.D{{Key: "_id", Value: id}})
		}
		next := e.Begin(Write{})
		if _, err := e.Drop(ns); err != nil { // so that the next three are others
			t.Fatal(err)
		}
		last.Abort()
		last = next
		most = max(most, len(e.freed))
	}
	if most > 10 {
		t.Errorf("%d are remembered, of three at a time", most)
	}
	last.Abort()
	if len(e.freed) != 0 || len(e.locks) != 0 || len(e.open) != 0 {
		t.Errorf("left: %d freed, %d locks, %d open", len(e.freed), len(e.locks), len(e.open))
	}
}
