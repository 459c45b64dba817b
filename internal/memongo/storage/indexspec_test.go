package storage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func TestIndexesAreListedAsByTheServer(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	counts, err := e.CreateIndexes(orders, []bson.D{
		d("key", d("x", int32(1)), "name", "x", "unique", true, "sparse", true,
			"expireAfterSeconds", 5.7, "hidden", true, "background", true),
		d("name", "y", "key", d("y", -1.0, "z", int32(1)), "unique", false, "hidden", false,
			"sparse", false),
		d("key", d("_id", int32(1)), "name", "whatever"),
	})
	wantNoError(t, err)
	want := storage.IndexCounts{Before: 1, After: 3, Created: true, Note: "index already exists"}
	if counts != want {
		t.Errorf("counts = %+v, want %+v", counts, want)
	}
	got, err := e.Latest().Indexes(orders)
	wantNoError(t, err)
	wantDocs(t, got,
		d("v", int32(2), "key", d("_id", int32(1)), "name", "_id_"),
		d("v", int32(2), "key", d("x", int32(1)), "name", "x", "background", true, "unique", true,
			"hidden", true, "sparse", true, "expireAfterSeconds", int32(5)),
		d("v", int32(2), "key", d("y", -1.0, "z", int32(1)), "name", "y", "sparse", false),
	)
	_, err = e.Latest().Indexes(storage.Namespace{DB: "shop", Collection: "none"})
	want26 := error(mongoerr.New(mongoerr.NamespaceNotFound, "ns does not exist: shop.none"))
	if diff := cmp.Diff(want26, err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestIndexBesideAnother(t *testing.T) {
	t.Parallel()
	const again = "all indexes already exist"
	for _, tt := range []struct {
		name string
		spec bson.D
		code int32
		text string // the note, or a part of the message
	}{
		{"the same", d("key", d("x", int64(1)), "name", "x", "unique", 1.0), 0, again},
		{"that of the _id", d("key", d("_id", int32(1)), "name", "foo"), 0, again},
		{"the name with another key", d("key", d("y", int32(1)), "name", "x"), 86,
			"Requested index: { v: 2, key: { y: 1 }, name: \"x\" }, existing index: " +
				"{ v: 2, unique: true, key: { x: 1 }, name: \"x\" }"},
		{"the name without unique", d("key", d("x", int32(1)), "name", "x"), 86,
			"An existing index has the same name as the requested index."},
		{"the name with an expiry", append(uniqueOn("x"), d("expireAfterSeconds", int32(1))...), 85,
			"An equivalent index already exists with the same name but different options."},
		{"another name", d("key", d("x", int32(1)), "name", "o", "unique", true), 85,
			"Index already exists with a different name: x"},
		{"another name and an expiry", d("key", d("x", int32(1)), "name", "o", "unique", true,
			"expireAfterSeconds", int32(1)), 85,
			"An equivalent index already exists with a different name and options."},
		{"the key without unique", d("key", d("x", int32(1)), "name", "o"), 0, ""},
		{"the key downwards", d("key", d("x", int32(-1)), "name", "o", "unique", true), 0, ""},
	} {
		e := indexed(t, uniqueOn("x"))
		counts, err := e.CreateIndexes(orders, []bson.D{tt.spec})
		switch {
		case tt.code != 0:
			wantCode(t, err, tt.code)
			if err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: error = %v", tt.name, err)
			}
		case err != nil || counts.Note != tt.text:
			t.Errorf("%s: %+v, %v, want the note %q", tt.name, counts, err, tt.text)
		}
	}
}

func TestIndexesOfOneCommandMustDiffer(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("x"), uniqueOn("x")})
	wantCode(t, err, 68)
	_, err = e.CreateIndexes(orders, []bson.D{
		uniqueOn("x"), d("key", d("x", int32(1)), "name", "o", "unique", true),
	})
	wantCode(t, err, mongoerr.IndexOptionsConflict)
	if e.Latest().Exists(orders) {
		t.Error("the collection was created")
	}
}

func TestIndexDefinitionsAreChecked(t *testing.T) {
	t.Parallel()
	x := d("x", int32(1))
	for _, tt := range []struct {
		spec bson.D
		code int32
		text string // the whole message
	}{
		{d("key", bson.D{}, "name", "x"), 67, "Error in specification { key: {}, name: \"x\" } " +
			":: caused by :: Index keys cannot be empty."},
		{d("key", x), 9, "Error in specification { key: { x: 1 } } :: caused by :: The 'name' " +
			"field is a required property of an index specification"},
		{d("name", "x"), 9, "Error in specification { name: \"x\" } :: caused by :: The 'key' " +
			"field is a required property of an index specification"},
		{d("key", d("x", int32(0)), "name", "x"), 67, "Error in specification { key: { x: 0 }, " +
			"name: \"x\" } :: caused by :: Values in the index key pattern cannot be 0."},
		{d("key", d("x", true), "name", "x"), 67, "Error in specification { key: { x: true }, " +
			"name: \"x\" } :: caused by :: Values in v:2 index key pattern cannot be of type bool. " +
			"Only numbers > 0, numbers < 0, and strings are allowed."},
		{d("key", d("x", "nope"), "name", "x"), 67, "Error in specification { key: { x: " +
			"\"nope\" }, name: \"x\" } :: caused by :: Unknown index plugin 'nope'"},
		{d("key", d("x", "text"), "name", "x"), 238, "memongo does not support text indexes"},
		{d("key", d("$**", int32(1)), "name", "x"), 238, "memongo does not support wildcard indexes"},
		{d("key", x, "name", "x", "collation", d("locale", "en")), 238, "memongo does not support " +
			"the index option collation other than {locale: \"simple\"}"},
		{d("key", x, "name", "x", "weights", x), 238,
			"memongo does not support the index option weights"},
		{d("key", x, "name", ""), 67, "Error in specification { key: { x: 1 }, name: \"\", v: 2 } " +
			":: caused by :: index name cannot be empty"},
		{d("key", x, "name", "*"), 2, "The index name '*' is not valid."},
		{d("key", x, "name", int32(5)), 14, "Error in specification { key: { x: 1 }, name: 5 } " +
			":: caused by :: The field 'name' must be a string, but got int"},
		{d("key", int32(5), "name", "x"), 14, "Error in specification { key: 5, name: \"x\" } " +
			":: caused by :: The field 'key' must be an object, but got int"},
		{d("key", d("", int32(1)), "name", "e"), 67, "Error in specification { key: { : 1 }, " +
			"name: \"e\" } :: caused by :: Index keys cannot be an empty field."},
		{d("key", d("$x", int32(1)), "name", "e"), 67, "Error in specification { key: { $x: 1 }, " +
			"name: \"e\" } :: caused by :: Index key contains an illegal field name: field name " +
			"starts with '$'."},
		{d("key", d("a..b", int32(1)), "name", "e"), 67, "Error in specification { key: { a..b: " +
			"1 }, name: \"e\" } :: caused by :: Index keys cannot contain an empty field."},
		{d("key", d("x", int32(1), "x", int32(1)), "name", "e"), 2, "Error in specification " +
			"{ key: { x: 1, x: 1 }, name: \"e\" } :: caused by :: The field 'x' appears multiple " +
			"times in the index key pattern { x: 1, x: 1 }"},
		{d("key", x, "name", "x", "sparse", true, "partialFilterExpression", d("a", 1)), 67, "Error " +
			"in specification { key: { x: 1 }, name: \"x\", sparse: true, partialFilterExpression: " +
			"{ a: 1 }, v: 2 } :: caused by :: cannot mix \"partialFilterExpression\" and \"sparse\" " +
			"options"},
		{d("key", x, "name", "x", "partialFilterExpression", 5), 14, "Error in specification " +
			"{ key: { x: 1 }, name: \"x\", partialFilterExpression: 5 } :: caused by :: The field " +
			"'partialFilterExpression' must be an object, but got int"},
		{d("key", x, "name", "x", "partialFilterExpression", d("$expr", true)), 224, "Error in " +
			"specification { key: { x: 1 }, name: \"x\", partialFilterExpression: { $expr: true } } " +
			":: caused by :: $expr is not allowed in this context"},
		{d("key", x, "name", "x", "unique", "yes"), 14, "Error in specification { key: { x: 1 }, " +
			"name: \"x\", unique: \"yes\" } :: caused by :: The field 'unique has value unique: " +
			"\"yes\", which is not convertible to bool"},
		{d("key", x, "name", "x", "expireAfterSeconds", "a"), 67, "TTL index 'expireAfterSeconds' " +
			"option must be numeric, but received a type of 'string'. Index spec: { key: { x: 1 }, " +
			"name: \"x\", expireAfterSeconds: \"a\" }"},
		{d("key", x, "name", "x", "expireAfterSeconds", int32(-1)), 67, "TTL index " +
			"'expireAfterSeconds' option cannot be less than 0. Index spec: { key: { x: 1 }, " +
			"name: \"x\", expireAfterSeconds: -1 }"},
		{d("key", d("x", int32(1), "y", int32(1)), "name", "x", "expireAfterSeconds", int32(1)), 67,
			"TTL indexes are single-field indexes, compound indexes do not support TTL. Index " +
				"spec: { key: { x: 1, y: 1 }, name: \"x\", expireAfterSeconds: 1 }"},
		{d("key", d("_id", int32(1)), "name", "_id_", "unique", true), 197, "The field 'unique' is " +
			"not valid for an _id index specification. Specification: { key: { _id: 1 }, name: " +
			"\"_id_\", unique: true, v: 2 }"},
		{d("key", d("_id", int32(-1)), "name", "i"), 2, "The field 'key' for an _id index must be " +
			"{_id: 1}, but got { _id: -1 }"},
		{d("key", x, "name", "x", "nope", 1), 197, "Error in specification { key: { x: 1 }, name: " +
			"\"x\", nope: 1 } :: caused by :: The field 'nope' is not valid for an index " +
			"specification. Specification: { key: { x: 1 }, name: \"x\", nope: 1 }"},
		{d("key", x, "name", "x", "v", 3), 67, "Error in specification { key: { x: 1 }, name: " +
			"\"x\", v: 3 } :: caused by :: Invalid index specification { key: { x: 1 }, name: " +
			"\"x\", v: 3 }; cannot create an index with v=3"},
	} {
		e := start(t, storage.Options{})
		_, err := e.CreateIndexes(orders, []bson.D{tt.spec})
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.text)), err); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.spec, diff)
		}
		if e.Latest().Exists(orders) {
			t.Errorf("%v: the collection was created", tt.spec)
		}
	}
	e := start(t, storage.Options{})
	_, err := e.CreateIndexes(orders, nil)
	wantCode(t, err, mongoerr.BadValue)
	_, err = e.CreateIndexes(orders, []bson.D{
		d("key", d("h", "hashed"), "name", "h", "collation", d("locale", "simple")),
		d("key", d("a.$id", int32(1)), "name", "r"),
	})
	wantNoError(t, err)
}

func TestPartialIndexTakesSomeOperatorsOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		filter  bson.D
		refused bool
	}{
		{d("a", d("$exists", true), "b", d("$type", "string"), "c", d("$gt", 1, "$lte", 5)), false},
		{d("$and", bson.A{d("a", 1), d("$or", bson.A{d("b", d("$in", bson.A{int32(1)}))})}), false},
		{d("a", d("x", 1)), false},
		{d("a", d("$ne", 1)), true},
		{d("a", d("$exists", false)), true},
		{d("$or", bson.A{d("a", d("$regex", "x"))}), true},
	} {
		e := start(t, storage.Options{})
		_, err := e.CreateIndexes(orders, []bson.D{
			d("key", d("x", 1), "name", "x", "partialFilterExpression", tt.filter)})
		if refused := mongoerr.Is(err, mongoerr.CannotCreateIndex); refused != tt.refused ||
			!refused && err != nil {
			t.Errorf("%v: %v", tt.filter, err)
		}
	}
}
