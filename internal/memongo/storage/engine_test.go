package storage_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var orders = storage.Namespace{DB: "shop", Collection: "orders"}

// tester is an engine with shorthands that fail the test.
type tester struct {
	*storage.Engine
	t testing.TB
}

func start(t testing.TB, o storage.Options) *tester {
	t.Helper()
	e := storage.New(o)
	t.Cleanup(e.Close)
	return &tester{Engine: e, t: t}
}

// writer is what statements and transactions have in common.
type writer interface {
	View(ns ...storage.Namespace) (storage.View, error)
	Insert(ns storage.Namespace, doc bson.D) error
	Update(ns storage.Namespace, rec storage.Record, r update.Result) error
	Delete(ns storage.Namespace, rec storage.Record) error
}

func (e *tester) plain() *storage.Statement { return e.Statement(storage.Write{}) }

func (e *tester) insert(docs ...bson.D) {
	e.t.Helper()
	for _, doc := range docs {
		if err := e.plain().Insert(orders, doc); err != nil {
			e.t.Fatalf("insert %v: %v", doc, err)
		}
	}
}

func (e *tester) begin() *storage.Txn { return e.Begin(storage.Write{}) }

// set gives a document another field, as a writer sees the document.
func set(w writer, id any, field string, v any) error {
	return change(w, id, func(doc bson.D) bson.D { return value.Set(doc, field, number(v)) })
}

func change(w writer, id any, f func(bson.D) bson.D) error {
	view, err := w.View(orders)
	if err != nil {
		return err
	}
	rec, ok := view.ByID(orders, number(id))
	if !ok {
		return errors.New("no such document")
	}
	return w.Update(orders, rec, update.Result{Doc: f(rec.Doc), Changed: true})
}

func remove(w writer, id any) error {
	view, err := w.View(orders)
	if err != nil {
		return err
	}
	rec, ok := view.ByID(orders, number(id))
	if !ok {
		return errors.New("no such document")
	}
	return w.Delete(orders, rec)
}

// docs returns what a writer sees.
func docs(t testing.TB, w writer) []bson.D {
	t.Helper()
	view, err := w.View(orders)
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	return scan(view, orders)
}

func scan(view storage.View, ns storage.Namespace) (all []bson.D) {
	for rec := range view.Scan(ns) {
		all = append(all, rec.Doc)
	}
	return all
}

func doc(id any, fields ...any) bson.D {
	d := bson.D{{Key: "_id", Value: number(id)}}
	for i := 0; i < len(fields); i += 2 {
		d = append(d, bson.E{Key: fields[i].(string), Value: number(fields[i+1])})
	}
	return d
}

// number makes Go's integers BSON's.
func number(v any) any {
	if n, ok := v.(int); ok {
		return int32(n)
	}
	return v
}

func d(fields ...any) bson.D { return doc(nil, fields...)[1:] }

func wantDocs(t testing.TB, got []bson.D, want ...bson.D) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func wantCode(t testing.TB, err error, code int32) {
	t.Helper()
	if !mongoerr.Is(err, code) {
		t.Errorf("error = %v, want code %d", err, code)
	}
}

func wantNoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

// wantBusy fails unless the error asks to wait until something is done, which it returns.
func wantBusy(t testing.TB, err error) <-chan struct{} {
	t.Helper()
	var busy *storage.Busy
	if !errors.As(err, &busy) {
		t.Fatalf("error = %v, want a Busy", err)
	}
	return busy.Done
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func TestClusterTimesIncreaseThoughTheClockStepsBack(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	e := start(t, storage.Options{Now: func() time.Time { return now }})
	var got []bson.Timestamp
	for _, at := range []int64{1001, 1001, 900, 1001, 1002} {
		now = time.Unix(at, 0)
		got = append(got, e.Noop("x"))
	}
	want := []bson.Timestamp{{T: 1001, I: 1}, {T: 1001, I: 2}, {T: 1001, I: 3}, {T: 1001, I: 4},
		{T: 1002, I: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cluster times (-want +got):\n%s", diff)
	}
	if e.ClusterTime() != want[4] {
		t.Errorf("ClusterTime = %v, want %v", e.ClusterTime(), want[4])
	}
}

func TestClusterTimesAreLaterThanWhatClientsTell(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	e := start(t, storage.Options{Now: func() time.Time { return now }})
	at := e.Noop("x")
	ahead := bson.Timestamp{T: 1005, I: 7}
	if got := e.Gossip(ahead); got != ahead {
		t.Errorf("Gossip = %v, want what it was told, %v", got, ahead)
	}
	if got := e.Gossip(at); got != ahead || e.ClusterTime() != at {
		t.Errorf("Gossip = %v, ClusterTime = %v, want %v and %v", got, e.ClusterTime(), ahead, at)
	}
	if got, want := e.Noop("x"), (bson.Timestamp{T: 1005, I: 8}); got != want {
		t.Errorf("the next is %v, want %v", got, want)
	}
}

func TestCloseEndsTransactionsAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	e := storage.New(storage.Options{NoopInterval: time.Hour})
	open := e.Begin(storage.Write{})
	e.Close()
	e.Close()
	if !isDone(open.Done()) {
		t.Error("the transaction is still open")
	}
	wantCode(t, e.Begin(storage.Write{}).Err(), mongoerr.NoSuchTransaction)
	e.SetTTLMonitorInterval(time.Second) // does not hang
}
