package storage_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

// since returns what was written after a cluster time.
func (e *tester) since(ts bson.Timestamp) []storage.Entry {
	e.t.Helper()
	entries, lost := e.Oplog().Since(storage.After(ts))
	if lost {
		e.t.Fatal("the position is lost")
	}
	return entries
}

// whatever ignores what differs from run to run.
func whatever() cmp.Option {
	return cmpopts.IgnoreFields(storage.Entry{}, "TS", "Wall", "UUID", "DropTarget")
}

func TestChangesOfDocumentsAreInTheOplog(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	wantNoError(t, e.Create(orders, d("changeStreamPreAndPostImages", d("enabled", true))))
	from := e.ClusterTime()
	number := int64(3)
	w := e.Statement(storage.Write{LSID: d("id", "s"), TxnNumber: &number, StmtID: 5})
	wantNoError(t, w.Insert(orders, doc("a")))
	rec, _ := e.Latest().ByID(orders, "a")
	desc := update.Description{Updated: d("x", int32(1))}
	wantNoError(t, e.plain().Update(orders, rec, update.Result{
		Doc: doc("a", "x", int32(1)), Changed: true, Kind: update.Updated, Desc: desc,
	}))
	rec, _ = e.Latest().ByID(orders, "a")
	wantNoError(t, e.plain().Update(orders, rec, update.Result{
		Doc: doc("a", "y", int32(2)), Changed: true, Kind: update.Replaced,
		Logged: d("y", int32(2), "_id", "a"), // as the replacement had it
	}))
	wantNoError(t, remove(e.plain(), "a"))

	key := d("_id", "a")
	a, ax, ay := doc("a"), doc("a", "x", int32(1)), doc("a", "y", int32(2))
	want := []storage.Entry{
		{Op: storage.OpInsert, NS: orders, DocumentKey: key, Doc: a, After: a, HasImages: true,
			LSID: d("id", "s"), TxnNumber: &number, StmtID: 5},
		{Op: storage.OpUpdate, NS: orders, DocumentKey: key, Desc: desc, Before: a, After: ax,
			HasImages: true},
		{Op: storage.OpReplace, NS: orders, DocumentKey: key,
			Doc: d("y", int32(2), "_id", "a"), Before: ax, After: ay, HasImages: true},
		{Op: storage.OpDelete, NS: orders, DocumentKey: key, Before: ay, HasImages: true},
	}
	got := e.since(from)
	if diff := cmp.Diff(want, got, whatever()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	uuid, _ := e.Latest().UUID(orders)
	for i, entry := range got {
		if diff := cmp.Diff(uuid, entry.UUID); diff != "" {
			t.Errorf("entry %d: UUID (-want +got):\n%s", i, diff)
		}
		if i > 0 && entry.TS.Compare(got[i-1].TS) <= 0 {
			t.Errorf("entry %d is at %v, not after %v", i, entry.TS, got[i-1].TS)
		}
	}
}

func TestTransactionIsInTheOplogAtOneTime(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	from := e.ClusterTime()
	number := int64(9)
	txn := e.Begin(storage.Write{LSID: d("id", "s"), TxnNumber: &number})
	wantNoError(t, remove(txn, "a"))
	made := storage.Namespace{DB: "shop", Collection: "made"}
	wantNoError(t, txn.Insert(made, doc("b")))
	at, err := txn.Commit()
	wantNoError(t, err)
	var ops []storage.Op
	for i, entry := range e.since(from) {
		ops = append(ops, entry.Op)
		if entry.TS != at || entry.TxnIndex != i || !entry.InTxn || *entry.TxnNumber != 9 {
			t.Errorf("entry %d: %v, index %d, in a transaction %v",
				i, entry.TS, entry.TxnIndex, entry.InTxn)
		}
	}
	want := []storage.Op{storage.OpDelete, storage.OpCreate, storage.OpInsert}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	rest, _ := e.Oplog().Since(storage.Position{TS: at, TxnIndex: 1})
	if len(rest) != 1 || rest[0].Op != storage.OpInsert {
		t.Errorf("in the middle of the transaction there is %v to come", rest)
	}
	if all, _ := e.Oplog().Since(storage.Before(at)); len(all) != 3 {
		t.Errorf("from its time on there are %d, want 3", len(all))
	}
	if e.ClusterTime() != at || e.Oplog().Last() != at {
		t.Errorf("ClusterTime %v, Last %v, want %v", e.ClusterTime(), e.Oplog().Last(), at)
	}
}

func TestPositionsBeforeTheWindowAreLost(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{OplogEntries: 3})
	first := e.Oplog().First()
	if _, lost := e.Oplog().Since(storage.Before(bson.Timestamp{T: 1, I: 1})); lost {
		t.Error("lost though nothing has been forgotten")
	}
	var at []bson.Timestamp
	for range 5 {
		at = append(at, e.Noop("x"))
	}
	for i, ts := range append([]bson.Timestamp{first}, at...) {
		entries, lost := e.Oplog().Since(storage.After(ts))
		if wantLost := i < 3; lost != wantLost {
			t.Errorf("entry %d: lost = %v, want %v", i, lost, wantLost)
		} else if !lost && len(entries) != 5-i {
			t.Errorf("entry %d: %d entries, want %d", i, len(entries), 5-i)
		}
	}
	if e.Oplog().First() != at[2] {
		t.Errorf("First = %v, want %v", e.Oplog().First(), at[2])
	}
	e.Oplog().Truncate(0)
	if e.Oplog().First() != at[4] || e.Oplog().Last() != at[4] {
		t.Error("the last entry is gone")
	}
	if _, lost := e.Oplog().Since(storage.After(at[4])); lost {
		t.Error("the end is lost")
	}
	e.Oplog().SetWindow(0)
	for range 5 {
		e.Noop("x")
	}
	if entries, lost := e.Oplog().Since(storage.After(at[4])); lost || len(entries) != 5 {
		t.Errorf("%d entries, lost %v, without a bound", len(entries), lost)
	}
}

func TestTransactionIsForgottenAsAWhole(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	txn := e.begin()
	for _, id := range []string{"b", "c", "d"} {
		wantNoError(t, txn.Insert(orders, doc(id)))
	}
	at, err := txn.Commit()
	wantNoError(t, err)
	e.insert(doc("e"))
	e.Oplog().Truncate(2)
	if entries, lost := e.Oplog().Since(storage.Before(at)); lost || len(entries) != 4 {
		t.Errorf("%d entries, lost %v, want the transaction and one more", len(entries), lost)
	}
}

func TestReaderIsWokenAndKeepsWhatItRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, storage.Options{OplogEntries: 4})
		position := storage.After(e.ClusterTime())
		got := make(chan []storage.Entry)
		go func() {
			for {
				changed := e.Oplog().Changed()
				if entries, _ := e.Oplog().Since(position); len(entries) > 0 {
					got <- entries
					return
				}
				<-changed
			}
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		e.insert(doc("a"))
		entries := <-got
		for range 20 {
			e.Noop("x")
		}
		if len(entries) != 2 || entries[1].Op != storage.OpInsert {
			t.Errorf("entries = %v, want a creation and an insertion", entries)
		}
	})
}

func TestIdleEngineWritesNoops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, storage.Options{NoopInterval: 10 * time.Second})
		from := e.ClusterTime()
		time.Sleep(35 * time.Second)
		if got := e.since(from); len(got) != 3 || got[0].Op != storage.OpNoop {
			t.Fatalf("entries = %v, want three no-ops", got)
		}
		e.insert(doc("a")) // at 35 s: nothing is due at 40 s
		from = e.ClusterTime()
		time.Sleep(10 * time.Second)
		if got := e.since(from); len(got) != 0 {
			t.Errorf("entries = %v, want none after a write", got)
		}
		time.Sleep(10 * time.Second)
		if got := e.since(from); len(got) != 1 {
			t.Errorf("entries = %v, want one no-op", got)
		}
	})
}
