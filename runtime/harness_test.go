package fw

import (
	"bytes"
	"context"
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
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is an App with one stream, over an oplog and stores in memory, in virtual time.
type harness struct {
	*testing.T
	app         *App
	oplog       *readertest.Oplog
	checkpoints *memstore.Checkpoints
	letters     *memstore.DeadLetters
	stop        context.CancelFunc
	logs        lockedBuffer

	mu    sync.Mutex // guards facts
	facts []fact.Fact
}

// lockedBuffer keeps what is logged.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// run runs a stream of the collection orders, and f beside it.
func run(t *testing.T, s Stream, f func(h *harness)) {
	t.Helper()
	runWith(t, Config{}, s, f)
}

func runWith(t *testing.T, c Config, s Stream, f func(h *harness)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &harness{T: t}
		h.prepare()
		h.start(c, s)
		f(h)
		h.stop()
	})
}

func (h *harness) prepare() {
	h.oplog, h.checkpoints = readertest.New(h.T), memstore.NewCheckpoints()
	h.letters = memstore.NewDeadLetters(h.checkpoints)
}

func (h *harness) start(c Config, s Stream) {
	h.Helper()
	c.Database, c.StateDatabase, c.Prefix = "shop", "shop", "_fw"
	c.DrainTimeout, c.MaxInFlightBytes = time.Second, 1<<20
	c.Leases, c.Checkpoints, c.DeadLetters = memstore.NewLeases(), h.checkpoints, h.letters
	c.Logger = slog.New(slog.NewTextHandler(&h.logs, nil))
	h.app = &App{config: c, instance: Instance{Name: "blue", Process: "p", Host: "host", PID: 7}}
	s.Collections = []string{"orders"}
	if err := h.app.Add(s); err != nil {
		h.Fatal(err)
	}
	d := h.app.streams[0]
	config := h.app.supervised(d.Stream, server{}, nil)
	config.Source = func() (reader.Source, store.Scope) { return h.oplog, store.Scope{} }
	config.Report = func(f fact.Fact) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.facts = append(h.facts, f)
	}
	d.running = supervisor.New(config)
	ctx, cancel := context.WithCancel(h.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.running.Run(ctx, h.Context())
	}()
	h.stop = func() {
		cancel()
		<-ended
	}
	time.Sleep(1100 * time.Millisecond)
	synctest.Wait()
}

// outcomes returns how events were settled, in order.
func (h *harness) outcomes() []string {
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []string{}
	for _, f := range h.facts {
		if s, ok := f.(fact.EventSettled); ok {
			out = append(out, strings.TrimSuffix(
				s.Operation+" "+string(s.Outcome)+" "+s.Reason, " "))
		}
	}
	return out
}

func (h *harness) wantOutcomes(want ...string) {
	h.Helper()
	if diff := cmp.Diff(want, h.outcomes()); diff != "" {
		h.Errorf("settlements (-want +got):\n%s", diff)
	}
}

func (h *harness) status() StreamStatus {
	h.Helper()
	synctest.Wait()
	return h.app.Status().Streams[0]
}

// wantLetters checks which events are dead letters, and of what kind.
func (h *harness) wantLetters(kind string, events ...change.Event) {
	h.Helper()
	synctest.Wait()
	var want, got []string
	for _, e := range events {
		want = append(want, kind+" "+e.ID())
	}
	for _, l := range h.letters.Letters("_fw_dlq") {
		got = append(got, l.Error.Kind+" "+l.ID[strings.LastIndex(l.ID, "/")+1:])
	}
	if !slices.Equal(want, got) {
		h.Errorf("dead letters: got %v, want %v", got, want)
	}
}
