package change_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
)

func marshal(t testing.TB, v any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestEnvelopeIsReadInOnePass(t *testing.T) {
	t.Parallel()
	at := bson.Timestamp{T: 1700000000, I: 7}
	key := bson.D{{Key: "_id", Value: "k"}}
	doc := bson.D{{Key: "_id", Value: "k"}, {Key: "n", Value: 1}}
	update := bson.D{{Key: "updatedFields", Value: bson.D{{Key: "n", Value: 1}}}}
	ns := bson.D{{Key: "db", Value: "shop"}, {Key: "coll", Value: "orders"}}
	lsid := bson.D{{Key: "id", Value: 4}}
	token := bson.D{{Key: "_data", Value: "826553F10000000007"}}
	raw := marshal(t, bson.D{
		{Key: "_id", Value: token},
		{Key: "operationType", Value: "update"},
		{Key: "clusterTime", Value: at},
		{Key: "wallTime", Value: time.UnixMilli(1700000000123)},
		{Key: "fullDocument", Value: doc},
		{Key: "ns", Value: ns},
		{Key: "documentKey", Value: key},
		{Key: "updateDescription", Value: update},
		{Key: "fullDocumentBeforeChange", Value: nil},
		{Key: "lsid", Value: lsid},
		{Key: "txnNumber", Value: int64(12)},
		{Key: "somethingNew", Value: bson.A{1, 2}},
	})
	got, err := change.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := change.Event{
		Raw: raw, Operation: "update", Database: "shop", Collection: "orders",
		Token:     change.Token{Raw: marshal(t, token), Data: []byte("826553F10000000007")},
		Namespace: marshal(t, ns), Key: marshal(t, key), Update: marshal(t, update),
		Doc:         bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: marshal(t, doc)},
		Before:      bson.RawValue{Type: bson.TypeNull, Value: []byte{}},
		ClusterTime: at, WallTime: time.UnixMilli(1700000000123),
		Session: marshal(t, lsid), TxnNumber: 12,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if !got.HasDoc() || got.Lifecycle() {
		t.Errorf("has a document: %t, lifecycle: %t", got.HasDoc(), got.Lifecycle())
	}
}

func TestB052EventHasBytesOfItsOwn(t *testing.T) {
	t.Parallel()
	original := readertest.Insert(1)
	lent := append(bson.Raw(nil), original.Raw...)
	got, err := change.Parse(lent)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lent {
		lent[i] = 0xAA
	}
	if diff := cmp.Diff(original, got); diff != "" {
		t.Errorf("the event changed with what the cursor lent (-want +got):\n%s", diff)
	}
}

func TestB028NullAndAbsentDocumentsAreNone(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]change.Event{
		"null":   readertest.Event(1, "update", bson.E{Key: "fullDocument", Value: nil}),
		"absent": readertest.Event(1, "delete"),
	} {
		if e.HasDoc() {
			t.Errorf("%s: has a document", name)
		}
	}
}

func TestB031KeysOfAnyType(t *testing.T) {
	t.Parallel()
	for _, id := range []any{
		int32(42), int64(42), "x", bson.NewObjectID(), 1.5, true, nil,
		bson.Binary{Subtype: 4, Data: make([]byte, 16)},
		bson.D{{Key: "a", Value: 1}, {Key: "b", Value: 2}},
		bson.D{{Key: "b", Value: 2}, {Key: "a", Value: 1}},
	} {
		t.Run(fmt.Sprintf("%T %v", id, id), func(t *testing.T) {
			t.Parallel()
			want := marshal(t, bson.D{{Key: "_id", Value: id}})
			e := readertest.Event(1, "delete", bson.E{Key: "documentKey", Value: want})
			if diff := cmp.Diff(want, e.Key); diff != "" {
				t.Errorf("key (-want +got):\n%s", diff)
			}
		})
	}
}

func TestB053InvalidUTF8IsKept(t *testing.T) {
	t.Parallel()
	doc := bson.D{{Key: "_id", Value: 1}, {Key: "s", Value: "a\xffb"}}
	e := readertest.Event(1, "insert", bson.E{Key: "fullDocument", Value: doc})
	if diff := cmp.Diff(marshal(t, doc), bson.Raw(e.Doc.Value)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestWhatIsNoChangeEventIsAnError(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]bson.Raw{
		"nothing":      nil,
		"short":        {4, 0, 0},
		"empty":        marshal(t, bson.D{}),
		"no _id":       marshal(t, bson.D{{Key: "operationType", Value: "insert"}}),
		"no operation": marshal(t, bson.D{{Key: "_id", Value: bson.D{{Key: "_data", Value: "82"}}}}),
		"_id no token": marshal(t, bson.D{{Key: "_id", Value: 7}, {Key: "operationType", Value: "x"}}),
		"token of another type": marshal(t, bson.D{
			{Key: "_id", Value: bson.D{{Key: "_data", Value: 7}}},
			{Key: "operationType", Value: "insert"}}),
		"cut": readertest.Insert(1).Raw[:60],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := change.Parse(raw); err == nil {
				t.Errorf("read as %+v", e)
			}
		})
	}
}

func TestLifecycleOperations(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]bool{
		"insert": false, "update": false, "replace": false, "delete": false,
		"drop": true, "rename": true, "dropDatabase": true, "invalidate": true, "create": true,
	} {
		if e := readertest.Event(1, op); e.Lifecycle() != want {
			t.Errorf("%s: lifecycle %t, want %t", op, !want, want)
		}
	}
}

func TestIDIsClusterTimeAndHashOfTheToken(t *testing.T) {
	t.Parallel()
	token, err := change.ParseToken(marshal(t, bson.D{{Key: "_data", Value: "826553F1"}}))
	if err != nil {
		t.Fatal(err)
	}
	// printf 826553F1 | sha256sum
	const want = "5.9-eb145f4ea7929ad2"
	if got := change.EventID(token, bson.Timestamp{T: 5, I: 9}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	a, b := readertest.Insert(1), readertest.Insert(2)
	if again := readertest.Insert(1); a.ID() != again.ID() || a.ID() == b.ID() {
		t.Errorf("ids: %s, %s and %s", a.ID(), again.ID(), b.ID())
	}
}

func TestB147TimeOfATokenOrNone(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bson.Timestamp{
		"826553F10000000007":             {T: 0x6553F100, I: 7},
		"826553F100000000072B0229296E04": {T: 0x6553F100, I: 7},
		"816553F10000000007":             {},
		"82":                             {},
		"":                               {},
		"82ZZZZZZZZ00000007":             {},
	} {
		token := change.Token{Data: []byte(data)}
		if got := token.Time(); got != want {
			t.Errorf("%q: got %v, want %v", data, got, want)
		}
	}
}

func TestTokensSortAsTheirHexStringsDo(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		if readertest.Token(n).Compare(readertest.PBRT(n)) >= 0 ||
			readertest.PBRT(n).Compare(readertest.Token(n+1)) >= 0 {
			t.Errorf("tokens around %d do not sort", n)
		}
	}
	if !(change.Token{}).IsZero() || (change.Token{}).Compare(readertest.Token(0)) >= 0 {
		t.Error("no token sorts before every other")
	}
}

func TestClonedTokenHasBytesOfItsOwn(t *testing.T) {
	t.Parallel()
	token := readertest.Token(1)
	clone := token.Clone()
	for i := range token.Raw {
		token.Raw[i] = 0xAA
	}
	if diff := cmp.Diff(readertest.Token(1), clone); diff != "" {
		t.Errorf("clone (-want +got):\n%s", diff)
	}
	if broken := token.Clone(); !broken.IsZero() {
		t.Errorf("clone of broken bytes: %v", broken)
	}
}
