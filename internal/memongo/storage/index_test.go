package storage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// indexed returns an engine with a unique index on fields.
func indexed(t *testing.T, spec bson.D) *tester {
	t.Helper()
	e := start(t, storage.Options{})
	if _, err := e.CreateIndexes(orders, []bson.D{spec}); err != nil {
		t.Fatalf("create index %v: %v", spec, err)
	}
	return e
}

func TestUniqueIndexRefusesTheSecond(t *testing.T) {
	t.Parallel()
	undefined := bson.Undefined{}
	for _, tt := range []struct {
		name    string
		spec    bson.D
		present []bson.D
		refused bson.D
		dup     string // as told
	}{
		{"missing and null are the same", uniqueOn("x"),
			[]bson.D{doc(1)}, doc(2, "x", nil), "{ x: null }"},
		{"an empty array is undefined", uniqueOn("x"),
			[]bson.D{doc(1, "x", bson.A{})}, doc(2, "x", undefined), "{ x: undefined }"},
		{"numbers of different types", uniqueOn("x"),
			[]bson.D{doc(1, "x", int32(1))}, doc(2, "x", 1.0), "{ x: 1.0 }"},
		{"each element of an array", uniqueOn("x"),
			[]bson.D{doc(1, "x", bson.A{int32(1), int32(2)})}, doc(2, "x", int32(2)), "{ x: 2 }"},
		{"the first of several in order", uniqueOn("x"),
			[]bson.D{doc(1, "x", bson.A{int32(1), int32(2)})},
			doc(2, "x", bson.A{int32(7), int32(2), int32(1)}), "{ x: 1 }"},
		{"an array in an array is one value", uniqueOn("x"),
			[]bson.D{doc(1, "x", bson.A{bson.A{int32(5), int32(6)}}),
				doc(3, "x", bson.A{int32(5), int32(6)}),
				doc(4, "x", bson.A{bson.A{bson.A{int32(5), int32(6)}}})},
			doc(2, "x", bson.A{bson.A{int32(5), int32(6)}}), "{ x: [ 5, 6 ] }"},
		{"both fields of a compound index", uniqueOn("x", "y"),
			[]bson.D{doc(1, "x", int32(1)), doc(3, "y", int32(1)), doc(4, "x", int32(2), "y", int32(1))},
			doc(2, "x", int32(1), "y", nil), "{ x: 1, y: null }"},
		{"an array in a compound index", uniqueOn("x", "y"),
			[]bson.D{doc(1, "x", bson.A{int32(1), int32(2)}, "y", int32(1))},
			doc(2, "x", int32(2), "y", int32(1)), "{ x: 2, y: 1 }"},
		{"documents in an array", uniqueOn("a.b"),
			[]bson.D{doc(1, "a", bson.A{d("b", int32(1)), d("b", int32(2))})},
			doc(2, "a", d("b", int32(2))), "{ a.b: 2 }"},
		{"what is no document has null there", uniqueOn("a.b"),
			[]bson.D{doc(1, "a", bson.A{})}, doc(2, "a", bson.A{bson.A{d("b", int32(5))}}),
			"{ a.b: null }"},
		{"arrays in documents", uniqueOn("a.b"),
			[]bson.D{doc(1, "a", d("b", bson.A{int32(7), int32(8)}))},
			doc(2, "a", bson.A{d("b", bson.A{int32(8)})}), "{ a.b: 8 }"},
		{"two fields of an array's documents", uniqueOn("a.b", "a.c"),
			[]bson.D{doc(1, "a", bson.A{d("b", int32(1), "c", int32(2)), d("b", int32(3))})},
			doc(2, "a", d("b", int32(1), "c", int32(2))), "{ a.b: 1, a.c: 2 }"},
		{"an element by its number", uniqueOn("a.0"),
			[]bson.D{doc(1, "a", bson.A{int32(1), int32(2)})}, doc(2, "a", bson.A{int32(1)}),
			"{ a.0: 1 }"},
		{"partial, for documents that match",
			append(uniqueOn("x"), d("partialFilterExpression", d("s", "on"))...),
			[]bson.D{doc(1, "x", 1), doc(2, "x", 1), doc(3, "x", 1, "s", "on")},
			doc(4, "x", 1, "s", "on"), "{ x: 1 }"},
		{"sparse with one of the fields", append(uniqueOn("a", "b"), d("sparse", true)...),
			[]bson.D{doc(1), doc(2), doc(3, "a", int32(1))}, doc(4, "a", int32(1)),
			"{ a: 1, b: null }"},
	} {
		e := indexed(t, tt.spec)
		e.insert(tt.present...)
		err := e.plain().Insert(orders, tt.refused)
		wantCode(t, err, mongoerr.DuplicateKey)
		if err != nil && !strings.HasSuffix(err.Error(), " dup key: "+tt.dup) {
			t.Errorf("%s: %v, want the key %s", tt.name, err, tt.dup)
		}
	}
}

func TestUniqueIndexTakesWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec bson.D
		docs []bson.D
	}{
		"sparse": {append(uniqueOn("x"), d("sparse", true)...), []bson.D{doc(1), doc(2)}},
		"a document's own key twice": {uniqueOn("x"),
			[]bson.D{doc(1, "x", bson.A{int32(1), int32(1)})}},
		"parts of a compound key": {uniqueOn("x", "y"), []bson.D{
			doc(1, "x", "ab", "y", "c"), doc(2, "x", "a", "y", "bc")}},
	} {
		e := indexed(t, tt.spec)
		for _, doc := range tt.docs {
			if err := e.plain().Insert(orders, doc); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestUniqueIndexFollowsUpdatesAndDeletions(t *testing.T) {
	t.Parallel()
	e := indexed(t, uniqueOn("x"))
	e.insert(doc("a", "x", int32(1)), doc("b", "x", int32(2)))
	wantCode(t, set(e.plain(), "b", "x", int32(1)), mongoerr.DuplicateKey)
	wantNoError(t, set(e.plain(), "a", "x", int32(3)))
	wantNoError(t, set(e.plain(), "b", "x", int32(1)))
	wantNoError(t, set(e.plain(), "b", "other", int32(1))) // its own key does not stand in its way
	wantNoError(t, remove(e.plain(), "a"))
	e.insert(doc("c", "x", int32(3)))
}

func TestTwoArraysCannotBeIndexed(t *testing.T) {
	t.Parallel()
	e := indexed(t, d("key", d("a", int32(1), "b", int32(1)), "name", "ab"))
	both := bson.A{int32(1), int32(2)}
	want := error(mongoerr.New(171, "cannot index parallel arrays [b] [a]"))
	if diff := cmp.Diff(want, e.plain().Insert(orders, doc(1, "a", both, "b", both))); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestHashedIndexIsNeitherUniqueNorOfArrays(t *testing.T) {
	t.Parallel()
	hashed := d("key", d("h", "hashed", "q", 1), "name", "h")
	e := indexed(t, hashed)
	e.insert(doc(1, "h", 5), doc(2, "h", 5, "q", bson.A{int32(1)}))
	want := error(mongoerr.New(16766, "Error: hashed indexes do not currently support array "+
		"values. Found array at path: h"))
	if diff := cmp.Diff(want, e.plain().Insert(orders, doc(3, "h", bson.A{}))); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	e = start(t, storage.Options{})
	_, err := e.CreateIndexes(orders, []bson.D{append(hashed, d("unique", true)...)})
	wantCode(t, err, 16764)
}

func TestIndexOverDuplicatesIsNotBuilt(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc(1, "x", 2), doc(2, "x", 2), doc(3, "x", 1), doc(4, "x", 1))
	before := e.ClusterTime()
	_, err := e.CreateIndexes(orders, []bson.D{
		d("key", d("y", int32(1)), "name", "y"), uniqueOn("x"),
	})
	wantCode(t, err, mongoerr.DuplicateKey)
	e11000 := "E11000 duplicate key error collection: shop.orders index: x dup key: { x: 1 }"
	if err == nil || !strings.HasPrefix(err.(*mongoerr.Error).Message, "Index build failed: ") ||
		!strings.HasSuffix(err.Error(), " :: caused by :: "+e11000) {
		t.Errorf("error = %v", err)
	}
	if indexes, _ := e.Latest().Indexes(orders); len(indexes) != 1 || e.ClusterTime() != before {
		t.Errorf("indexes = %v, want that of the _id", indexes)
	}
}

func TestUniqueIndexFollowsItsFilter(t *testing.T) {
	t.Parallel()
	e := indexed(t, append(uniqueOn("x"), d("partialFilterExpression", d("s", "on"))...))
	e.insert(doc(1, "x", 1, "s", "on"), doc(2, "x", 1))
	wantCode(t, set(e.plain(), int32(2), "s", "on"), mongoerr.DuplicateKey)
	wantNoError(t, set(e.plain(), int32(1), "s", "off"))
	wantNoError(t, set(e.plain(), int32(2), "s", "on"))
}

func TestDropIndexes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		which any
		left  []string
		code  int32
	}{
		{"x", []string{"y"}, 0},
		{"*", nil, 0},
		{bson.A{"x", "y"}, nil, 0},
		{d("y", 1.0), []string{"x"}, 0},
		{"nope", []string{"x", "y"}, mongoerr.IndexNotFound},
		{bson.A{"x", "nope"}, []string{"x", "y"}, mongoerr.IndexNotFound},
		{d("q", int32(1)), []string{"x", "y"}, mongoerr.IndexNotFound},
		{"_id_", []string{"x", "y"}, mongoerr.InvalidOptions},
		{d("_id", int32(1)), []string{"x", "y"}, mongoerr.InvalidOptions},
		{int32(5), []string{"x", "y"}, mongoerr.TypeMismatch},
	} {
		e := start(t, storage.Options{})
		_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("x"), uniqueOn("y")})
		wantNoError(t, err)
		from := e.ClusterTime()
		counts, err := e.DropIndexes(orders, tt.which)
		if tt.code != 0 {
			wantCode(t, err, tt.code)
		} else if err != nil || counts.Before != 3 || counts.After != int32(1+len(tt.left)) {
			t.Errorf("drop %v: %+v, %v", tt.which, counts, err)
		}
		var left []string
		indexes, _ := e.Latest().Indexes(orders)
		for _, x := range indexes[1:] {
			left = append(left, x[2].Value.(string))
		}
		if diff := cmp.Diff(tt.left, left); diff != "" {
			t.Errorf("drop %v (-want +got):\n%s", tt.which, diff)
		}
		if n := len(e.since(from)); n != 2-len(tt.left) {
			t.Errorf("drop %v: %d entries in the oplog", tt.which, n)
		}
	}
	e := start(t, storage.Options{})
	_, err := e.DropIndexes(orders, "*")
	wantCode(t, err, mongoerr.NamespaceNotFound)
}
