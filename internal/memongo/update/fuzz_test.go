package update_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Whatever a client sends gives a document or an error, and leaves the document that was as it
// was.
func FuzzUpdates(f *testing.F) {
	for _, seed := range []string{
		`{"d": {"a": [1, {"b": 2}]}, "u": {"$set": {"a.1.b": 3, "a.5": 1}}, "p": -1}`,
		`{"d": {"a": [1, 2]}, "u": {"$push": {"a": {"$each": [0], "$sort": 1, "$slice": -1}}}}`,
		`{"d": {"a": [[1], [2]]}, "u": {"$inc": {"a.$[].$[]": 1}, "$rename": {"b": "c"}}}`,
		`{"d": {"a": [1, 2]}, "u": {"$pull": {"a": {"$gt": 1}}, "$unset": {"b.c": 1}}, "p": 1}`,
		`{"d": {"_id": 1, "a": {"b": [1]}}, "u": [{"$set": {"a.b": [2, 3]}}, {"$unset": "c"}]}`,
		`{"d": {"_id": 1}, "u": {"a": 1}}`,
	} {
		var d bson.D
		if err := bson.UnmarshalExtJSON([]byte(seed), false, &d); err != nil {
			f.Fatal(err)
		}
		raw, err := bson.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := value.Decode(raw)
		if err != nil {
			return
		}
		change, _ := value.Get(args, "u")
		before, _ := value.Get(args, "d")
		doc, _ := before.(bson.D)
		u, err := update.Compile(change, update.Options{})
		if err != nil {
			return
		}
		position, _ := value.Get(args, "p")
		at, ok := position.(int32)
		if !ok {
			at = -1
		}
		was := show(doc)
		r, err := u.Apply(doc, update.Context{Position: int(at)})
		if err == nil {
			show(r.Doc)
		}
		_, _ = u.Upsert(doc, update.Context{})
		if now := show(doc); now != was {
			t.Errorf("the document was %s and is now %s", was, now)
		}
	})
}
