package changestream_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func hw(ts bson.Timestamp) token.Token { return token.HighWater(ts) }

// The keys and contents are what 6.0.5 printed for the same changes.
func TestEventsAreAServers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	start := b.now()
	b.insert("db.c", int32(1), bson.E{Key: "x", Value: int32(1)})
	w := b.statement()
	b.check(w.Update(ns("db.c"), b.record(w, "db.c", int32(1)), update.Result{
		Doc:     bson.D{{Key: "_id", Value: int32(1)}, {Key: "x", Value: int32(2)}},
		Changed: true,
		Desc: update.Description{
			Updated:   bson.D{{Key: "x", Value: int32(2)}, {Key: "n.p", Value: int32(5)}},
			Removed:   []string{"n.q"},
			Truncated: []update.Truncation{{Field: "arr", NewSize: 2}},
		},
	}))
	b.set("db.c", int32(1), "x", int32(3))
	b.replace("db.c", int32(1), bson.E{Key: "x", Value: int32(7)})
	b.remove("db.c", int32(1))
	b.transaction(func(w writer) {
		b.insertBy(w, "db.c", "t1")
		b.insertBy(w, "db.c", "t2")
		b.setBy(w, "db.c", "t1", "x", int32(1))
	})
	b.rename("db.c", "db.d")
	b.drop("db.d")
	b.create("db.e")
	b.dropDatabase("db")
	o := on("db")
	o.StartAt = start
	got := b.all(o).events
	const (
		plain = "_id operationType clusterTime wallTime "
		txn   = "txnNumber lsid " + plain
		same  = `operationType: "insert", fullDocument: `
	)
	lsid := `txnNumber: 7, lsid: {id: "s"}, `
	coll := func(name string) string { return `ns: {db: "db", coll: "` + name + `"}` }
	wanted := []struct{ keys, rest string }{
		{plain + "fullDocument ns documentKey",
			same + "{_id: 1, x: 1}, " + coll("c") + ", documentKey: {_id: 1}"},
		{plain + "ns documentKey updateDescription", `operationType: "update", ` + coll("c") +
			", documentKey: {_id: 1}, updateDescription: {updatedFields: {x: 2, n.p: 5}, " +
			`removedFields: ["n.q"], truncatedArrays: [{field: "arr", newSize: 2}]}`},
		{plain + "ns documentKey updateDescription", `operationType: "update", ` + coll("c") +
			", documentKey: {_id: 1}, " +
			"updateDescription: {updatedFields: {x: 3}, removedFields: [], truncatedArrays: []}"},
		{plain + "fullDocument ns documentKey", `operationType: "replace", ` +
			"fullDocument: {_id: 1, x: 7}, " + coll("c") + ", documentKey: {_id: 1}"},
		{plain + "ns documentKey", `operationType: "delete", ` + coll("c") + ", documentKey: {_id: 1}"},
		{txn + "fullDocument ns documentKey",
			lsid + same + `{_id: "t1"}, ` + coll("c") + `, documentKey: {_id: "t1"}`},
		{txn + "fullDocument ns documentKey",
			lsid + same + `{_id: "t2"}, ` + coll("c") + `, documentKey: {_id: "t2"}`},
		{txn + "ns documentKey updateDescription", lsid + `operationType: "update", ` + coll("c") +
			`, documentKey: {_id: "t1"}, ` +
			"updateDescription: {updatedFields: {x: 1}, removedFields: [], truncatedArrays: []}"},
		{"to " + plain + "ns", `to: {db: "db", coll: "d"}, operationType: "rename", ` + coll("c")},
		{plain + "ns", `operationType: "drop", ` + coll("d")},
		{plain + "ns", `operationType: "drop", ` + coll("e")},
		{plain + "ns", `operationType: "dropDatabase", ns: {db: "db"}`},
		{plain[:len(plain)-1], `operationType: "invalidate"`},
	}
	if len(got) != len(wanted) {
		t.Fatalf("%d events, want %d: %v", len(got), len(wanted), summaries(got))
	}
	for i, event := range got {
		if keys(event) != wanted[i].keys {
			t.Errorf("event %d has the keys\n%s, want\n%s", i, keys(event), wanted[i].keys)
		}
		rest := event
		for _, varying := range []string{"_id", "clusterTime", "wallTime"} {
			rest = value.Without(rest, varying)
		}
		if text := value.ShowResult(rest); text != "{"+wanted[i].rest+"}" {
			t.Errorf("event %d is\n%s, want\n{%s}", i, text, wanted[i].rest)
		}
	}
}

// Tokens tell the time and the document, and those of a transaction its place.
func TestEventsCarryTheirTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	start := b.now()
	b.insert("db.c", int64(1))
	b.transaction(func(w writer) {
		b.insertBy(w, "db.c", "t1")
		b.insertBy(w, "db.c", "t2")
	})
	b.drop("db.c")
	o := on("db.c")
	o.StartAt = start
	got := b.all(o).events
	for i, want := range []token.Token{
		{ID: token.DocumentKey(bson.D{{Key: "_id", Value: int64(1)}})},
		{ID: token.DocumentKey(bson.D{{Key: "_id", Value: "t1"}})},
		{ID: token.DocumentKey(bson.D{{Key: "_id", Value: "t2"}}), TxnIndex: 1},
		{},
		{FromInvalidate: true},
	} {
		tok, err := token.Parse(idOf(got[i]))
		b.check(err)
		want.TS = field(got[i], "clusterTime").(bson.Timestamp)
		want.Version, want.Kind, want.UUID = token.Plain, token.Event, tok.UUID
		if tok != want || len(tok.UUID) != 16 {
			t.Errorf("%s has the token %+v, want %+v", summary(got[i]), tok, want)
		}
	}
	if got := len(idOf(got[0])); got != 2 {
		t.Errorf("the token with a long has %d fields, want _data and _typeBits", got)
	}
}

func TestRetryableWritesDoNotTellTheirSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := on("db.c")
	o.StartAt = b.now()
	number := int64(3)
	b.insertBy(b.engine.Statement(storage.Write{
		LSID: bson.D{{Key: "id", Value: "s"}}, TxnNumber: &number,
	}), "db.c", int32(1))
	want := "_id operationType clusterTime wallTime fullDocument ns documentKey"
	if got := b.all(o).events; len(got) != 1 || keys(got[0]) != want {
		t.Errorf("events %v", got)
	}
}

// The descriptions are those of 6.0.27.
func TestExpandedEventsTellOfDefinitions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.d")
	o := on("db")
	o.StartAt = b.now()
	b.create("db.e")
	_, err := b.engine.CreateIndexes(ns("db.e"), []bson.D{
		spec("key", spec("a", int32(1)), "name", "a_1"),
	})
	b.check(err)
	_, err = b.engine.CollMod(ns("db.e"), spec("changeStreamPreAndPostImages", spec("enabled", true)))
	b.check(err)
	_, err = b.engine.DropIndexes(ns("db.e"), "a_1")
	b.check(err)
	b.insert("db.e", int32(1))
	b.rename("db.e", "db.d")
	b.drop("db.d")
	b.want(b.all(o), "without showExpandedEvents", "insert e 1", "rename e", "drop d")
	o.ShowExpanded = true
	const plain = "_id operationType clusterTime collectionUUID wallTime "
	indexes := `{indexes: [{v: 2, key: {a: 1}, name: "a_1"}]}`
	got := b.all(o).events
	for i, want := range []struct{ summary, keys, description string }{
		{"create e", plain + "ns operationDescription",
			`{idIndex: {v: 2, key: {_id: 1}, name: "_id_"}}`},
		{"createIndexes e", plain + "ns operationDescription", indexes},
		{"modify e", plain + "ns operationDescription stateBeforeChange",
			"{changeStreamPreAndPostImages: {enabled: true}}"},
		{"dropIndexes e", plain + "ns operationDescription", indexes},
		{"insert e 1", plain + "fullDocument ns documentKey", "-"},
		{"rename e", "to " + plain + "ns operationDescription", `{to: {db: "db", coll: "d"}, `},
		{"drop d", plain + "ns", "-"},
	} {
		description := image(got[i], "operationDescription")
		if summary(got[i]) != want.summary || keys(got[i]) != want.keys ||
			!strings.HasPrefix(description, want.description) {
			t.Errorf("event %d is %s with %s and %s, want %+v",
				i, summary(got[i]), keys(got[i]), description, want)
		}
		b.want(b.all(changestream.Options{
			Scope: changestream.Database, NS: ns("db"), ShowExpanded: true, StartAfter: idOf(got[i]),
		}), "behind it", summaries(got[i+1:])...)
	}
}
