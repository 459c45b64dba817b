package reader_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a reader of an oplog in memory, in virtual time. It is the reader's sink.
type bundle struct {
	*testing.T
	oplog *readertest.Oplog
	began time.Time
	stop  context.CancelFunc
	ended chan error // of Run

	mu       sync.Mutex // guards what follows
	refuse   error      // of Began
	begun    []change.Token
	events   []change.Event
	markers  []marker
	opened   int
	failures []failed
	settled  uint64
}

type marker struct {
	token    change.Token
	kind     store.PositionKind
	caughtUp bool
}

type failed struct {
	class reader.Class
	at    time.Duration
	wait  time.Duration
}

func bubble(t *testing.T, f func(b *bundle)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{T: t, oplog: readertest.New(t), began: time.Now(), ended: make(chan error, 1)}
		f(b)
		if b.stop != nil {
			b.stop()
			synctest.Wait()
			time.Sleep(2 * time.Minute) // a call that hangs ends
		}
		if n := b.oplog.Cursors(); n != 0 {
			t.Errorf("cursors left open: %d", n)
		}
	})
}

// option changes how a reader is made.
type option func(*reader.Config)

func withAttempts(n int) option { return func(c *reader.Config) { c.Attempts = n } }

func after(token change.Token) option {
	return func(c *reader.Config) { c.From, c.Stored = reader.From{After: token}, true }
}

// start starts a reader.
func (b *bundle) start(options ...option) {
	c := reader.Config{
		Source: b.oplog, Sink: b,
		Backoff: backoff.Policy{Initial: time.Second, Max: 8 * time.Second, Multiplier: 2},
	}
	for _, option := range options {
		option(&c)
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.stop = cancel
	go func() { b.ended <- reader.New(c).Run(ctx) }()
	synctest.Wait()
}

func (b *bundle) Began(_ context.Context, token change.Token) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun = append(b.begun, token.Clone())
	return b.refuse
}

func (b *bundle) Event(_ context.Context, e change.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	return nil
}

func (b *bundle) Marker(token change.Token, kind store.PositionKind, caughtUp bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.markers = append(b.markers, marker{token, kind, caughtUp})
}

func (b *bundle) Opened() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened++
}

func (b *bundle) Failed(class reader.Class, _ error, _ int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, failed{class, time.Since(b.began), wait})
}

func (b *bundle) Settled() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settled
}

func (b *bundle) fails() []failed        { return read(b, &b.failures) }
func (b *bundle) starts() []change.Token { return read(b, &b.begun) }
func (b *bundle) got() []change.Event    { return read(b, &b.events) }
func (b *bundle) marks() []marker        { return read(b, &b.markers) }

func read[T any](b *bundle, list *[]T) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(*list)
}

func (b *bundle) setRefuse(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = err
}

func (b *bundle) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settled++
}

// wantEvents checks which events were delivered, all of them in order.
func (b *bundle) wantEvents(want ...change.Event) {
	b.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := func(events []change.Event) []string {
		out := []string{}
		for _, e := range events {
			out = append(out, e.Operation+" "+e.ID())
		}
		return out
	}
	if diff := cmp.Diff(ids(want), ids(b.events)); diff != "" {
		b.Errorf("events (-want +got):\n%s", diff)
	}
}

func (b *bundle) wantOpens(want ...reader.From) {
	b.Helper()
	synctest.Wait()
	var got []reader.From
	for _, open := range b.oplog.Opens() {
		got = append(got, open.From)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("opens (-want +got):\n%s", diff)
	}
}

// wantEnd checks how the reader ended.
func (b *bundle) wantEnd(class reader.Class) error {
	b.Helper()
	synctest.Wait()
	select {
	case err := <-b.ended:
		e, ok := errors.AsType[*reader.Error](err)
		if !ok || e.Class != class {
			b.Errorf("ended with %v, want class %s", err, class)
		}
		return err
	default:
		b.Errorf("the reader goes on, want an end as %s", class)
		return nil
	}
}

func (b *bundle) wantRunning() {
	b.Helper()
	synctest.Wait()
	select {
	case err := <-b.ended:
		b.Fatalf("the reader ended with %v", err)
	default:
	}
}

// lastMarker returns the last post-batch resume token.
func (b *bundle) lastMarker() marker {
	b.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.markers) == 0 {
		b.Fatal("there is no marker")
	}
	return b.markers[len(b.markers)-1]
}

// once makes only the call with this number of an open, and of a question, fail.
func once(open, next int, err error) func(readertest.Call) error {
	return func(c readertest.Call) error {
		if c.Open == open && c.Next == next {
			return err
		}
		return nil
	}
}

func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) }
