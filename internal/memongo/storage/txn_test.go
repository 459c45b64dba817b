package storage_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func TestTransactionSeesItsSnapshotAndItsOwnWrites(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"), doc("b"), doc("c"))
	txn := e.begin()
	wantNoError(t, set(txn, "a", "x", int32(1)))
	wantNoError(t, remove(txn, "b"))
	wantNoError(t, txn.Insert(orders, doc("d")))
	wantNoError(t, set(e.plain(), "c", "x", int32(9)))
	e.insert(doc("e"))

	wantDocs(t, docs(t, txn), doc("a", "x", int32(1)), doc("c"), doc("d"))
	wantDocs(t, docs(t, e.plain()), doc("a"), doc("b"), doc("c", "x", int32(9)), doc("e"))
	_, err := txn.Commit()
	wantNoError(t, err)
	wantDocs(t, docs(t, e.plain()),
		doc("a", "x", int32(1)), doc("c", "x", int32(9)), doc("e"), doc("d"))
}

func TestAbortedTransactionLeavesNothing(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	before := e.ClusterTime()
	txn := e.begin()
	wantNoError(t, set(txn, "a", "x", int32(1)))
	wantNoError(t, txn.Insert(storage.Namespace{DB: "shop", Collection: "new"}, doc("n")))
	txn.Abort()
	txn.Abort()
	wantDocs(t, docs(t, e.plain()), doc("a"))
	if e.ClusterTime() != before || len(e.Latest().Collections("shop")) != 1 {
		t.Error("something was written")
	}
	wantNoError(t, set(e.plain(), "a", "x", int32(2))) // the lock is gone
}

func TestEndedTransactionSaysWhy(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	number := int64(7)
	txn := e.Begin(storage.Write{TxnNumber: &number})
	wantNoError(t, txn.Err())
	txn.Abort()
	want := error(mongoerr.New(mongoerr.NoSuchTransaction,
		"Transaction with { txnNumber: 7 } has been aborted."))
	_, viewErr := txn.View()
	_, commitErr := txn.Commit()
	for _, err := range []error{txn.Err(), viewErr, commitErr, txn.Insert(orders, doc("a"))} {
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
	txn = e.begin()
	_, err := txn.Commit()
	wantNoError(t, err)
	txn.Abort()
	wantCode(t, txn.Err(), mongoerr.TransactionCommitted)
}

// What the second of two writers gets, the first being committed or still open.
func TestFirstUpdaterWins(t *testing.T) {
	t.Parallel()
	const (
		conflict  = mongoerr.WriteConflict
		duplicate = mongoerr.DuplicateKey
	)
	for _, tt := range []struct {
		name           string
		first, second  func(w writer) error
		whenOpen, when int32 // the code while the first is open, and after its commit
	}{
		{"two updates",
			func(w writer) error { return set(w, "a", "x", int32(1)) },
			func(w writer) error { return set(w, "a", "x", int32(2)) }, conflict, conflict},
		{"update and delete",
			func(w writer) error { return set(w, "a", "x", int32(1)) },
			func(w writer) error { return remove(w, "a") }, conflict, conflict},
		{"delete and update",
			func(w writer) error { return remove(w, "a") },
			func(w writer) error { return set(w, "a", "x", int32(2)) }, conflict, conflict},
		{"two insertions of an id",
			func(w writer) error { return w.Insert(orders, doc("n")) },
			func(w writer) error { return w.Insert(orders, doc("n")) }, conflict, conflict},
		{"two insertions of a key",
			func(w writer) error { return w.Insert(orders, doc("n", "u", int32(5))) },
			func(w writer) error { return w.Insert(orders, doc("m", "u", int32(5))) },
			conflict, conflict},
		{"insertion and update to a key",
			func(w writer) error { return w.Insert(orders, doc("n", "u", int32(5))) },
			func(w writer) error { return set(w, "b", "u", int32(5)) }, conflict, conflict},
		{"deletion and insertion of an id",
			func(w writer) error { return remove(w, "a") },
			func(w writer) error { return w.Insert(orders, doc("a")) }, duplicate, duplicate},
		{"a key given up and inserted",
			func(w writer) error { return set(w, "a", "u", int32(9)) },
			func(w writer) error { return w.Insert(orders, doc("n", "u", int32(1))) },
			duplicate, duplicate},
		{"different documents",
			func(w writer) error { return set(w, "a", "x", int32(1)) },
			func(w writer) error { return set(w, "b", "x", int32(1)) }, 0, 0},
	} {
		for _, commit := range []bool{false, true} {
			e := start(t, storage.Options{})
			_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("u")})
			wantNoError(t, err)
			e.insert(doc("a", "u", int32(1)), doc("b", "u", int32(2)))
			first, second := e.begin(), e.begin()
			wantNoError(t, tt.first(first))
			want := tt.whenOpen
			if commit {
				want = tt.when
				_, err := first.Commit()
				wantNoError(t, err)
			}
			err = tt.second(second)
			if want == 0 && err != nil || want != 0 && !mongoerr.Is(err, want) {
				t.Errorf("%s, committed %v: %v, want code %d", tt.name, commit, err, want)
			}
		}
	}
}

func TestConflictIsToldAsByTheServer(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	txn := e.begin()
	wantNoError(t, set(e.plain(), "a", "x", int32(1)))
	want := error(mongoerr.New(mongoerr.WriteConflict, "WriteConflict error: this operation "+
		"conflicted with another operation. Please retry your operation or multi-document "+
		"transaction."))
	if diff := cmp.Diff(want, set(txn, "a", "x", int32(2))); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestTransactionReusesWhatItFreed(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("u")})
	wantNoError(t, err)
	e.insert(doc("a", "u", int32(1)), doc("b", "u", int32(2)))
	txn := e.begin()
	wantNoError(t, remove(txn, "a"))
	wantNoError(t, txn.Insert(orders, doc("a", "u", int32(3))))
	wantNoError(t, set(txn, "b", "u", int32(1)))
	wantNoError(t, set(txn, "a", "u", int32(2)))
	_, err = txn.Commit()
	wantNoError(t, err)
	wantDocs(t, docs(t, e.plain()), doc("b", "u", int32(1)), doc("a", "u", int32(2)))
	wantCode(t, e.plain().Insert(orders, doc("c", "u", int32(2))), mongoerr.DuplicateKey)
	wantNoError(t, e.plain().Insert(orders, doc("c", "u", int32(3))))
}

func TestTransactionsThatMakeTheSameCollectionConflictAtTheCommit(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	first, second, third := e.begin(), e.begin(), e.begin()
	wantNoError(t, first.Insert(orders, doc("a")))
	wantNoError(t, second.Insert(orders, doc("a")))
	_, err := first.Commit()
	wantNoError(t, err)
	_, err = second.Commit()
	wantCode(t, err, mongoerr.WriteConflict)
	wantCode(t, second.Err(), mongoerr.NoSuchTransaction)
	_, err = third.View(orders)
	wantCode(t, err, 246)
	wantDocs(t, docs(t, e.plain()), doc("a"))

	other := storage.Namespace{DB: "shop", Collection: "other"}
	beside := e.begin()
	wantNoError(t, beside.Insert(other, doc("a")))
	wantNoError(t, e.plain().Insert(other, doc("b")))
	_, err = beside.Commit()
	wantCode(t, err, mongoerr.WriteConflict)
}

func TestCollectionsChangedSinceTheSnapshot(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))

	txn := e.begin()
	_, err := e.Drop(orders)
	wantNoError(t, err)
	wantDocs(t, docs(t, txn))
	wantNoError(t, txn.Insert(orders, doc("b")))
	_, err = txn.Commit()
	wantNoError(t, err)

	txn = e.begin()
	_, err = e.Drop(orders)
	wantNoError(t, err)
	e.insert(doc("c"))
	_, err = txn.View(orders)
	wantCode(t, err, 246)
	wantCode(t, txn.Insert(orders, doc("d")), 246)

	txn = e.begin()
	wantNoError(t, e.Rename(orders, storage.Namespace{DB: "shop", Collection: "new"}, false))
	_, err = txn.View(storage.Namespace{DB: "shop", Collection: "new"})
	wantCode(t, err, 246)
}

// An index that was made after the snapshot holds for the writes of the transaction.
func TestIndexMadeSinceTheSnapshotHolds(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a", "u", int32(1)), doc("b", "u", int32(2)))
	txn := e.begin()
	_, err := e.CreateIndexes(orders, []bson.D{uniqueOn("u")})
	wantNoError(t, err)
	wantDocs(t, docs(t, txn), doc("a", "u", int32(1)), doc("b", "u", int32(2)))
	wantNoError(t, set(txn, "a", "x", int32(1)))
	wantCode(t, txn.Insert(orders, doc("c", "u", int32(2))), mongoerr.DuplicateKey)
}

func TestTransactionMakesCollectionsAndIndexes(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a"))
	made := storage.Namespace{DB: "shop", Collection: "made"}
	txn := e.begin()
	wantNoError(t, txn.Create(made, nil))
	wantCode(t, txn.Create(made, nil), mongoerr.NamespaceExists)
	counts, err := txn.CreateIndexes(made, []bson.D{uniqueOn("u")})
	wantNoError(t, err)
	if want := (storage.IndexCounts{Before: 1, After: 2, Created: true}); counts != want {
		t.Errorf("counts = %+v, want %+v", counts, want)
	}
	wantNoError(t, txn.Insert(made, doc("a", "u", int32(1))))
	wantCode(t, txn.Insert(made, doc("b", "u", int32(1))), mongoerr.DuplicateKey)
	_, err = txn.CreateIndexes(orders, []bson.D{uniqueOn("u")})
	wantCode(t, err, mongoerr.OperationNotSupportedInTxn)
	_, err = txn.Commit()
	wantNoError(t, err)
	wantCode(t, e.plain().Insert(made, doc("b", "u", int32(1))), mongoerr.DuplicateKey)
}

func TestTransactionThatLivesTooLongIsAborted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, storage.Options{TransactionLifetime: 10 * time.Second})
		began := time.Now()
		e.insert(doc("a"))
		txn := e.begin()
		wantNoError(t, set(txn, "a", "x", int32(1)))
		e.SetTransactionLifetime(time.Hour) // holds for the next
		<-wantBusy(t, set(e.plain(), "a", "x", int32(2)))
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it lived %v", took)
		}
		wantCode(t, txn.Err(), mongoerr.NoSuchTransaction)
		wantNoError(t, set(e.plain(), "a", "x", int32(2)))

		txn = e.begin()
		time.Sleep(30 * time.Minute)
		wantNoError(t, txn.Err())
	})
}

func TestTransactionMayBeAbortedBesideItsUse(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	e.insert(doc("a", "x", int32(0)))
	var wg sync.WaitGroup
	for range 50 {
		txn := e.begin()
		wg.Go(func() {
			for i := range 10 {
				_ = set(txn, "a", "x", int32(i))
				_ = txn.Insert(orders, doc(bson.NewObjectID()))
			}
		})
		wg.Go(txn.Abort)
		wg.Go(func() { <-txn.Done() })
	}
	wg.Wait()
	wantDocs(t, docs(t, e.plain()), doc("a", "x", int32(0)))
	wantNoError(t, set(e.plain(), "a", "x", int32(1)))
}
