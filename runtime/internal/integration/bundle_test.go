package integration

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// bundle is a test with a database of its own, and applications that handle what happens in it.
type bundle struct {
	*testing.T
	deployment *mongotest.Deployment
	db         *mongo.Database
	items      *mongo.Collection // what streams watch, unless they say otherwise
}

func newBundle(t *testing.T, needs mongotest.Needs) *bundle {
	t.Helper()
	d := mongotest.Start(t, needs)
	db := d.Database(t)
	return &bundle{t, d, db, db.Collection("items")}
}

// item is a document of the collections that are watched.
type item struct {
	ID any `bson:"_id"`
	N  int `bson:"n"`
}

// insert inserts documents with these ids, one after another.
func (b *bundle) insert(ids ...any) {
	b.Helper()
	for _, id := range ids {
		_, err := b.items.InsertOne(b.Context(), item{ID: id})
		must(b, err)
	}
}

// span returns the numbers from first to last, as ids.
func span(first, last int) (ids []any) {
	for id := first; id <= last; id++ {
		ids = append(ids, id)
	}
	return ids
}

// app is an application, which stops at the end of the test at the latest.
type app struct {
	*fw.App
	b      *bundle
	name   string // of the instance
	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned
	err    error         // of Run; read after done
	log    lockedBuffer
}

// run starts an application. What is left open in the configuration is filled in.
func (b *bundle) run(config fw.Config, streams ...fw.Stream) *app {
	b.Helper()
	a := &app{b: b, done: make(chan struct{})}
	if config.Client == nil {
		config.Client = b.deployment.Client(b)
	}
	if config.Database == "" {
		config.Database = b.db.Name()
	}
	if config.Instance == "" {
		config.Instance = "one"
	}
	a.name = config.Instance
	config.Logger = slog.New(slog.NewTextHandler(&a.log, nil))
	var err error
	a.App, err = fw.New(config)
	must(b, err)
	for _, s := range streams {
		must(b, a.Add(s))
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	go func() {
		defer close(a.done)
		a.err = a.Run(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-a.done
		if b.Failed() {
			b.Logf("application %s wrote:\n%s", a.name, a.log.String())
		}
	})
	return a
}

// stop stops the application gracefully.
func (a *app) stop() {
	a.b.Helper()
	a.cancel()
	a.awaitEnd()
	if a.err != nil {
		a.b.Fatalf("Run of %s: %v", a.name, a.err)
	}
}

// awaitEnd waits until Run has returned.
func (a *app) awaitEnd() {
	a.b.Helper()
	select {
	case <-a.done:
	case <-time.After(patience):
		a.b.Fatalf("Run of %s has not returned: %s", a.name, a)
	}
}

// String says what the streams are doing.
func (a *app) String() string {
	var lines []string
	for _, s := range a.Status().Streams {
		lines = append(lines, fmt.Sprintf("%s: %+v", a.name, s))
	}
	return strings.Join(lines, "\n")
}

func (a *app) status(stream string) fw.StreamStatus {
	a.b.Helper()
	for _, s := range a.Status().Streams {
		if s.Name == stream {
			return s
		}
	}
	a.b.Fatalf("%s has no stream %s", a.name, stream)
	return fw.StreamStatus{}
}

// await waits until a stream is in a state, with a code unless that is empty.
func (a *app) await(stream string, state fw.State, code string) fw.StreamStatus {
	a.b.Helper()
	var status fw.StreamStatus
	eventually(a.b, patience, func() error {
		status = a.status(stream)
		if status.State != state || code != "" && status.Code != code {
			return fmt.Errorf("%s is %s (%s), want %s (%s)", stream, status.State, status.Code,
				state, code)
		}
		return nil
	}, a)
	return status
}

// awaitPosition waits until a position is stored: what is written from then on is not lost.
func (a *app) awaitPosition(id string) checkpoint {
	a.b.Helper()
	var c checkpoint
	eventually(a.b, patience, func() error {
		if c = checkpointOf(a.b, a.b.db, id); c.Position.Token == nil {
			return fmt.Errorf("no position of %s is stored", id)
		}
		return nil
	}, a)
	return c
}

// seen is an event that a handler was called with.
type seen struct {
	op      fw.Operation
	id      any // _id of the documentKey; nil without one
	doc     *item
	attempt int
	term    int64
	event   string // id
	token   string // as tokens sort
}

// recorder records the events that it handles.
type recorder struct {
	also func(context.Context, *fw.Event[item]) error // what else the handler does; nil: nothing

	mu     sync.Mutex // guards events
	events []seen
}

func (r *recorder) handle(ctx context.Context, ev *fw.Event[item]) error {
	s := seen{op: ev.Operation, doc: ev.Doc, attempt: ev.Attempt, term: ev.Term, event: ev.ID}
	s.token = dataOf(ev.Raw.Lookup("_id").Document())
	if ev.Key != nil {
		if err := ev.Key.Lookup("_id").Unmarshal(&s.id); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.events = append(r.events, s)
	r.mu.Unlock()
	if r.also != nil {
		return r.also(ctx, ev)
	}
	return nil
}

// dataOf returns the hex string of a token: tokens sort as those do.
func dataOf(token bson.Raw) string {
	data, _ := token.Lookup("_data").StringValueOK()
	return data
}

func (r *recorder) all() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

func (r *recorder) count() int { return len(r.all()) }

// ids are the _ids of the events, numbers as ints.
func (r *recorder) ids() (ids []any) {
	for _, s := range r.all() {
		switch id := s.id.(type) {
		case int32:
			ids = append(ids, int(id))
		default:
			ids = append(ids, id)
		}
	}
	return ids
}

// expect waits until as many events are handled as there are ids, and compares those.
func (r *recorder) expect(a *app, ids ...any) {
	a.b.Helper()
	eventually(a.b, patience, atLeast("events", len(ids), r.count), a)
	if got := r.ids(); !slices.Equal(got, ids) {
		a.b.Errorf("events of %v, want %v", got, ids)
	}
}

// stream makes a stream over the items, handled by r.
func stream(mode fw.Mode, r *recorder) fw.Stream {
	s := fw.Stream{
		Name: "items", Collections: []string{"items"}, Mode: mode,
		Checkpoint: fw.CheckpointPolicy{Interval: 200 * time.Millisecond},
		Restart:    fw.RestartPolicy{Initial: 100 * time.Millisecond, Max: time.Second},
		Retry:      fw.RetryPolicy{Initial: 20 * time.Millisecond},
		Handle:     fw.Typed(fw.Handlers[item]{Change: r.handle}),
	}
	if mode == fw.SingleLeader {
		s.Lease = fw.LeasePolicy{TTL: 3 * time.Second, Heartbeat: time.Second}
	}
	return s
}

// checkpointID is where the position of the stream is, for the instance named one.
func checkpointID(mode fw.Mode) string {
	if mode == fw.SingleLeader {
		return "items"
	}
	return "items#one"
}

// inBothModes runs a test for each mode.
func inBothModes(t *testing.T, needs mongotest.Needs, test func(*bundle, fw.Mode)) {
	t.Helper()
	t.Parallel()
	for _, mode := range []fw.Mode{fw.SingleLeader, fw.AllInstances} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			test(newBundle(t, needs), mode)
		})
	}
}

// commands records what a client asks its server.
type commands struct {
	mu      sync.Mutex // guards started
	started []bson.Raw
}

// client returns a client that is recorded.
func (c *commands) client(b *bundle, opts ...*options.ClientOptions) *mongo.Client {
	b.Helper()
	monitor := &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.started = append(c.started, slices.Clone(e.Command))
	}}
	return b.deployment.Client(b, append(opts, options.Client().SetMonitor(monitor))...)
}

// named returns the commands of a name.
func (c *commands) named(name string) (found []bson.Raw) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, command := range c.started {
		if first, err := command.IndexErr(0); err == nil && first.Key() == name {
			found = append(found, command)
		}
	}
	return found
}

// opens returns the $changeStream stages with which the streams over a collection were opened.
func (c *commands) opens(collection string) (stages []bson.Raw) {
	for _, command := range c.named("aggregate") {
		stage, err := command.LookupErr("pipeline", "0", "$changeStream")
		if watched, _ := command.Lookup("aggregate").StringValueOK(); err == nil &&
			watched == collection {
			stages = append(stages, stage.Document())
		}
	}
	return stages
}
