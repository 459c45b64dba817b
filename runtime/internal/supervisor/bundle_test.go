package supervisor_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("no primary")

const (
	ttl   = 60 * time.Second
	drain = 20 * time.Second
)

// world is an oplog and stores in memory, in virtual time, with the instances that use them.
type world struct {
	*testing.T
	oplog       *readertest.Oplog
	leases      *memstore.Leases
	checkpoints *memstore.Checkpoints
	letters     *memstore.DeadLetters
	instances   []*instance

	mu    sync.Mutex // guards calls
	calls []string   // to the stores, renewals left out
}

func bubble(t *testing.T, f func(w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, oplog: readertest.New(t), leases: memstore.NewLeases(),
			checkpoints: memstore.NewCheckpoints()}
		w.letters = memstore.NewDeadLetters(w.checkpoints)
		w.fail(nil)
		f(w)
		for _, i := range w.instances {
			i.stop()
			time.Sleep(2 * drain)
			i.kill(failure.ErrStopping)
			<-i.ended
		}
		if n := w.oplog.Cursors(); n != 0 {
			t.Errorf("cursors left open: %d", n)
		}
	})
}

// fail makes choose decide what becomes of calls to the stores; nil lets all of them pass.
func (w *world) fail(choose func(memstore.Call) memstore.Fault) {
	note := func(c memstore.Call) memstore.Fault {
		w.mu.Lock()
		if c.Method != memstore.Renew {
			w.calls = append(w.calls, string(c.Method))
		}
		w.mu.Unlock()
		if choose == nil {
			return memstore.Fault{}
		}
		return choose(c)
	}
	w.leases.SetFault(note)
	w.checkpoints.SetFault(note)
	w.letters.SetFault(note)
}

// failing makes the calls of a method fail.
func failing(method memstore.Method) func(memstore.Call) memstore.Fault {
	return func(c memstore.Call) memstore.Fault {
		if c.Method == method {
			return memstore.Fault{Fail: errDown}
		}
		return memstore.Fault{}
	}
}

func (w *world) noted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// stored returns the position of the stream.
func (w *world) stored() store.Position { return w.checkpoints.Get("orders").Position }

// wantStored checks that the stored position is that of an event, or of what the server read
// behind it.
func (w *world) wantStored(e change.Event) {
	w.Helper()
	synctest.Wait()
	got := w.stored()
	token, err := change.ParseToken(got.Token)
	if err != nil || token.Compare(e.Token) < 0 {
		w.Errorf("stored position: got %+v, want event %s", got, e.ID())
	}
}

// instance is one process with the stream.
type instance struct {
	*world
	*supervisor.Stream
	stop   context.CancelFunc
	kill   context.CancelCauseFunc
	ended  chan struct{}
	logs   logs
	handle func(ctx context.Context, d *delivery.Delivery) error

	mu      sync.Mutex // guards what follows
	handled []string   // ids of events, one for every call that returned nil
	facts   []fact.Fact
}

// option changes what a stream declares.
type option func(*instance, *supervisor.Config)

func handling(h func(ctx context.Context, d *delivery.Delivery) error) option {
	return func(i *instance, _ *supervisor.Config) { i.handle = h }
}

// everywhere runs the stream without a lease.
func everywhere(_ *instance, c *supervisor.Config) {
	c.Everywhere, c.CheckpointID = true, "orders#blue"
}

func withDLQ(_ *instance, c *supervisor.Config) { c.Policy.DeadLetters = true }

func withAttempts(n int, wait time.Duration) option {
	return func(_ *instance, c *supervisor.Config) {
		c.Policy.Attempts = n
		c.Policy.Backoff = func(int) time.Duration { return wait }
	}
}

func withScope(scope store.Scope) option {
	return func(i *instance, c *supervisor.Config) {
		c.Source = func() (reader.Source, store.Scope) { return i.oplog, scope }
	}
}

// start starts an instance.
func (w *world) start(name string, options ...option) *instance {
	i := &instance{world: w, ended: make(chan struct{})}
	i.handle = func(context.Context, *delivery.Delivery) error { return nil }
	owner := name + "/1"
	c := supervisor.Config{
		Plan: delivery.Plan{
			Stream: "orders", Handler: i, LetterID: "orders", InstanceID: owner,
			Policy:  failure.Policy{Attempts: 1},
			Letters: delivery.Letters{Collection: "dlq"},
		},
		CheckpointID: "orders", Owner: owner,
		Source:  func() (reader.Source, store.Scope) { return w.oplog, store.Scope{} },
		Restart: backoff.Policy{Initial: time.Second, Max: time.Minute, Multiplier: 2},
		Lease: lease.Config{
			Leases: w.leases, Stream: "orders", Owner: owner,
			Instance: store.Instance{Name: name},
			TTL:      ttl, Heartbeat: 15 * time.Second, Poll: 5 * time.Second,
			LostCause: failure.ErrLeaseLost,
		},
		Checkpoints: w.checkpoints, DeadLetters: w.letters,
		Limits:   position.Limits{Window: 100, Bytes: 1 << 20, Every: 1000},
		Interval: time.Second, Idle: time.Minute, DrainTimeout: drain,
		Log: slog.New(slog.NewTextHandler(&i.logs, nil)),
		Report: func(f fact.Fact) {
			i.mu.Lock()
			defer i.mu.Unlock()
			i.facts = append(i.facts, f)
		},
	}
	for _, option := range options {
		option(i, &c)
	}
	i.Stream = supervisor.New(c)
	stopping, stop := context.WithCancel(w.Context())
	life, kill := context.WithCancelCause(w.Context())
	i.stop, i.kill = stop, kill
	go func() {
		defer close(i.ended)
		i.Stream.Run(stopping, life)
	}()
	w.instances = append(w.instances, i)
	i.settle()
	return i
}

// settle waits until a cursor that was opened has answered.
func (i *instance) settle() {
	time.Sleep(1100 * time.Millisecond)
	synctest.Wait()
}

// Attempt implements delivery.Handler.
func (i *instance) Attempt(ctx context.Context, d *delivery.Delivery) delivery.Result {
	d.Stage = failure.Handler
	err := i.handle(ctx, d)
	if err == nil {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.handled = append(i.handled, d.ID)
	}
	return delivery.Result{Outcome: fact.Handled, Err: err}
}

func (i *instance) wantHandled(events ...change.Event) {
	i.Helper()
	synctest.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	want := []string{}
	for _, e := range events {
		want = append(want, e.ID())
	}
	if diff := cmp.Diff(want, append([]string{}, i.handled...)); diff != "" {
		i.Errorf("handled (-want +got):\n%s", diff)
	}
}

func (i *instance) wantState(want state.State, code string) state.Condition {
	i.Helper()
	synctest.Wait()
	got := i.Snapshot().Condition
	if got.State != want || got.Code != code {
		i.Errorf("state: got %+v, want %s %s", got, want, code)
	}
	return got
}

func (i *instance) toldOf(is func(fact.Fact) bool) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := 0
	for _, f := range i.facts {
		if is(f) {
			n++
		}
	}
	return n
}

// is tells facts of one type.
func is[T fact.Fact](f fact.Fact) bool { _, ok := f.(T); return ok }

// logs keeps what is logged.
type logs struct {
	mu sync.Mutex // guards the buffer
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count counts the lines that have all of parts.
func (l *logs) count(parts ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.b.String()) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			n++
		}
	}
	return n
}
