package delivery_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handle is a handler's function. It is past decoding and filtering, unless it sets the stage.
type handle func(ctx context.Context, d *delivery.Delivery) error

// Attempt implements delivery.Handler.
func (h handle) Attempt(ctx context.Context, d *delivery.Delivery) delivery.Result {
	d.Stage = failure.Handler
	return delivery.Result{Outcome: fact.Handled, Err: h(ctx, d)}
}

// bundle is a runner in virtual time, on a stream with what a test declares.
type bundle struct {
	*testing.T
	delivery.Config
	runner   *delivery.Runner
	writer   *writer
	counters delivery.Counters
	logs     logs
	facts    []fact.Fact
	n        int
}

// option changes what a stream declares.
type option func(*delivery.Config)

func withAttempts(n int) option {
	return func(c *delivery.Config) { c.Policy.Attempts = n }
}

func withDLQ(c *delivery.Config) { c.Policy.DeadLetters = true }

func withSkip(c *delivery.Config) { c.Policy.SkipExhausted = true }

func withTimeout(d time.Duration) option { return func(c *delivery.Config) { c.Timeout = d } }

// run runs f with a runner of h.
func run(t *testing.T, h handle, f func(b *bundle), options ...option) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { f(newBundle(t, h, options...)) })
}

func newBundle(t *testing.T, h handle, options ...option) *bundle {
	b := &bundle{T: t, writer: &writer{}}
	b.Config = delivery.Config{
		Plan: delivery.Plan{
			Stream: "orders", InstanceID: "blue/1", LetterID: "orders", Handler: h,
			Policy: failure.Policy{
				Attempts: 1,
				Backoff:  func(n int) time.Duration { return time.Duration(n) * time.Second },
			},
			Letters: delivery.Letters{Collection: "_fw_dlq", Retention: time.Hour},
		},
		Term: 7,
		Tracker: position.NewTracker(
			position.Limits{Window: 100, Bytes: 1 << 20, Every: 100}, readertest.Token(0)),
		Writer: b.writer, Board: state.NewBoard(nil), Counters: &b.counters,
		Log:    slog.New(slog.NewTextHandler(&b.logs, nil)),
		Report: func(f fact.Fact) { b.facts = append(b.facts, f) },
	}
	b.Board.Set(state.Condition{State: state.Running})
	for _, option := range options {
		option(&b.Config)
	}
	b.runner = delivery.NewRunner(b.Config)
	return b
}

// deliver tracks the next event.
func (b *bundle) deliver() *delivery.Delivery {
	b.Helper()
	b.n++
	return b.deliverEvent(readertest.Insert(b.n))
}

func (b *bundle) deliverEvent(e change.Event) *delivery.Delivery {
	b.Helper()
	slot, err := b.Tracker.Event(b.Context(), &e)
	if err != nil {
		b.Fatal(err)
	}
	return delivery.New(e, slot)
}

// drive steps a delivery until it is done, waiting as a lane does, and returns the waits. It ends
// before a wait without end, and after most steps.
func (b *bundle) drive(ctx context.Context, d *delivery.Delivery, most int) []time.Duration {
	b.Helper()
	waits := []time.Duration{}
	for range most {
		next := b.step(ctx, d)
		if next.Done {
			return waits
		}
		waits = append(waits, next.Wait)
		if next.Wait < 0 {
			return waits
		}
		time.Sleep(next.Wait)
	}
	return waits
}

// step makes one step in a goroutine of its own, and another one if the handler ended that.
func (b *bundle) step(ctx context.Context, d *delivery.Delivery) delivery.Next {
	for range 10 {
		answer := make(chan delivery.Next, 1)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			answer <- b.runner.Step(ctx, d)
		}()
		<-gone
		select {
		case next := <-answer:
			return next
		default:
		}
	}
	b.Fatal("the delivery ends every goroutine that steps it")
	return delivery.Next{}
}

func (b *bundle) settled() bool { return b.Tracker.Load().Unsettled == 0 }

func (b *bundle) wantSettled(outcome fact.Outcome) {
	b.Helper()
	if !b.settled() {
		b.Error("the event is not settled")
	}
	var settled []fact.EventSettled
	for _, f := range b.facts {
		if s, ok := f.(fact.EventSettled); ok {
			settled = append(settled, s)
		}
	}
	if len(settled) != 1 || settled[0].Outcome != outcome {
		b.Errorf("settlements: got %+v, want one as %s", settled, outcome)
	}
}

func (b *bundle) wantUnsettled() {
	b.Helper()
	if b.settled() {
		b.Error("the event is settled")
	}
	for _, f := range b.facts {
		if s, ok := f.(fact.EventSettled); ok {
			b.Errorf("a settlement was told: %+v", s)
		}
	}
}

func (b *bundle) wantState(want state.State) {
	b.Helper()
	if got := b.Board.Current(); got.State != want {
		b.Errorf("state: got %+v, want %s", got, want)
	}
}

func wantWaits(t *testing.T, got []time.Duration, want ...time.Duration) {
	t.Helper()
	if want == nil {
		want = []time.Duration{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// writer is a delivery.Writer in memory.
type writer struct {
	mu      sync.Mutex // guards what follows
	calls   int
	letters []store.DeadLetter
	fail    func(call int) error // nil: never
	flushes int
	flush   error
}

func (w *writer) DeadLetter(ctx context.Context, l store.DeadLetter) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.fail != nil {
		if err := w.fail(w.calls); err != nil {
			return err
		}
	}
	w.letters = append(w.letters, l)
	return nil
}

func (w *writer) Flush(context.Context) error {
	w.flushes++
	return w.flush
}

// one returns the only dead letter.
func (b *bundle) one() store.DeadLetter {
	b.Helper()
	if len(b.writer.letters) != 1 {
		b.Fatalf("dead letters: got %d, want 1", len(b.writer.letters))
	}
	return b.writer.letters[0]
}

// logs keeps what is logged.
type logs struct {
	mu sync.Mutex // guards the buffer
	bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// count counts the lines with text.
func (l *logs) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
