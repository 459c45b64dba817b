package storage_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func ttl(field string, seconds int32) bson.D {
	return d("key", d(field, 1), "name", field, "expireAfterSeconds", seconds)
}

func date(at time.Time) bson.DateTime { return bson.NewDateTimeFromTime(at) }

func ids(t *testing.T, w writer) (all []any) {
	t.Helper()
	for _, doc := range docs(t, w) {
		all = append(all, doc[0].Value)
	}
	return all
}

func TestExpiredDocumentsAreDeletedEveryMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, storage.Options{})
		_, err := e.CreateIndexes(orders, []bson.D{ttl("at", 30)})
		wantNoError(t, err)
		now := time.Now()
		e.insert(
			doc("old", "at", date(now)),
			doc("later", "at", date(now.Add(40*time.Second))),
			doc("smallest", "at", bson.A{date(now.Add(time.Hour)), date(now)}),
			doc("no date", "at", "2000-01-01"),
			doc("none"),
		)
		from := e.ClusterTime()
		time.Sleep(59 * time.Second)
		wantIDs(t, ids(t, e.plain()), "old", "later", "smallest", "no date", "none")
		time.Sleep(2 * time.Second)
		wantIDs(t, ids(t, e.plain()), "later", "no date", "none")
		time.Sleep(time.Minute)
		wantIDs(t, ids(t, e.plain()), "no date", "none")
		for _, entry := range e.since(from) {
			if entry.Op != storage.OpDelete || entry.Before == nil {
				t.Errorf("entry = %+v, want a deletion", entry)
			}
		}
	})
}

func wantIDs(t *testing.T, got []any, want ...any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("ids = %v, want %v", got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("ids = %v, want %v", got, want)
			return
		}
	}
}

func TestIntervalOfTheMonitorCanBeChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, storage.Options{TTLMonitorInterval: -1})
		_, err := e.CreateIndexes(orders, []bson.D{ttl("at", 0)})
		wantNoError(t, err)
		e.insert(doc("a", "at", date(time.Now())))
		time.Sleep(time.Hour)
		wantIDs(t, ids(t, e.plain()), "a")
		e.SetTTLMonitorInterval(time.Second)
		time.Sleep(1500 * time.Millisecond)
		wantIDs(t, ids(t, e.plain()))
		e.SetTTLMonitorInterval(-1)
		e.insert(doc("b", "at", date(time.Now())))
		time.Sleep(time.Hour)
		wantIDs(t, ids(t, e.plain()), "b")
	})
}

func TestWhatATransactionHasWrittenExpiresLater(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	_, err := e.CreateIndexes(orders, []bson.D{ttl("at", 5)})
	wantNoError(t, err)
	long := date(time.Now().Add(-time.Hour))
	e.insert(doc("a", "at", long), doc("b", "at", long))
	txn := e.begin()
	wantNoError(t, set(txn, "a", "x", 1))
	if n := e.Expire(); n != 1 {
		t.Errorf("Expire = %d, want 1", n)
	}
	txn.Abort()
	if n := e.Expire(); n != 1 {
		t.Errorf("Expire = %d, want 1", n)
	}
	wantIDs(t, ids(t, e.plain()))
}
