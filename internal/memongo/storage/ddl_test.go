package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func TestCollectionsAreListedAsByTheServer(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	images := storage.Namespace{DB: "shop", Collection: "images"}
	wantNoError(t, e.Create(images, d(
		"validationLevel", "moderate", "changeStreamPreAndPostImages", d("enabled", true))))
	e.insert(doc("a"))
	wantNoError(t, e.plain().Insert(storage.Namespace{DB: "shop2", Collection: "x"}, doc("a")))
	describe := func(name string, options bson.D) bson.D {
		uuid, _ := e.Latest().UUID(storage.Namespace{DB: "shop", Collection: name})
		if uuid.Subtype != bson.TypeBinaryUUID || len(uuid.Data) != 16 || uuid.Data[6]>>4 != 4 {
			t.Errorf("UUID of %s = %v", name, uuid)
		}
		return d("name", name, "type", "collection", "options", options,
			"info", d("readOnly", false, "uuid", uuid),
			"idIndex", d("v", 2, "key", d("_id", 1), "name", "_id_"))
	}
	wantDocs(t, e.Latest().Collections("shop"),
		describe("images", d("changeStreamPreAndPostImages", d("enabled", true),
			"validationLevel", "moderate")),
		describe("orders", d()))
	if diff := cmp.Diff([]string{"shop", "shop2"}, e.Latest().Databases()); diff != "" {
		t.Errorf("databases (-want +got):\n%s", diff)
	}
}

func TestCreateChecksItsOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options bson.D
		code    int32
		message string
	}{
		{d("nope", 1), 40415, "BSON field 'create.nope' is an unknown field."},
		{d("validator", 5), 14,
			"BSON field 'create.validator' is the wrong type 'int', expected type 'object'"},
		{d("validationLevel", "nope"), 2, "Enumeration value 'nope' for field " +
			"'create.validationLevel' is not a valid value."},
		{d("validationAction", "nope"), 2, "Enumeration value 'nope' for field " +
			"'create.validationAction' is not a valid value."},
		{d("changeStreamPreAndPostImages", true), 14, "BSON field " +
			"'create.changeStreamPreAndPostImages' is the wrong type 'bool', expected type 'object'"},
		{d("changeStreamPreAndPostImages", d()), 40414, "BSON field " +
			"'create.changeStreamPreAndPostImages.enabled' is missing but a required field"},
		{d("changeStreamPreAndPostImages", d("enabled", 1)), 14, "BSON field " +
			"'create.changeStreamPreAndPostImages.enabled' is the wrong type 'int', expected type " +
			"'bool'"},
		{d("changeStreamPreAndPostImages", d("enabled", true, "x", 1)), 40415, "BSON field " +
			"'create.changeStreamPreAndPostImages.x' is an unknown field."},
		{d("capped", true, "size", 1000), 238, "memongo does not support capped collections"},
		{d("viewOn", "c"), 238, "memongo does not support views"},
		{d("timeseries", d()), 238, "memongo does not support the collection option timeseries"},
		{d("size", 5), 72, "the 'capped' field needs to be true when either the 'size' or 'max' " +
			"fields are present"},
		{d("collation", d("locale", "en")), 238,
			"memongo does not support collections with a collation"},
	} {
		e := start(t, storage.Options{})
		err := e.Create(orders, tt.options)
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.message)), err); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.options, diff)
		}
	}
	e := start(t, storage.Options{})
	wantNoError(t, e.Create(orders, d("validator", d(), "comment", "x", "capped", false,
		"collation", d("locale", "simple"), "writeConcern", d("w", 1))))
	wantDocs(t, []bson.D{e.Latest().Collections("shop")[0][2].Value.(bson.D)}, d())
	want := error(mongoerr.New(mongoerr.NamespaceExists, "Collection shop.orders already exists."))
	for _, options := range []bson.D{nil, d("capped", true, "size", 5), d("viewOn", "x")} {
		if diff := cmp.Diff(want, e.Create(orders, options)); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

func TestDefinitionsAreInTheOplog(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	from := e.ClusterTime()
	wantNoError(t, e.Create(orders, d("changeStreamPreAndPostImages", d("enabled", true))))
	x, y := d("key", d("x", 1), "name", "x"), d("name", "y", "key", d("y", 1), "unique", true)
	_, err := e.CreateIndexes(orders, []bson.D{x, y})
	wantNoError(t, err)
	e.insert(doc("a"))
	_, err = e.CreateIndexes(orders, []bson.D{uniqueOn("v"), uniqueOn("w")})
	wantNoError(t, err)
	_, err = e.DropIndexes(orders, bson.A{"x", "v"})
	wantNoError(t, err)
	_, err = e.CollMod(orders, d("changeStreamPreAndPostImages", d("enabled", false)))
	wantNoError(t, err)
	b := doc("b", "y", 1, "w", 1)
	e.insert(b)
	uuid, _ := e.Latest().UUID(orders)
	_, err = e.Drop(orders)
	wantNoError(t, err)

	spec := func(name string, unique bool) bson.D {
		s := d("v", 2)
		if unique {
			s = append(s, d("unique", true)...)
		}
		return append(s, d("key", d(name, 1), "name", name)...)
	}
	indexes := func(specs ...any) bson.D { return d("indexes", bson.A(specs)) }
	images := d("changeStreamPreAndPostImages", d("enabled", true))
	want := []storage.Entry{
		{Op: storage.OpCreate, Detail: append(images,
			d("idIndex", d("v", 2, "key", d("_id", 1), "name", "_id_"))...)},
		{Op: storage.OpCreateIndexes, Detail: indexes(spec("x", false))},
		{Op: storage.OpCreateIndexes, Detail: indexes(spec("y", true))},
		{Op: storage.OpInsert, DocumentKey: doc("a"), Doc: doc("a"), After: doc("a"),
			HasImages: true},
		{Op: storage.OpCreateIndexes, Detail: indexes(spec("v", true), spec("w", true))},
		{Op: storage.OpDropIndexes, Detail: indexes(spec("x", false))},
		{Op: storage.OpDropIndexes, Detail: indexes(spec("v", true))},
		{Op: storage.OpCollMod, Detail: d("changeStreamPreAndPostImages", d("enabled", false)),
			StateBefore: d("collectionOptions", append(d("uuid", uuid), images...))},
		{Op: storage.OpInsert, DocumentKey: doc("b"), Doc: b, After: b},
		{Op: storage.OpDrop},
	}
	for i := range want {
		want[i].NS = orders
	}
	if diff := cmp.Diff(want, e.since(from), whatever()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestDropDatabaseDropsItsCollectionsFirst(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	other := storage.Namespace{DB: "shop", Collection: "a"}
	apart := storage.Namespace{DB: "shop2", Collection: "a"}
	for _, ns := range []storage.Namespace{orders, other, apart} {
		wantNoError(t, e.plain().Insert(ns, doc("a")))
	}
	from := e.ClusterTime()
	existed, err := e.DropDatabase("shop")
	wantNoError(t, err)
	again, err := e.DropDatabase("shop")
	wantNoError(t, err)
	if !existed || again {
		t.Errorf("existed = %v, again = %v, want true and false", existed, again)
	}
	want := []storage.Entry{{Op: storage.OpDrop, NS: other}, {Op: storage.OpDrop, NS: orders},
		{Op: storage.OpDropDatabase, NS: storage.Namespace{DB: "shop"}}}
	if diff := cmp.Diff(want, e.since(from), whatever()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if !e.Latest().Exists(apart) {
		t.Error("another database is gone")
	}
	for _, db := range []string{"admin", "local"} {
		_, err := e.DropDatabase(db)
		wantCode(t, err, mongoerr.IllegalOperation)
	}
}

func TestDropOfNothing(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	_, err := e.Drop(orders)
	want := error(mongoerr.New(mongoerr.NamespaceNotFound, "ns not found"))
	if diff := cmp.Diff(want, err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	_, err = e.CreateIndexes(orders, []bson.D{uniqueOn("x")})
	wantNoError(t, err)
	if n, err := e.Drop(orders); n != 2 || err != nil {
		t.Errorf("Drop = %d, %v, want the 2 indexes that it had", n, err)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	target := storage.Namespace{DB: "shop", Collection: "target"}
	e.insert(doc("a"))
	wantNoError(t, e.plain().Insert(target, doc("t")))
	for _, tt := range []struct {
		from, to storage.Namespace
		code     int32
		message  string
	}{
		{storage.Namespace{DB: "shop", Collection: "none"}, target, 26,
			"Source collection shop.none does not exist"},
		{orders, target, 48, "target namespace exists"},
		{orders, orders, 20, "Can't rename a collection to itself"},
		{orders, storage.Namespace{DB: "shop", Collection: "$d"}, 20,
			"error with target namespace: Invalid collection name: $d"},
		{orders, storage.Namespace{DB: "shop"}, 73, "Invalid target namespace: shop."},
		{orders, storage.Namespace{DB: "else", Collection: "x"}, 238,
			"memongo does not support renameCollection between databases"},
	} {
		err := e.Rename(tt.from, tt.to, false)
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.message)), err); diff != "" {
			t.Errorf("%v to %v (-want +got):\n%s", tt.from, tt.to, diff)
		}
	}
	uuid, _ := e.Latest().UUID(orders)
	dropped, _ := e.Latest().UUID(target)
	from := e.ClusterTime()
	wantNoError(t, e.Rename(orders, target, true))
	want := []storage.Entry{{Op: storage.OpRename, NS: orders, UUID: uuid, To: target,
		DropTarget: dropped,
		Detail:     d("to", d("db", "shop", "coll", "target"), "dropTarget", dropped)}}
	if diff := cmp.Diff(want[0].UUID, e.since(from)[0].UUID); diff != "" {
		t.Errorf("UUID (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, e.since(from), whatever()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	wantDocs(t, scan(e.Latest(), target), doc("a"))
	if e.Latest().Exists(orders) {
		t.Error("the old name is still there")
	}
}

// Whoever changes definitions waits for transactions that use the collection, as for a lock.
func TestDefinitionsWaitForTransactions(t *testing.T) {
	t.Parallel()
	other := storage.Namespace{DB: "shop", Collection: "other"}
	for name, ddl := range map[string]func(e *tester) error{
		"drop":         func(e *tester) error { _, err := e.Drop(orders); return err },
		"dropDatabase": func(e *tester) error { _, err := e.DropDatabase("shop"); return err },
		"rename":       func(e *tester) error { return e.Rename(orders, other, false) },
		"onto it":      func(e *tester) error { return e.Rename(other, orders, true) },
		"collMod":      func(e *tester) error { _, err := e.CollMod(orders, nil); return err },
		"createIndexes": func(e *tester) error {
			_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("y")})
			return err
		},
		"dropIndexes": func(e *tester) error { _, err := e.DropIndexes(orders, "x"); return err },
	} {
		e := indexed(t, uniqueOn("x"))
		if name == "onto it" {
			wantNoError(t, e.Create(other, nil))
		}
		txn := e.begin() // only reads
		_, err := txn.View(orders)
		wantNoError(t, err)
		done := wantBusy(t, ddl(e))
		if isDone(done) {
			t.Errorf("%s: done before the transaction has ended", name)
		}
		txn.Abort()
		<-done
		if err := ddl(e); err != nil {
			t.Errorf("%s after the transaction: %v", name, err)
		}
	}
	e := indexed(t, uniqueOn("x"))
	txn := e.begin()
	_, err := txn.View(storage.Namespace{DB: "else", Collection: "x"})
	wantNoError(t, err)
	_, err = e.Drop(orders)
	wantNoError(t, err) // the transaction has not come to it
}
