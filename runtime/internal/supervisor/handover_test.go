package supervisor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

func withPriority(n int) option {
	return func(_ *instance, c *supervisor.Config) { c.Lease.Priority = n }
}

// released is for instance.toldOf.
func released(reason store.ReleaseReason) func(fact.Fact) bool {
	return func(f fact.Fact) bool {
		r, ok := f.(fact.LeaseReleased)
		return ok && r.Reason == string(reason)
	}
}

func TestEveryEventIsHandledOnceOverThreeLeaderships(t *testing.T) {
	bubble(t, func(w *world) {
		blue, green := w.start("blue"), w.start("green")
		var of [3][]change.Event
		for n, leader := range []*instance{blue, green, blue} {
			for i := range 3 {
				of[n] = append(of[n], w.oplog.Insert(3*n+i+1))
			}
			time.Sleep(2 * time.Second)
			if got := leader.Snapshot(); !got.Leads || got.Term != int64(n+1) {
				t.Fatalf("leadership %d: got %+v", n+1, got)
			}
			if err := leader.StepDown(w.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			if n == 1 { // blue has sat out, so that green does not go on for nobody
				time.Sleep(ttl)
			}
		}
		blue.wantHandled(slices.Concat(of[0], of[2])...)
		green.wantHandled(of[1]...)
	})
}

// It is no contender either, whatever its priority, until it is started again.
func TestAStreamThatIsStoppedByHandIsTakenOver(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", withPriority(5))
		green := w.start("green")
		first := w.oplog.Insert(1)
		synctest.Wait()
		if err := blue.Stop(w.Context()); err != nil {
			t.Fatal(err)
		}
		second := w.oplog.Insert(2)
		time.Sleep(10 * time.Second)
		third := w.oplog.Insert(3)
		time.Sleep(10 * ttl)
		blue.wantHandled(first)
		green.wantHandled(second, third)
		if n := blue.toldOf(released(store.StreamStopped)); n != 1 {
			t.Errorf("told of %d releases of a stopped stream, want one", n)
		}
		if l := w.leases.Get("orders"); l.Contender != nil || l.Term != 2 {
			t.Errorf("lease: got %+v, want that nobody contends for it", l)
		}
		blue.Start()
		time.Sleep(10 * time.Second)
		if got := blue.Snapshot(); !got.Leads {
			t.Errorf("got %+v, want that it leads by its priority", got)
		}
	})
}

func TestAStreamThatFailsHereForGoodIsTakenOver(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", withDeafReader, withPriority(5), func(
			_ *instance, c *supervisor.Config,
		) {
			c.RestartAttempts = 3
		})
		green := w.start("green")
		time.Sleep(time.Minute)
		e := w.oplog.Insert(1)
		time.Sleep(10 * ttl)
		blue.wantState(state.Failed, "reader_gave_up")
		if n := blue.toldOf(released(store.StreamFailing)); n != 1 {
			t.Errorf("told of %d releases of a failing stream, want one", n)
		}
		if got := green.Snapshot(); !got.Leads || got.Term != 2 {
			t.Errorf("got %+v, want that it leads", got)
		}
		green.wantHandled(e)
	})
}

// A leader that was paused in its handler trusts its lease yet when another one has taken over.
func TestB096ALeaderThatWasPausedChangesNothing(t *testing.T) {
	for name, result := range map[string]error{
		"position": nil, "dead letter": errors.New("card declined"),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				resume := make(chan struct{})
				blue := w.start("blue", withDLQ, handling(func(
					context.Context, *delivery.Delivery,
				) error {
					<-resume
					return result
				}))
				w.oplog.Insert(1)
				synctest.Wait()
				w.takeOver(9, 100)
				before := w.checkpoints.Get("orders")
				close(resume)
				time.Sleep(5 * time.Second)
				if n := blue.toldOf(is[fact.Fenced]); n != 1 {
					t.Errorf("told %d times that it is fenced, want once", n)
				}
				time.Sleep(10 * ttl)
				if diff := cmp.Diff(before, w.checkpoints.Get("orders")); diff != "" {
					t.Errorf("the checkpoint changed (-before +after):\n%s", diff)
				}
				if n := len(w.letters.Letters("dlq")); n != 0 {
					t.Errorf("%d dead letters of a term that is over", n)
				}
				blue.wantState(state.Standby, "standby")
			})
		})
	}
}

// takeOver is what another leader does under a term: it takes over and saves a position.
func (w *world) takeOver(term, seq int64) {
	w.Helper()
	w.leases.Delete("orders")
	_, err := w.leases.Acquire(w.Context(), store.AcquireRequest{
		Stream: "orders", Owner: "x", MinTerm: term, TTL: time.Hour,
	})
	if err != nil {
		w.Fatal(err)
	}
	old, err := w.checkpoints.Raise(w.Context(), "orders", term)
	if err != nil {
		w.Fatal(err)
	}
	err = w.checkpoints.Save(w.Context(), store.Save{
		ID: "orders", Term: term, Seq: seq, Owner: "x", Position: old.Position, Scope: old.Scope,
	})
	if err != nil {
		w.Fatal(err)
	}
}
