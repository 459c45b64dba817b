package supervisor_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

// deaf is a source that can't be opened, as of a process whose network is broken half.
type deaf struct{}

func (deaf) Open(context.Context, reader.From) (reader.Cursor, func() bson.Raw, error) {
	return nil, nil, errDown
}

func withDeafReader(_ *instance, c *supervisor.Config) {
	c.Source = func() (reader.Source, store.Scope) { return deaf{}, store.Scope{} }
}

// yielding makes a leader yield after n failures where other says that another is live.
func yielding(n int, other func() (bool, error)) option {
	return func(_ *instance, c *supervisor.Config) {
		c.Yield = n
		c.OtherLive = func(context.Context) (bool, error) { return other() }
	}
}

func is3(times int) func() (bool, error) {
	return func() (bool, error) { times++; return times > 3, nil }
}

func another() (bool, error) { return true, nil }
func nobody() (bool, error)  { return false, nil }
func unknown() (bool, error) { return false, errDown }

func TestALeaderWhoseReaderKeepsFailingHandsTheStreamOver(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", withDeafReader, yielding(3, another))
		green := w.start("green", yielding(3, nobody))
		time.Sleep(30 * time.Second)
		got := blue.wantState(state.Standby, "handed_over")
		if left := time.Until(got.NextRetry); left <= 0 || left > ttl {
			t.Errorf("contends again in %s, want within a ttl", left)
		}
		green.wantState(state.Running, "")
		if l := w.leases.Get("orders"); !l.Granted("green/1") || l.Term != 2 {
			t.Errorf("lease: got %+v", l)
		}
		if n := blue.toldOf(func(f fact.Fact) bool {
			r, ok := f.(fact.LeaseReleased)
			return ok && r.Reason == string(store.StreamFailing)
		}); n != 1 {
			t.Errorf("told of %d releases of a failing stream, want one", n)
		}
		next := w.oplog.Insert(2)
		time.Sleep(10 * time.Second)
		green.wantHandledLast(next.ID())
	})
}

func TestALeaderYieldsOnlyForAnotherThatIsLive(t *testing.T) {
	for name, test := range map[string]struct {
		yield int
		other func() (bool, error)
	}{
		"nobody else":   {yield: 3, other: nobody},
		"can't tell":    {yield: 3, other: unknown},
		"never":         {yield: 0, other: another},
		"not yet":       {yield: 100, other: another},
		"asked again":   {yield: 2, other: is3(-1000)},
		"nobody to ask": {yield: 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				option := yielding(test.yield, test.other)
				if test.other == nil {
					option = func(_ *instance, c *supervisor.Config) { c.Yield = test.yield }
				}
				blue := w.start("blue", withDeafReader, option)
				time.Sleep(5 * time.Minute)
				if got := blue.Snapshot(); !got.Leads || got.Term != 1 {
					t.Errorf("got %+v, want it to go on leading", got)
				}
			})
		})
	}
}

// The count begins again with progress: an event that was settled.
func TestProgressEndsTheFailuresThatALeaderYieldsFor(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", yielding(3, another))
		for n := range 10 {
			w.breakReader(2)
			time.Sleep(20 * time.Second)
			e := w.oplog.Insert(n + 1)
			blue.wantHandledLast(e.ID())
		}
		if got := blue.Snapshot(); got.Term != 1 {
			t.Errorf("term %d, want the first", got.Term)
		}
		w.breakReader(3)
		time.Sleep(20 * time.Second)
		if l := w.leases.Get("orders"); l.Released != store.StreamFailing {
			t.Errorf("lease: got %+v, want it released as failing", l)
		}
	})
}

func TestStepDownDrainsReleasesAndSitsOut(t *testing.T) {
	bubble(t, func(w *world) {
		release := make(chan struct{})
		blue := w.start("blue", handling(func(context.Context, *delivery.Delivery) error {
			<-release
			return nil
		}))
		green := w.start("green")
		first := w.oplog.Insert(1)
		synctest.Wait()
		stepped := make(chan error, 1)
		go func() { stepped <- blue.StepDown(w.Context()) }()
		time.Sleep(5 * time.Second)
		if l := w.leases.Get("orders"); !l.Granted("blue/1") {
			t.Errorf("lease: got %+v, released while its handler runs", l)
		}
		second := w.oplog.Insert(2)
		close(release)
		if err := <-stepped; err != nil {
			t.Error(err)
		}
		if l := w.leases.Get("orders"); l.Released != store.SteppedDown {
			t.Errorf("lease: got %+v, want it released", l)
		}
		blue.wantState(state.Standby, "handed_over")
		time.Sleep(ttl / 2)
		blue.wantHandled(first)
		green.wantHandled(second)
		time.Sleep(ttl)
		blue.wantState(state.Standby, "standby")
	})
}

func TestStepDownOfASoleInstanceEndsAfterOneTTL(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue")
		if err := blue.StepDown(w.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ttl - time.Second)
		blue.wantState(state.Standby, "handed_over")
		time.Sleep(2 * time.Second)
		if got := blue.Snapshot(); !got.Leads || got.Term != 2 {
			t.Errorf("got %+v, want it to lead again", got)
		}
	})
}

func TestStepDownNamesTheHandlerThatHoldsItUp(t *testing.T) {
	bubble(t, func(w *world) {
		release := make(chan struct{})
		blue := w.start("blue", handling(func(context.Context, *delivery.Delivery) error {
			<-release
			return nil
		}))
		e := w.oplog.Insert(1)
		synctest.Wait()
		began := time.Now()
		err := blue.StepDown(w.Context())
		if err == nil || !strings.Contains(err.Error(), e.ID()) || time.Since(began) != drain {
			t.Errorf("got %v after %s, want the event named after %s", err, time.Since(began), drain)
		}
		close(release)
		synctest.Wait()
		if l := w.leases.Get("orders"); l.Released != store.SteppedDown {
			t.Errorf("lease: got %+v, want it released once the handler has returned", l)
		}
	})
}

func TestOnlyALeaderStepsDown(t *testing.T) {
	bubble(t, func(w *world) {
		w.start("blue")
		green := w.start("green")
		time.Sleep(10 * time.Second)
		if err := green.StepDown(w.Context()); err == nil || !strings.Contains(err.Error(), "blue") {
			t.Errorf("got %v, want the leader named", err)
		}
		all := w.start("all", everywhere)
		if err := all.StepDown(w.Context()); err == nil || !strings.Contains(err.Error(), "every") {
			t.Errorf("got %v, want that there is no leader", err)
		}
	})
}

func TestAStreamOnEveryInstanceIsHeld(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", everywhere)
		first := w.oplog.Insert(1)
		synctest.Wait()
		held := store.HoldRequest{Stream: "orders", By: "ann", Reason: "migration"}
		if err := w.leases.Hold(w.Context(), held); err != nil {
			t.Fatal(err)
		}
		if err := blue.AwaitHeld(w.Context()); err != nil {
			t.Fatal(err)
		}
		second := w.oplog.Insert(2)
		time.Sleep(time.Minute)
		got := blue.wantState(state.Held, "held")
		if !strings.Contains(got.Reason, "ann") || !strings.Contains(got.Reason, "migration") {
			t.Errorf("reason: %s", got.Reason)
		}
		blue.wantHandled(first)
		late := w.start("green", everywhere, func(_ *instance, c *supervisor.Config) {
			c.CheckpointID = "orders#green"
		})
		late.wantState(state.Held, "held")
		if err := w.leases.Lift(w.Context(), "orders"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		blue.wantHandled(first, second)
		late.wantState(state.Running, "")
	})
}

func TestHoldNamesTheHandlerThatHoldsItUp(t *testing.T) {
	for name, options := range map[string][]option{
		"leader": nil, "every instance": {everywhere},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				release := make(chan struct{})
				block := handling(func(context.Context, *delivery.Delivery) error {
					<-release
					return nil
				})
				blue := w.start("blue", append(options, block)...)
				e := w.oplog.Insert(1)
				synctest.Wait()
				held := store.HoldRequest{Stream: "orders", By: "ann"}
				if err := w.leases.Hold(w.Context(), held); err != nil {
					t.Fatal(err)
				}
				err := blue.AwaitHeld(w.Context())
				if err == nil || !strings.Contains(err.Error(), e.ID()) {
					t.Errorf("got %v, want the event named", err)
				}
				close(release)
				time.Sleep(20 * time.Second)
				blue.wantState(state.Held, "held")
			})
		})
	}
}

func TestAHoldThatCannotBeReadKeepsAStreamFromStarting(t *testing.T) {
	bubble(t, func(w *world) {
		w.fail(failing("Look"))
		blue := w.start("blue", everywhere)
		time.Sleep(time.Minute)
		blue.wantState(state.BackingOff, "lease_unavailable")
		if n := len(w.oplog.Opens()); n != 0 {
			t.Errorf("opened %d times", n)
		}
		w.fail(nil)
		time.Sleep(20 * time.Second)
		blue.wantState(state.Running, "")
		w.fail(failing("Look"))
		e := w.oplog.Insert(1)
		time.Sleep(time.Minute)
		blue.wantState(state.Running, "")
		blue.wantHandled(e)
	})
}

// wantHandledLast checks what was handled last.
func (i *instance) wantHandledLast(id string) {
	i.Helper()
	synctest.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.handled) == 0 || i.handled[len(i.handled)-1] != id {
		i.Errorf("handled %v, want %s last", i.handled, id)
	}
}

// breakReader makes the next n calls to the server fail, of whatever kind.
func (w *world) breakReader(n int) {
	w.oplog.SetFault(func(readertest.Call) error {
		if n--; n < 0 {
			return nil
		}
		return errDown
	})
}
