package storage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func TestIDComesFirst(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	got, err := e.Prepare(d("x", 1, "_id", 7, "y", 2))
	wantNoError(t, err)
	wantDocs(t, []bson.D{got}, doc(7, "x", 1, "y", 2))
	given := d("x", 1)
	got, err = e.Prepare(given)
	wantNoError(t, err)
	if _, ok := got[0].Value.(bson.ObjectID); !ok || got[0].Key != "_id" || len(got) != 2 {
		t.Errorf("Prepare = %v, want an ObjectID first", got)
	}
	wantDocs(t, []bson.D{given}, d("x", 1))
}

func TestEmptyTimestampsAreFilled(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	empty := bson.Timestamp{}
	got, err := e.Prepare(doc(empty, "t", empty, "in", d("t", empty)))
	wantNoError(t, err)
	filled, _ := got[1].Value.(bson.Timestamp)
	if filled.T == 0 {
		t.Errorf("Prepare = %v, want the timestamp filled", got)
	}
	wantDocs(t, []bson.D{got}, doc(empty, "t", filled, "in", d("t", empty)))
	if at := e.Noop("x"); at.Compare(filled) <= 0 {
		t.Errorf("the next cluster time is %v, not after %v", at, filled)
	}
}

func TestWhatCannotBeInserted(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	twice := append(doc(1), doc(2)...)
	for _, tt := range []struct {
		doc     bson.D
		code    int32
		message string
	}{
		{doc(bson.A{1}), 53, "The '_id' value cannot be of type array"},
		{doc(bson.Undefined{}), 53, "The '_id' value cannot be of type undefined"},
		{doc(bson.Regex{Pattern: "x"}), 53, "The '_id' value cannot be of type regex"},
		{doc(d("a", d("$x", 1))), 52,
			"_id fields may not contain '$'-prefixed fields: $x is not valid for storage."},
		{twice, 2, "can't have multiple _id fields in one document"},
		{doc(1, "x", strings.Repeat("x", storage.MaxDocumentSize-20)), 2, "object to insert too " +
			"large. size in bytes: 16777218, max size: 16777216"},
		{doc(1, "x", nested(180)), 15,
			"cannot insert document because it exceeds 180 levels of nesting"},
	} {
		_, err := e.Prepare(tt.doc)
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.message)), err); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
	for _, doc := range []bson.D{
		doc(nil), doc(""), doc(bson.MinKey{}), doc(d("a.b", 1)), doc(1, "$a", 1, "", 2, "", 3),
		doc(1, "x", nested(179)), doc(1, "x", strings.Repeat("x", storage.MaxDocumentSize-22)),
	} {
		_, err := e.Prepare(doc)
		wantNoError(t, err)
	}
}

// nested returns documents and arrays, so many in one another.
func nested(levels int) (v any) {
	v = int32(1)
	for i := range levels {
		if i%2 == 0 {
			v = d("a", v)
		} else {
			v = bson.A{v}
		}
	}
	return v
}

func TestUpdatesAndUpsertsHaveTheirLimits(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc(1))
	rec, _ := e.Latest().ByID(orders, int32(1))
	large := doc(1, "x", strings.Repeat("x", storage.MaxDocumentSize-20))
	deep := doc(1, "x", nested(180))
	const tooDeep = "Document exceeds maximum nesting depth of 180"
	_, upsertLarge := e.PrepareUpsert(large)
	_, upsertDeep := e.PrepareUpsert(deep)
	for _, tt := range []struct {
		err     error
		code    int32
		message string
	}{
		{e.plain().Update(orders, rec, update.Result{Doc: large, Changed: true}), 17419,
			"Resulting document after update is larger than 16777216"},
		{e.plain().Update(orders, rec, update.Result{Doc: deep, Changed: true}), 15, tooDeep},
		{upsertLarge, 17420, "Document to upsert is larger than 16777216"},
		{upsertDeep, 15, tooDeep},
	} {
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.message)), tt.err); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

func TestSizesAreThoseOfTheEncoding(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	decimal, _ := bson.ParseDecimal128("1.5")
	all := doc(bson.NewObjectID(), "d", 1.5, "s", "sß", "a", bson.A{}, "n", nil, "t", true,
		"bin", bson.Binary{Data: []byte{1, 2}}, "old", bson.Binary{Subtype: 2, Data: []byte{1}},
		"u", bson.Undefined{}, "at", bson.DateTime(5), "re", bson.Regex{Pattern: "x", Options: "i"},
		"ptr", bson.DBPointer{DB: "db"}, "js", bson.JavaScript("f()"), "sym", bson.Symbol("s"),
		"cws", bson.CodeWithScope{Code: "f()", Scope: d("x", 1)}, "i", 1, "l", int64(1),
		"ts", bson.Timestamp{T: 1}, "dec", decimal, "min", bson.MinKey{}, "max", bson.MaxKey{})
	array := bson.A{}
	for range 101 {
		array = append(array, d("x", "y"))
	}
	all = value.Set(all, "a", array)
	encoded, err := value.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	room := storage.MaxDocumentSize - len(encoded) - len("pad") - 2 - 5
	_, err = e.Prepare(append(all, bson.E{Key: "pad", Value: strings.Repeat("x", room)}))
	wantNoError(t, err)
	_, err = e.Prepare(append(all, bson.E{Key: "pad", Value: strings.Repeat("x", room+1)}))
	wantCode(t, err, mongoerr.BadValue)
}
