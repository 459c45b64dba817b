package integration

import (
	"errors"
	"math"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/store"
)

// People edit leases by hand. Nothing they leave in one keeps a stream from ever running again.
func TestALeaseThatIsDamagedCanBeAcquired(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	far := time.Now().AddDate(50, 0, 0)
	for name, damage := range map[string]bson.M{
		"nothing but the id":        {},
		"a term that is text":       {"term": "x"},
		"a term that is not finite": {"term": math.NaN()},
		"a term that is a document": {"term": bson.M{"n": 5}},
		"an expiry that is text":    {"instanceId": "x", "expiresAt": "2099-01-01"},
		"a timestamp":               {"instanceId": "x", "expiresAt": bson.Timestamp{T: math.MaxUint32}},
		"the greatest key":          {"instanceId": "x", "expiresAt": bson.MaxKey{}},
		"an owner that is a number": {"instanceId": 7, "expiresAt": far},
		"a contender that is text":  {"contender": "x"},
		"an instance that is text":  {"instance": "x", "released": 5, "ttlMs": "x", "priority": "x"},
	} {
		damage["_id"] = name
		_, err := db.Collection("_fw_locks").InsertOne(t.Context(), damage)
		must(t, err)
		lease, err := db.store.Leases().Acquire(within(t, patience), store.AcquireRequest{
			Stream: name, Owner: "a", TTL: time.Minute,
		})
		if err != nil || !lease.Granted("a") || lease.Term != 1 {
			t.Errorf("%s: Acquire = %+v, %v", name, lease, err)
		}
	}
}

// The same of the position of a stream that runs on every instance, whose term is in it.
func TestATermIsMintedWhateverIsStored(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	for name, term := range map[string]any{"text": "x", "a document": bson.M{}, "nothing": nil} {
		_, err := db.Collection("_fw_checkpoints").InsertOne(t.Context(),
			bson.M{"_id": name, "term": term})
		must(t, err)
		got, err := db.store.Checkpoints().Mint(within(t, patience), name, "a", time.Hour)
		if err != nil || got.Term != 1 {
			t.Errorf("%s: Mint = %+v, %v", name, got, err)
		}
	}
}

// What was not given back is not said to be: its owner would think that it may ask again at once.
func TestALeaseWhoseTermWasDamagedIsNotReleased(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	_, err := db.Collection("_fw_locks").InsertOne(t.Context(), bson.M{
		"_id": "orders", "instanceId": "a", "term": "5", "expiresAt": time.Now().Add(time.Hour),
	})
	must(t, err)
	err = db.store.Leases().Release(within(t, patience), store.ReleaseRequest{
		Stream: "orders", Owner: "a", Reason: store.Stopped,
	})
	if !errors.Is(err, store.ErrNotOwner) {
		t.Errorf("Release = %v", err)
	}
}
