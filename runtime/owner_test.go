package fw_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	fw "github.com/fwgen/fwgen/runtime"
)

// Two Apps of one instance name, also in one process, are two owners to the lease.
func TestAppsOfOneInstanceNameNeverShareALease(t *testing.T) {
	t.Parallel()
	inFleet(t, fw.SingleLeader, func(f *fleet) {
		first, stopFirst := f.run("blue")
		second, _ := f.run("blue")
		f.insert("1")
		time.Sleep(2 * time.Minute)
		if !stateOf(first).Leader || stateOf(second).Leader {
			f.Errorf("leads: first %v, second %v, want the first alone",
				stateOf(first).Leader, stateOf(second).Leader)
		}
		owner := f.owner()
		stopFirst()
		f.insert("2")
		if s := stateOf(second); !s.Leader || s.Term != 2 {
			f.Errorf("status: %+v, want that the second leads a new term", s)
		}
		if now := f.owner(); now == owner {
			f.Errorf("both Apps are %s", now)
		}
		f.wantHandled("blue 1", "blue 2")
	})
}

// owner returns who owns the lease, as it is stored.
func (f *fleet) owner() string {
	f.Helper()
	var lease struct {
		Owner string `bson:"instanceId"`
	}
	leases := f.client.Database("shop").Collection("_fw_locks")
	f.must(leases.FindOne(f.Context(), bson.M{"_id": "orders"}).Decode(&lease))
	return lease.Owner
}
