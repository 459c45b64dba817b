package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

func TestDocumentsComeInTheOrderOfInsertion(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("b"), doc("c"), doc("a"))
	wantNoError(t, set(e.plain(), "b", "x", int32(1)))
	wantNoError(t, remove(e.plain(), "c"))
	e.insert(doc("c"))
	wantDocs(t, docs(t, e.plain()), doc("b", "x", int32(1)), doc("a"), doc("c"))
	if n := e.Latest().Count(orders); n != 3 {
		t.Errorf("Count = %d, want 3", n)
	}
}

func TestEqualNumbersAreTheSameID(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc(int32(1), "x", "first"))
	for _, id := range []any{int32(1), int64(1), 1.0} {
		rec, ok := e.Latest().ByID(orders, id)
		if !ok || rec.Doc[1].Value != "first" {
			t.Errorf("ByID(%T) = %v, %v", id, rec.Doc, ok)
		}
		wantCode(t, e.plain().Insert(orders, doc(id)), mongoerr.DuplicateKey)
	}
	if _, ok := e.Latest().ByID(orders, "1"); ok {
		t.Error("a string is no number")
	}
}

func TestDuplicateIDIsToldAsByTheServer(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("agg"))
	err := e.plain().Insert(orders, doc("agg", "x", int32(1)))
	want := &mongoerr.Error{
		Code: mongoerr.DuplicateKey,
		Message: `E11000 duplicate key error collection: shop.orders index: _id_ ` +
			`dup key: { _id: "agg" }`,
		Fields: d("keyPattern", d("_id", int32(1)), "keyValue", d("_id", "agg")),
	}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestStaleRecordCannotBeWritten(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	stale, _ := e.Latest().ByID(orders, "a")
	wantNoError(t, set(e.plain(), "a", "x", int32(1)))
	changed := update.Result{Doc: doc("a", "x", int32(2)), Changed: true}
	for name, err := range map[string]error{
		"update": e.plain().Update(orders, stale, changed),
		"delete": e.plain().Delete(orders, stale),
	} {
		if !isDone(wantBusy(t, err)) {
			t.Errorf("%s: asks to wait, but nobody holds the document", name)
		}
	}
	wantDocs(t, docs(t, e.plain()), doc("a", "x", int32(1)))
}

func TestUpdateThatChangesNothingIsNotWritten(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	before := e.ClusterTime()
	rec, _ := e.Latest().ByID(orders, "a")
	wantNoError(t, e.plain().Update(orders, rec, update.Result{Doc: rec.Doc}))
	if e.ClusterTime() != before {
		t.Error("the cluster time moved")
	}
}

func TestViewNeverChanges(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"), doc("b"))
	view := e.Latest()
	for rec := range view.Scan(orders) { // writing while scanning
		wantNoError(t, e.plain().Delete(orders, rec))
		e.insert(doc(rec.Doc[0].Value.(string) + "2"))
	}
	_, err := e.Drop(orders)
	wantNoError(t, err)
	wantDocs(t, scan(view, orders), doc("a"), doc("b"))
}

func TestNamesThatNoCollectionMayHaveAreRefused(t *testing.T) {
	t.Parallel()
	long := string(make([]byte, 0, 300))
	for range 300 {
		long += "n"
	}
	for _, tt := range []struct {
		db, name, want string
	}{
		{"a", "", "Invalid namespace specified 'a.'"},
		{"a", "$x", "Invalid collection name: $x"},
		{"a", "a$x", "Invalid collection name: a$x"},
		{"a", ".x", "Collection names cannot start with '.': .x"},
		{"a", "system.foo", "Invalid system namespace: a.system.foo"},
		{"a", "system.views", "cannot write to a.system.views"},
		{"a", "n\x00x", "namespaces cannot have embedded null characters"},
		{"a.b", "c", "'.' is an invalid character in the database name: a.b"},
		{"a$b", "c", "Invalid namespace: a$b.c"},
		{long[:64], "c", "Invalid namespace specified '" + long[:64] + ".c'"},
		{"a", long, "Fully qualified namespace is too long. Namespace: a." + long + " Max: 255"},
	} {
		e := start(t, storage.Options{})
		ns := storage.Namespace{DB: tt.db, Collection: tt.name}
		want := error(mongoerr.New(mongoerr.InvalidNamespace, "%s", tt.want))
		if diff := cmp.Diff(want, e.plain().Insert(ns, doc("a"))); diff != "" {
			t.Errorf("insert (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, e.Create(ns, nil)); diff != "" {
			t.Errorf("create (-want +got):\n%s", diff)
		}
	}
	e := start(t, storage.Options{})
	for _, name := range []string{"x..y", "x.", "system"} {
		wantNoError(t, e.plain().Insert(storage.Namespace{DB: "a", Collection: name}, doc("a")))
	}
}

func TestDatabasesMustDifferInMoreThanCase(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	want := error(mongoerr.New(13297, "db already exists with different case already have: "+
		"[shop] trying to create [Shop]"))
	got := e.plain().Insert(storage.Namespace{DB: "Shop", Collection: "x"}, doc("a"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestWriteThatMeetsAnOpenTransactionWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		theirs  func(w writer) error
		ours    func(w writer) error
		wait    bool // else the duplicate is told at once
		after   int32
		aborted int32
	}{
		{name: "update of what they updated", wait: true,
			theirs: func(w writer) error { return set(w, "a", "x", int32(1)) },
			ours:   func(w writer) error { return set(w, "a", "x", int32(2)) }},
		{name: "delete of what they updated", wait: true,
			theirs: func(w writer) error { return set(w, "a", "x", int32(1)) },
			ours:   func(w writer) error { return remove(w, "a") }},
		{name: "insert of the id that they inserted", wait: true, after: mongoerr.DuplicateKey,
			theirs: func(w writer) error { return w.Insert(orders, doc("n")) },
			ours:   func(w writer) error { return w.Insert(orders, doc("n")) }},
		{name: "insert of the key that they inserted", wait: true, after: mongoerr.DuplicateKey,
			theirs: func(w writer) error { return w.Insert(orders, doc("n", "u", int32(5))) },
			ours:   func(w writer) error { return w.Insert(orders, doc("m", "u", int32(5))) }},
		{name: "insert of the id that they deleted", aborted: mongoerr.DuplicateKey,
			theirs: func(w writer) error { return remove(w, "a") },
			ours:   func(w writer) error { return w.Insert(orders, doc("a")) }},
		{name: "insert of the key that they gave up", aborted: mongoerr.DuplicateKey,
			theirs: func(w writer) error { return set(w, "a", "u", int32(7)) },
			ours:   func(w writer) error { return w.Insert(orders, doc("m", "u", int32(1))) }},
	} {
		for _, commits := range []bool{true, false} {
			e := start(t, storage.Options{})
			_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("u")})
			wantNoError(t, err)
			e.insert(doc("a", "u", int32(1)))
			txn := e.begin()
			wantNoError(t, tt.theirs(txn))
			err = tt.ours(e.plain())
			var done <-chan struct{}
			if tt.wait {
				if done = wantBusy(t, err); isDone(done) {
					t.Errorf("%s: done before the transaction has ended", tt.name)
				}
			} else {
				wantCode(t, err, mongoerr.DuplicateKey)
			}
			want := tt.after
			if commits {
				_, err = txn.Commit()
				wantNoError(t, err)
			} else {
				want = tt.aborted
				txn.Abort()
			}
			if done != nil && !isDone(done) {
				t.Errorf("%s: not done though the transaction has ended", tt.name)
			}
			if err := tt.ours(e.plain()); want != 0 {
				wantCode(t, err, want)
			} else if err != nil {
				t.Errorf("%s, commits %v: %v", tt.name, commits, err)
			}
		}
	}
}

func uniqueOn(fields ...string) bson.D {
	key, name := bson.D{}, ""
	for _, field := range fields {
		key = append(key, bson.E{Key: field, Value: int32(1)})
		name += field
	}
	return d("key", key, "name", name, "unique", true)
}
