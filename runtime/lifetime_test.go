package fw_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	fw "github.com/fwgen/fwgen/runtime"
)

// The position of an instance that does not come back goes away 30 days after its last use, which
// an idle stream is, too. That of a stream with a leader stays.
func TestThePositionOfAnInstanceIsKeptFor30DaysAfterItsLastUse(t *testing.T) {
	inModes(t, func(f *fleet) {
		id := "orders"
		if f.mode == fw.AllInstances {
			id = "orders#blue"
		}
		expiry := func() (at time.Time) {
			var stored struct {
				ExpiresAt time.Time `bson:"expiresAt"`
			}
			f.must(f.client.Database("shop").Collection("_fw_checkpoints").
				FindOne(f.Context(), bson.M{"_id": id}).Decode(&stored))
			return stored.ExpiresAt
		}
		_, stop := f.run("blue")
		f.insert("1")
		time.Sleep(10 * time.Minute)
		stop()
		if f.mode == fw.SingleLeader {
			if at := expiry(); !at.IsZero() {
				f.Errorf("expires at %s", at)
			}
			return
		}
		const kept = 30 * 24 * time.Hour
		left := time.Until(expiry())
		if left > kept || left < kept-2*time.Minute {
			f.Errorf("expires in %s, want %s from the last save, a minute ago at most", left, kept)
		}
	})
}
