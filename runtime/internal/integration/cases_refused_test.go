package integration

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// A stream that the server refuses fails when its attempts are used up; the others go on, and Run
// ends only when no stream is left.
func TestStreamThatIsRefusedFailsAlone(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var bad, good recorder
		refused := stream(mode, &bad)
		refused.Name = "refused"
		refused.Restart.Attempts = 2
		refused.Pipeline = func() mongo.Pipeline {
			return mongo.Pipeline{{{Key: "$noSuchStage", Value: bson.M{}}}}
		}
		a := b.run(fw.Config{}, refused, stream(mode, &good))
		status := a.await("refused", fw.StateFailed, "")
		if !strings.Contains(status.Reason, "$noSuchStage") {
			b.Errorf("the reason does not name the stage: %s", status.Reason)
		}
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		good.expect(a, 1)
		if mode == fw.SingleLeader {
			if l := lockOf(b, b.db, "refused"); l.Released == nil ||
				l.Released.Reason != "STREAM_FAILING" {
				b.Errorf("the lease of the failed stream: %+v", l)
			}
		}
		a.stop()

		alone := b.run(fw.Config{}, refused)
		alone.awaitEnd()
		if alone.err == nil || !strings.Contains(alone.err.Error(), "refused") {
			b.Errorf("Run returned %v, want an error that names the stream", alone.err)
		}
	})
}

// What can't be watched keeps the App from starting, and is said by its kind.
func TestB075ViewsAndTimeSeriesCannotBeWatched(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	must(t, b.db.CreateView(t.Context(), "view", "items", mongo.Pipeline{}))
	must(t, b.db.CreateCollection(t.Context(), "series", options.CreateCollection().
		SetTimeSeriesOptions(options.TimeSeries().SetTimeField("at"))))
	for name, kind := range map[string]string{"view": "a view", "series": "a timeseries"} {
		var r recorder
		s := stream(fw.SingleLeader, &r)
		s.Name, s.Collections = name, []string{name}
		a := b.run(fw.Config{}, s)
		a.awaitEnd()
		if a.err == nil || !strings.Contains(a.err.Error(), "."+name+" is "+kind) {
			t.Errorf("%s: Run returned %v", name, a.err)
		}
	}
}

// Rights that are taken away while a stream reads stop it until they are given again; nothing is
// lost meanwhile.
func TestB076RightsMayComeBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Auth: true})
	admin := b.db.Client().Database("admin")
	role := bson.M{"role": "readWrite", "db": b.db.Name()}
	must(t, admin.RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: "app"}, {Key: "pwd", Value: "secret"},
		{Key: "roles", Value: bson.A{role}},
	}).Err())
	client := b.deployment.Client(b, options.Client().SetAuth(
		options.Credential{Username: "app", Password: "secret"}))
	var r recorder
	s := stream(fw.SingleLeader, &r)
	s.Lease = fw.LeasePolicy{}
	a := b.run(fw.Config{Client: client}, s)
	a.awaitPosition("items")
	b.insert(1)
	r.expect(a, 1)
	must(t, admin.RunCommand(t.Context(), bson.D{
		{Key: "revokeRolesFromUser", Value: "app"}, {Key: "roles", Value: bson.A{role}},
	}).Err())
	status := a.await("items", fw.StateBackingOff, "")
	if !strings.Contains(status.Reason, "not authorized") {
		t.Errorf("the reason is %s", status.Reason)
	}
	b.insert(2)
	must(t, admin.RunCommand(t.Context(), bson.D{
		{Key: "grantRolesToUser", Value: "app"}, {Key: "roles", Value: bson.A{role}},
	}).Err())
	r.expect(a, 1, 2)
	a.await("items", fw.StateRunning, "")
}
