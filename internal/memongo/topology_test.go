package memongo_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// The driver repeats a command at once as long as its context goes on. It does not believe a
// refusal over a connection that it has opened since, until it asks for the topology again.
func TestTimePassesWhileAClientIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var finds atomic.Int64
		s := start(t, memongo.Options{Faults: func(c memongo.Command) memongo.Fault {
			return memongo.Fault{Drop: c.Name == "find" && finds.Add(1) > 20_000}
		}})
		client := connect(t, s, options.Client().SetMaxConnIdleTime(time.Second).
			SetServerMonitoringMode(options.ServerMonitoringModePoll))
		c := client.Database("d").Collection("c")
		mustInsert(t, c, d("_id", 1))
		time.Sleep(2 * time.Second) // the connection is not used again
		if err := s.StepDown(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.FindOne(ctx, bson.D{}).Err(); err != nil {
			t.Error(err)
		}
		if n := finds.Load(); n > 20_000 {
			t.Error("the client asks again and again, and no time passes")
		}
	})
}
