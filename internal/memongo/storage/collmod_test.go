package storage_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func TestCollModKeepsWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	wantNoError(t, e.Create(orders, d("changeStreamPreAndPostImages", d("enabled", true))))
	for _, tt := range []struct{ change, options bson.D }{
		{nil, d("changeStreamPreAndPostImages", d("enabled", true))},
		{d("validationLevel", "off"), d("changeStreamPreAndPostImages", d("enabled", true),
			"validationLevel", "off", "validationAction", "error")},
		{d("changeStreamPreAndPostImages", d("enabled", false)),
			d("validationLevel", "off", "validationAction", "error")},
		{d("validationAction", "warn"), d("validationLevel", "off", "validationAction", "warn")},
	} {
		_, err := e.CollMod(orders, tt.change)
		wantNoError(t, err)
		wantDocs(t, []bson.D{e.Latest().Collections("shop")[0][2].Value.(bson.D)}, tt.options)
	}
	for _, tt := range []struct {
		ns      storage.Namespace
		change  bson.D
		code    int32
		message string
	}{
		{orders, d("nope", 1), 40415, "BSON field 'collMod.nope' is an unknown field."},
		{storage.Namespace{DB: "shop", Collection: "none"}, nil, 26, "ns does not exist"},
		{orders, d("cappedSize", 1), 238, "memongo does not support cappedSize in collMod"},
	} {
		_, err := e.CollMod(tt.ns, tt.change)
		if diff := cmp.Diff(error(mongoerr.New(tt.code, "%s", tt.message)), err); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.change, diff)
		}
	}
}

func TestIndexCanBeModified(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{Now: func() time.Time { return time.Unix(1000, 0) }})
	_, err := e.CreateIndexes(orders, []bson.D{
		d("key", d("at", int32(1)), "name", "at", "expireAfterSeconds", int32(5)),
		d("key", d("x", int32(1)), "name", "x"),
	})
	wantNoError(t, err)
	uuid, _ := e.Latest().UUID(orders)
	from := e.ClusterTime()
	for _, tt := range []struct {
		index, answer bson.D
		code          int32
	}{
		{d("name", "at", "expireAfterSeconds", int32(7)),
			d("expireAfterSeconds_old", int64(5), "expireAfterSeconds_new", int64(7)), 0},
		{d("keyPattern", d("x", 1.0), "expireAfterSeconds", int64(8)),
			d("expireAfterSeconds_new", int64(8)), 0},
		{d("name", "nope", "expireAfterSeconds", int32(7)), nil, mongoerr.IndexNotFound},
		{d("keyPattern", d("q", int32(1)), "expireAfterSeconds", int32(7)), nil, mongoerr.IndexNotFound},
		{d("name", "_id_", "expireAfterSeconds", int32(7)), nil, mongoerr.InvalidOptions},
		{d("name", "x"), nil, mongoerr.InvalidOptions},
		{d("expireAfterSeconds", int32(7)), nil, mongoerr.InvalidOptions},
		{d("name", "x", "expireAfterSeconds", "a"), nil, mongoerr.TypeMismatch},
		{d("name", "x", "expireAfterSeconds", int32(-1)), nil, mongoerr.InvalidOptions},
		{d("name", "x", "hidden", true), d("hidden_old", false, "hidden_new", true), 0},
		{d("name", "x", "hidden", "a"), nil, mongoerr.TypeMismatch},
		{d("name", "x", "unique", true), nil, mongoerr.NotImplemented},
	} {
		answer, err := e.CollMod(orders, d("index", tt.index))
		if tt.code != 0 {
			wantCode(t, err, tt.code)
		} else if diff := cmp.Diff(tt.answer, answer); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got):\n%s", tt.index, err, diff)
		}
	}
	options := d("uuid", uuid)
	wantEntry := storage.Entry{Op: storage.OpCollMod, NS: orders,
		Detail: d("index", d("name", "at", "expireAfterSeconds", int32(7))),
		StateBefore: d("collectionOptions", options,
			"indexOptions", d("expireAfterSeconds", int32(5)))}
	got := e.since(from)
	if len(got) != 3 {
		t.Fatalf("%d entries in the oplog, want 3", len(got))
	}
	if diff := cmp.Diff(wantEntry, got[0], whatever()); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	wantDocs(t, []bson.D{got[1].StateBefore, got[2].StateBefore, got[2].Detail},
		d("collectionOptions", options, "indexOptions", d()),
		d("collectionOptions", options, "indexOptions", d("hidden", false)),
		d("index", d("name", "x", "hidden", true)))
	indexes, _ := e.Latest().Indexes(orders)
	wantDocs(t, indexes[1:],
		d("v", int32(2), "key", d("at", int32(1)), "name", "at", "expireAfterSeconds", int32(7)),
		d("v", int32(2), "key", d("x", int32(1)), "name", "x", "hidden", true,
			"expireAfterSeconds", int32(8)))
}
