package integration

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

func TestStoppedLeaderHandsOverAtOnce(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Nodes: 3})
	s := func(r *recorder) fw.Stream {
		s := stream(fw.SingleLeader, r)
		s.Lease = fw.LeasePolicy{} // a ttl of a minute: nobody waits for it
		return s
	}
	a := b.run(fw.Config{Instance: "0"}, s(&recorder{}))
	a.awaitPosition("items")
	for round := 1; round <= 3; round++ {
		standing := &recorder{}
		next := b.run(fw.Config{Instance: fmt.Sprint(round)}, s(standing))
		next.await("items", fw.StateStandby, "")
		stopped := time.Now()
		a.cancel()
		a.await("items", fw.StateStopped, "") // so that it is the successor's
		b.insert(round)
		eventually(b, patience, atLeast("events", 1, standing.count), next)
		took := time.Since(stopped)
		t.Logf("leader stopped: next event handled after %s", took.Round(time.Millisecond))
		if took > time.Second {
			t.Errorf("next event handled %s after the stop, want at most 1 s", took)
		}
		a.awaitEnd()
		if a.err != nil {
			t.Errorf("Run: %v", a.err)
		}
		next.await("items", fw.StateRunning, "")
		a = next
	}
	if l := lockOf(b, b.db, "items"); l.Term != 4 {
		b.Errorf("term %d after 3 hand-overs, want 4", l.Term)
	}
}

// The lease is given back after the handler has returned, and not before its position is saved.
func TestB093SuccessorBeginsAfterTheHandlerReturned(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var returned, overlapped atomic.Bool
	begun, finish := make(chan struct{}), make(chan struct{})
	first := recorder{also: func(context.Context, *fw.Event[item]) error {
		close(begun)
		<-finish
		returned.Store(true)
		return nil
	}}
	second := recorder{also: func(context.Context, *fw.Event[item]) error {
		overlapped.Store(!returned.Load())
		return nil
	}}
	a := b.run(fw.Config{Instance: "one"}, stream(fw.SingleLeader, &first))
	a.awaitPosition("items")
	next := b.run(fw.Config{Instance: "two"}, stream(fw.SingleLeader, &second))
	next.await("items", fw.StateStandby, "")
	b.insert(1, 2)
	<-begun
	a.cancel()
	time.Sleep(4 * time.Second) // longer than the lease lasts without renewals
	if l := lockOf(b, b.db, "items"); l.Term != 1 || l.Instance.Name != "one" {
		b.Errorf("the lease went to %+v while the handler ran", l)
	}
	close(finish)
	second.expect(next, 2) // and not the first again: its position was saved
	if overlapped.Load() {
		b.Error("the successor began while the handler ran")
	}
	a.awaitEnd()
}

func TestHandlerThatDoesNotReturnIsNamed(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	begun, finish := make(chan struct{}), make(chan struct{})
	r := recorder{also: func(context.Context, *fw.Event[item]) error {
		close(begun)
		<-finish
		return nil
	}}
	a := b.run(fw.Config{DrainTimeout: 100 * time.Millisecond}, stream(fw.SingleLeader, &r))
	a.awaitPosition("items")
	b.insert(1)
	<-begun
	event := r.all()[0].event
	err := a.Stop(b.Context(), "items")
	for what, err := range map[string]error{"Stop": err, "Run": func() error {
		a.cancel()
		a.awaitEnd() // 5 s after the handler's context ended
		return a.err
	}()} {
		if err == nil || !strings.Contains(err.Error(), event) {
			b.Errorf("%s returned %v, want an error that names event %s", what, err, event)
		}
	}
	if l := lockOf(b, b.db, "items"); l.InstanceID == "" {
		b.Error("the lease was released under a running handler")
	}
	close(finish)
}

func TestB015NothingIsLostBeforeTheFirstEvent(t *testing.T) {
	t.Parallel()
	p := newQuietPair(t, mongotest.Start(t, mongotest.Needs{}), pairConfig)
	p.begin("a")
	eventually(t, patience, func() error {
		if c := checkpointOf(t, p.db, childapp.Stream); c.Position.Kind != "start" {
			return fmt.Errorf("no start is stored: %+v", c)
		}
		return nil
	})
	p.members["a"].kill(t)
	p.emit(false)
	p.emit(false)
	p.begin("a")
	p.end(p.settle(), 0)
}

// A step-down and a killed primary, while documents are written and handled.
func TestB054FailoversOfTheServersLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Nodes: 3, Kill: true})
	var led, all recorder
	facts := &observed{}
	leads, everywhere := stream(fw.SingleLeader, &led), stream(fw.AllInstances, &all)
	leads.Lease = fw.LeasePolicy{TTL: 12 * time.Second, Heartbeat: 2 * time.Second}
	everywhere.Name = "everywhere"
	client := b.deployment.Client(b, options.Client().SetServerSelectionTimeout(10*time.Second))
	a := b.run(fw.Config{Client: client, Observer: facts}, leads, everywhere)
	a.awaitPosition("items")
	a.awaitPosition("everywhere#one")

	w := b.writeOn()
	w.await(50)
	b.deployment.StepDown(b)
	w.await(w.count() + 50)
	killed := b.deployment.KillPrimary(b)
	b.deployment.Primary(b)
	w.await(w.count() + 50)
	written := w.stop()
	b.deployment.Restart(b, killed)

	for name, r := range map[string]*recorder{"items": &led, "everywhere": &all} {
		eventually(b, 2*patience, func() error {
			got := map[any]bool{}
			for _, id := range r.ids() {
				got[id] = true
			}
			for _, id := range written {
				if !got[id] {
					return fmt.Errorf("%s: %d of %d are handled, not %v", name, len(got),
						len(written), id)
				}
			}
			return nil
		}, a)
		last := map[int64]int{} // by term
		for _, s := range r.all() {
			if id := int(s.id.(int32)); id <= last[s.term] {
				b.Errorf("%s: %d after %d under term %d", name, id, last[s.term], s.term)
			} else {
				last[s.term] = id
			}
		}
		a.await(name, fw.StateRunning, "")
	}
	failed := map[string]int{}
	for _, f := range facts.of("ReaderFailed") {
		failed[f.(fact.ReaderFailed).Stream.Stream]++
	}
	b.Logf("%d written; handled %d and %d; reader failures %v; term %d", len(written), led.count(),
		all.count(), failed, a.status("items").Term)
	a.stop()
}

// writer inserts documents with growing ids, and knows which ones the server has confirmed.
type writer struct {
	b        *bundle
	n        atomic.Int64
	end      context.CancelFunc
	finished chan []int
}

func (b *bundle) writeOn() *writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &writer{b: b, end: cancel, finished: make(chan []int, 1)}
	b.Cleanup(cancel)
	go func() {
		var confirmed []int
		for id := 1; ctx.Err() == nil; id++ {
			bounded, done := context.WithTimeout(ctx, 10*time.Second)
			if _, err := b.items.InsertOne(bounded, item{ID: id}); err == nil {
				confirmed = append(confirmed, id)
				w.n.Store(int64(len(confirmed)))
			}
			done()
			time.Sleep(2 * time.Millisecond) // as a load, not as a flood
		}
		w.finished <- confirmed
	}()
	return w
}

func (w *writer) count() int { return int(w.n.Load()) }

// await waits until so many writes are confirmed.
func (w *writer) await(n int) {
	w.b.Helper()
	eventually(w.b, 2*patience, atLeast("writes", n, w.count))
}

// stop ends the writing and returns what was confirmed.
func (w *writer) stop() []int {
	w.end()
	return <-w.finished
}
