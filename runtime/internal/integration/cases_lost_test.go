package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// History is lost under a stream that reads. The codes are those of the server; 136 comes without
// a label. The stream keeps its position until somebody decides, and then begins at now.
func TestB001HistoryLostWhileReading(t *testing.T) {
	t.Parallel()
	for _, code := range []int{286, 136, 280} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, mongotest.Needs{TestCommands: true})
			var r, other recorder
			var asked commands
			elsewhere := stream(fw.AllInstances, &other)
			elsewhere.Name, elsewhere.Collections = "others", []string{"others"}
			a := b.run(fw.Config{Client: asked.client(b)}, stream(fw.SingleLeader, &r), elsewhere)
			a.awaitPosition("items")
			a.awaitPosition("others#one")
			b.insert(1)
			r.expect(a, 1)
			off := b.deployment.FailPoint(b, mongotest.FailPoint{
				Name: "failCommand",
				Data: bson.D{
					{Key: "failCommands", Value: bson.A{"getMore"}},
					{Key: "errorCode", Value: code},
					{Key: "namespace", Value: b.db.Name() + ".items"},
				},
			})
			a.await("items", fw.StateHistoryLost, "position_lost")
			off()
			b.insert(2)
			if opens := len(asked.opens("items")); opens > 2 {
				b.Errorf("%d opens", opens)
			}
			_, err := b.db.Collection("others").InsertOne(b.Context(), item{ID: 10})
			must(b, err)
			other.expect(a, 10) // another stream is not touched

			// As the reason advises.
			must(b, a.Stop(b.Context(), "items"))
			if checkpointOf(b, b.db, "items").Position.Token == nil {
				b.Error("the position is gone")
			}
			_, err = b.db.Collection("_fw_checkpoints").DeleteOne(b.Context(), bson.M{"_id": "items"})
			must(b, err)
			must(b, a.Start(b.Context(), "items"))
			a.await("items", fw.StateRunning, "")
			b.insert(3)
			r.expect(a, 1, 3)
		})
	}
}

// A pipeline that takes away what every event must have is the application's mistake: the state
// says so, and the server is not asked again and again.
func TestB069PipelineThatDropsTheToken(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var r recorder
	var asked commands
	s := stream(fw.SingleLeader, &r)
	s.Restart = fw.RestartPolicy{Initial: 500 * time.Millisecond, Jitter: -1}
	s.Pipeline = func() mongo.Pipeline {
		return mongo.Pipeline{{{Key: "$project", Value: bson.M{"_id": 0, "fullDocument": 1}}}}
	}
	a := b.run(fw.Config{Client: asked.client(b)}, s)
	a.awaitPosition("items")
	b.insert(1)
	var status fw.StreamStatus
	eventually(b, patience, func() error {
		if status = a.status("items"); status.State == fw.StateRunning ||
			status.State == fw.StateStarting {
			return fmt.Errorf("state %s", status.State)
		}
		return nil
	}, a)
	if !strings.Contains(status.Reason, "_id") {
		b.Errorf("%s (%s): %s", status.State, status.Code, status.Reason)
	}
	if n := len(asked.opens("items")); n > 3 {
		b.Errorf("%d opens", n)
	}
}

// A user's $match can hide the invalidate event itself; the stream must not end in silence.
func TestDropThatThePipelineHidesDoesNotEndTheStream(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		s := stream(mode, &r)
		s.Pipeline = func() mongo.Pipeline {
			return mongo.Pipeline{{{Key: "$match", Value: bson.M{"operationType": "insert"}}}}
		}
		a := b.run(fw.Config{}, s)
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		r.expect(a, 1)
		must(b, b.items.Drop(b.Context()))
		b.insert(2, 3)
		eventually(b, patience, func() error {
			if ids := r.ids(); !slices.Equal(ids, []any{1, 2, 3}) {
				return fmt.Errorf("events of %v", ids)
			}
			return nil
		}, a)
		a.await("items", fw.StateRunning, "")
	})
}
