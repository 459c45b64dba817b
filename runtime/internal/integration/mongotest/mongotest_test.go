package mongotest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestMain(m *testing.M) { mongotest.Main(m) }

func TestChangeStreamDelivers(t *testing.T) {
	for name, needs := range map[string]mongotest.Needs{
		"one node":    {Nodes: 1},
		"three nodes": {Nodes: 3},
		"small oplog": {OplogMB: 1},
		"auth":        {Auth: true},
		"auth of 3":   {Auth: true, Nodes: 3},
		"container":   {Docker: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			d := mongotest.Start(t, needs)
			t.Logf("start: %v", time.Since(began).Round(time.Millisecond))
			events := d.Database(t).Collection("events")
			stream := watch(t, events)
			insert(t, events, 1)
			expectInsert(t, stream, 1)
		})
	}
}

func TestSharedDeploymentIsStartedOnce(t *testing.T) {
	first, second := mongotest.Start(t, mongotest.Needs{}), mongotest.Start(t, mongotest.Needs{})
	if first != second {
		t.Errorf("two deployments: %s and %s", first.URI, second.URI)
	}
	if a, b := first.Database(t).Name(), first.Database(t).Name(); a == b {
		t.Errorf("database %s twice", a)
	}
}

func TestStepDownMovesThePrimary(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3, Kill: true})
	events := d.Database(t).Collection("events")
	stream := watch(t, events)
	old := d.Primary(t)
	began := time.Now()
	if now := d.StepDown(t); now == old {
		t.Errorf("%s is primary again", old.Addr)
	}
	t.Logf("new primary after %v", time.Since(began).Round(time.Millisecond))
	insert(t, events, 1)
	expectInsert(t, stream, 1)
}

func TestKilledPrimaryIsReplacedAndComesBack(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3, Kill: true})
	events := d.Database(t).Collection("events")
	stream := watch(t, events)
	insert(t, events, 1)
	expectInsert(t, stream, 1)
	began := time.Now()
	dead := d.KillPrimary(t)
	if dead.Alive() {
		t.Error("the killed node lives")
	}
	if now := d.Primary(t); now == dead {
		t.Errorf("the dead node %s is primary", dead.Addr)
	}
	t.Logf("new primary after %v", time.Since(began).Round(time.Millisecond))
	insert(t, events, 2)
	d.Restart(t, dead)
	t.Logf("three nodes after %v", time.Since(began).Round(time.Millisecond))
	insert(t, events, 3)
	// The driver resumes a stream once; where that meets the dead node's pool the stream ends.
	resumed := watch(t, events, options.ChangeStream().SetStartAfter(stream.ResumeToken()))
	expectInsert(t, resumed, 2)
	expectInsert(t, resumed, 3)
}

func TestSingleNodeSurvivesARestart(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Kill: true})
	events := d.Database(t).Collection("events")
	insert(t, events, 1)
	d.Restart(t, d.KillPrimary(t))
	count, err := events.CountDocuments(t.Context(), bson.D{})
	if err != nil || count != 1 {
		t.Errorf("%d documents after the restart, %v", count, err)
	}
}

func TestPausedNodeDoesNotAnswer(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Kill: true})
	node := d.Primary(t)
	client := d.NodeClient(t, node)
	ping := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		return client.Ping(ctx, nil)
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatalf("before the pause: %v", err)
	}
	d.Pause(t, node)
	if err := ping(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("paused: %v, want the deadline", err)
	}
	d.Resume(t, node)
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

func TestFailPointFailsOnlyItsTestsCommands(t *testing.T) {
	d := mongotest.Start(t, mongotest.Needs{TestCommands: true})
	events := d.Database(t).Collection("events")
	off := d.FailPoint(t, mongotest.FailPoint{
		Name: "failCommand",
		Data: bson.D{
			{Key: "failCommands", Value: bson.A{"insert"}},
			{Key: "errorCode", Value: 8},
			{Key: "appName", Value: mongotest.AppName(t)},
		},
	})
	_, err := events.InsertOne(t.Context(), bson.D{})
	if code := commandCode(err); code != 8 {
		t.Errorf("insert under the fail point: %v, want code 8", err)
	}
	stranger := d.Client(t, options.Client().SetAppName("stranger"))
	other := stranger.Database(events.Database().Name()).Collection("other")
	if _, err := other.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Errorf("insert of another application: %v", err)
	}
	off()
	if _, err := events.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Errorf("insert after the fail point: %v", err)
	}
}

func TestAuthenticationIsAskedFor(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Auth: true})
	stranger, err := mongo.Connect(options.Client().ApplyURI(withoutCredentials(d.URI)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Disconnect(context.Background()) }()
	err = stranger.Database("x").Collection("x").FindOne(t.Context(), bson.D{}).Err()
	if code := commandCode(err); code != 13 {
		t.Errorf("find without credentials: %v, want code 13 Unauthorized", err)
	}
}

func TestStandaloneHasNoChangeStreams(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Standalone: true})
	_, err := d.Database(t).Collection("events").Watch(t.Context(), mongo.Pipeline{})
	if code := commandCode(err); code != 40573 {
		t.Errorf("watch: %v, want code 40573", err)
	}
}

func TestSmallOplogIsSmall(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{OplogMB: 1})
	var stats struct {
		MaxSize int64 `bson:"maxSize"`
	}
	err := d.Client(t).Database("local").RunCommand(t.Context(),
		bson.D{{Key: "collStats", Value: "oplog.rs"}}).Decode(&stats)
	if err != nil || stats.MaxSize != 1<<20 {
		t.Errorf("oplog of %d bytes, %v", stats.MaxSize, err)
	}
}

func TestSplitStageIsKnown(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{SplitStage: true})
	events := d.Database(t).Collection("events")
	split := mongo.Pipeline{{{Key: "$changeStreamSplitLargeEvent", Value: bson.D{}}}}
	stream, err := events.Watch(t.Context(), split)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close(context.Background()) }()
	insert(t, events, 1)
	expectInsert(t, stream, 1)
}

func withoutCredentials(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "//")
	if _, hosts, found := strings.Cut(rest, "@"); found {
		return scheme + "//" + hosts
	}
	return uri
}

func commandCode(err error) int32 {
	var command mongo.CommandError
	if errors.As(err, &command) {
		return command.Code
	}
	return 0
}

func watch(t *testing.T, events *mongo.Collection,
	opts ...options.Lister[options.ChangeStreamOptions],
) *mongo.ChangeStream {
	t.Helper()
	stream, err := events.Watch(t.Context(), mongo.Pipeline{}, opts...)
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	t.Cleanup(func() { _ = stream.Close(context.Background()) })
	return stream
}

func insert(t *testing.T, events *mongo.Collection, id int32) {
	t.Helper()
	if _, err := events.InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}}); err != nil {
		t.Fatalf("insert %d: %v", id, err)
	}
}

func expectInsert(t *testing.T, stream *mongo.ChangeStream, id int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if !stream.Next(ctx) {
		t.Fatalf("await insert %d: %v", id, stream.Err())
	}
	got, ok := stream.Current.Lookup("documentKey", "_id").AsInt64OK()
	if !ok || got != int64(id) {
		t.Errorf("event %v, want the insert of %d", stream.Current, id)
	}
}
