package supervisor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

// over reports whether Run has returned.
func (i *instance) over() bool {
	synctest.Wait()
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}

func TestB129StopSavesThenReleases(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		e := w.oplog.Insert(1)
		i.wantHandled(e)
		before := len(w.noted())
		i.stop()
		synctest.Wait()
		if diff := cmp.Diff([]string{"Save", "Release"}, w.noted()[before:]); diff != "" {
			t.Errorf("calls to the stores (-want +got):\n%s", diff)
		}
		w.wantStored(e)
		if l := w.leases.Get("orders"); l.Released != store.Stopped {
			t.Errorf("lease: got %+v, want released", l)
		}
		i.wantState(state.Stopped, "shutdown")
		next := w.start("green")
		time.Sleep(10 * time.Second)
		next.wantHandled() // nothing is repeated after a clean stop
	})
}

func TestB093RunningHandlerIsDrainedBeforeTheLeaseIsReleased(t *testing.T) {
	bubble(t, func(w *world) {
		var causes []error
		i := w.start("blue", handling(func(ctx context.Context, _ *delivery.Delivery) error {
			time.Sleep(10 * time.Second)
			causes = append(causes, context.Cause(ctx))
			return nil
		}))
		e := w.oplog.Insert(1)
		queued := w.oplog.Insert(2)
		synctest.Wait()
		before := len(w.noted())
		i.stop()
		i.wantState(state.Running, "draining")
		time.Sleep(9 * time.Second)
		if l := w.leases.Get("orders"); !l.Live() {
			t.Error("the lease is released while a handler runs")
		}
		time.Sleep(2 * time.Second)
		if !i.over() {
			t.Fatal("Run goes on")
		}
		if diff := cmp.Diff([]error{nil}, causes); diff != "" {
			t.Errorf("handlers' contexts (-want +got):\n%s", diff)
		}
		i.wantHandled(e)
		if diff := cmp.Diff([]string{"Save", "Release"}, w.noted()[before:]); diff != "" {
			t.Errorf("calls to the stores (-want +got):\n%s", diff)
		}
		if got := w.stored(); got.EventID != e.ID() {
			t.Errorf("stored: got %+v, want the event before %s", got, queued.ID())
		}
	})
}

func TestHandlersContextEndsAfterTheDrainTimeout(t *testing.T) {
	bubble(t, func(w *world) {
		cause := make(chan error, 1)
		i := w.start("blue", withDLQ, handling(func(ctx context.Context, _ *delivery.Delivery) error {
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return ctx.Err()
		}))
		e := w.oplog.Insert(1)
		synctest.Wait()
		stopped := time.Now()
		i.stop()
		if got := <-cause; !errors.Is(got, failure.ErrStopping) {
			t.Errorf("cause: got %v, want %v", got, failure.ErrStopping)
		}
		if took := time.Since(stopped); took != drain {
			t.Errorf("the context lived for %s, want %s", took, drain)
		}
		<-i.ended
		if letters := w.letters.Letters("dlq"); len(letters) != 0 { // B108
			t.Errorf("an interrupted attempt became a dead letter: %v", letters)
		}
		if got := w.stored(); got.EventID != "" {
			t.Errorf("the position moved to %+v", got)
		}
		next := w.start("green")
		next.wantHandled(e)
	})
}

func TestHandlerThatIgnoresItsContextKeepsTheLease(t *testing.T) {
	bubble(t, func(w *world) {
		release := make(chan struct{})
		i := w.start("blue", handling(func(context.Context, *delivery.Delivery) error {
			<-release
			return nil
		}))
		e := w.oplog.Insert(1)
		synctest.Wait()
		err := i.Stream.Stop(w.Context())
		if err == nil || !strings.Contains(err.Error(), e.ID()) {
			t.Errorf("Stop: got %v, want an error that names the event", err)
		}
		time.Sleep(time.Hour)
		if l := w.leases.Get("orders"); !l.Live() || l.Owner != "blue/1" {
			t.Errorf("lease: got %+v, want it renewed while the handler runs", l)
		}
		close(release)
		time.Sleep(time.Second)
		i.wantState(state.Stopped, "manual")
		if l := w.leases.Get("orders"); l.Live() {
			t.Errorf("lease: got %+v, want it released", l)
		}
	})
}

func TestStartOfAStreamThatIsStoppingIsKept(t *testing.T) {
	bubble(t, func(w *world) {
		release := make(chan struct{})
		i := w.start("blue", handling(func(context.Context, *delivery.Delivery) error {
			<-release
			return nil
		}))
		e := w.oplog.Insert(1)
		synctest.Wait()
		if err := i.Stream.Stop(w.Context()); err == nil {
			t.Error("Stop: got nil while a handler runs")
		}
		i.Stream.Start()
		close(release)
		time.Sleep(10 * time.Second)
		i.wantState(state.Running, "")
		second := w.oplog.Insert(2)
		i.wantHandled(e, second)
	})
}

func TestB109StopDuringALongBackoff(t *testing.T) {
	bubble(t, func(w *world) {
		var calls atomic.Int32
		i := w.start("blue", withAttempts(5, 10*time.Minute),
			handling(func(context.Context, *delivery.Delivery) error {
				calls.Add(1)
				return errors.New("broken")
			}))
		w.oplog.Insert(1)
		time.Sleep(time.Minute)
		stopped := time.Now()
		i.stop()
		for !i.over() {
			time.Sleep(time.Millisecond)
		}
		// The reader's last question to the server ends by itself.
		if took := time.Since(stopped); took > time.Second {
			t.Errorf("the stop took %s", took)
		}
		if l := w.leases.Get("orders"); l.Released != store.Stopped {
			t.Errorf("lease: %+v", l)
		}
		if got := calls.Load(); got != 1 {
			t.Errorf("calls: got %d, want 1", got)
		}
	})
}

// The release does not wait for the reader, whose server may not answer.
func TestReleaseDoesNotWaitForTheReader(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		w.oplog.SetFault(func(readertest.Call) error { return readertest.ErrHang })
		time.Sleep(1500 * time.Millisecond)
		i.stop()
		synctest.Wait()
		if l := w.leases.Get("orders"); l.Released != store.Stopped {
			t.Errorf("lease: got %+v, want it released at once", l)
		}
		if i.over() {
			t.Error("Run did not wait for its reader")
		}
		time.Sleep(10 * time.Second)
		if !i.over() {
			t.Error("Run goes on")
		}
		i.wantState(state.Stopped, "shutdown")
	})
}

func TestB129FlushIsBounded(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		e := w.oplog.Insert(1)
		i.wantHandled(e)
		w.fail(func(c memstore.Call) memstore.Fault {
			if c.Method == memstore.Save {
				return memstore.Fault{Before: time.Hour}
			}
			return memstore.Fault{}
		})
		stopped := time.Now()
		i.stop()
		<-i.ended
		if took := time.Since(stopped); took > 6*time.Second {
			t.Errorf("the stop took %s", took)
		}
		if l := w.leases.Get("orders"); l.Released != store.Stopped {
			t.Errorf("lease: %+v", l)
		}
	})
}

func TestLostLeaseEndsHandlersAndWritesNothing(t *testing.T) {
	bubble(t, func(w *world) {
		cause := make(chan error, 1)
		i := w.start("blue", withDLQ, handling(func(ctx context.Context, _ *delivery.Delivery) error {
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return ctx.Err()
		}))
		e := w.oplog.Insert(1)
		synctest.Wait()
		saves := len(w.checkpoints.Saved())
		w.fail(failing(memstore.Renew))
		began := time.Now()
		if got := <-cause; !errors.Is(got, failure.ErrLeaseLost) {
			t.Errorf("cause: got %v, want %v", got, failure.ErrLeaseLost)
		}
		if took := time.Since(began); took > ttl-15*time.Second {
			t.Errorf("the lease was trusted for %s more", took)
		}
		synctest.Wait()
		if got := len(w.checkpoints.Saved()); got != saves {
			t.Error("a position was saved without trust")
		}
		if got := len(w.letters.Letters("dlq")); got != 0 {
			t.Error("a dead letter was written without trust")
		}
		i.wantHandled()
		w.fail(nil)
		i.kill(failure.ErrStopping)
		next := w.start("green")
		time.Sleep(2 * ttl)
		next.wantHandled(e)
	})
}

func TestFencedLeaderStepsBack(t *testing.T) {
	bubble(t, func(w *world) {
		cause := make(chan error, 1)
		i := w.start("blue", handling(func(ctx context.Context, d *delivery.Delivery) error {
			if d.Event.Key.Lookup("_id").AsInt64() == 2 {
				<-ctx.Done()
				select {
				case cause <- context.Cause(ctx):
				default:
				}
				return ctx.Err()
			}
			return nil
		}))
		w.oplog.Insert(1)
		w.oplog.Insert(2)
		synctest.Wait()
		if _, err := w.checkpoints.Raise(w.Context(), "orders", 9); err != nil {
			t.Fatal(err)
		}
		if got := <-cause; !errors.Is(got, failure.ErrFenced) {
			t.Errorf("cause: got %v, want %v", got, failure.ErrFenced)
		}
		synctest.Wait()
		if got := i.toldOf(is[fact.Fenced]); got != 1 {
			t.Errorf("told %d times, want once", got)
		}
		if got := w.checkpoints.Get("orders"); got.Position.EventID != "" {
			t.Errorf("a fenced leader moved the position to %+v", got)
		}
		time.Sleep(10 * time.Second) // and seeks leadership again, above the term it met
		if got := i.Snapshot().Term; got <= 9 {
			t.Errorf("term: got %d, want one above 9", got)
		}
	})
}

func TestSecondProcessUnderTheSameNameFencesTheFirst(t *testing.T) {
	bubble(t, func(w *world) {
		first := w.start("blue", everywhere)
		w.oplog.Insert(1)
		time.Sleep(2 * time.Second)
		second := w.start("blue", everywhere)
		w.oplog.Insert(2)
		time.Sleep(5 * time.Second)
		got := first.wantState(state.Failed, "instance_name_taken")
		for _, part := range []string{"Config.Instance", "FW_INSTANCE"} {
			if !strings.Contains(got.Reason, part) {
				t.Errorf("the reason does not say %s: %s", part, got.Reason)
			}
		}
		if !first.over() {
			t.Error("the first one goes on")
		}
		second.wantState(state.Running, "")
		time.Sleep(time.Hour)
		second.wantState(state.Running, "")
	})
}

func TestEveryInstanceHasItsOwnPosition(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue", everywhere)
		green := w.start("green", everywhere, func(_ *instance, c *supervisor.Config) {
			c.CheckpointID = "orders#green"
		})
		e := w.oplog.Insert(1)
		blue.wantHandled(e)
		green.wantHandled(e)
		time.Sleep(time.Second)
		for _, id := range []string{"orders#blue", "orders#green"} {
			if got := w.checkpoints.Get(id); got.Position.IsZero() || got.Term != 1 {
				t.Errorf("checkpoint %s: got %+v", id, got)
			}
		}
		if blue.Snapshot().Leads {
			t.Error("a stream without a lease says that it leads")
		}
	})
}

func TestStandbyTakesOverWhereTheLeaderStopped(t *testing.T) {
	bubble(t, func(w *world) {
		blue, green := w.start("blue"), w.start("green")
		blue.wantState(state.Running, "")
		got := green.wantState(state.Standby, "standby")
		if !strings.Contains(got.Reason, "blue") {
			t.Errorf("the reason does not name the leader: %s", got.Reason)
		}
		first := w.oplog.Insert(1)
		blue.wantHandled(first)
		green.wantHandled()
		blue.stop()
		<-blue.ended
		second := w.oplog.Insert(2)
		time.Sleep(10 * time.Second)
		green.wantState(state.Running, "")
		green.wantHandled(second)
		if got := green.Snapshot().Term; got != 2 {
			t.Errorf("term: got %d, want 2", got)
		}
	})
}

func TestHoldStopsTheStreamAndSaysWhy(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		w.leases.Hold(context.Background(), store.HoldRequest{
			Stream: "orders", By: "ann", Reason: "migration",
		})
		time.Sleep(20 * time.Second)
		got := i.wantState(state.Held, "held")
		if !strings.Contains(got.Reason, "ann") || !strings.Contains(got.Reason, "migration") {
			t.Errorf("reason: %s", got.Reason)
		}
		if l := w.leases.Get("orders"); l.Released != store.Held {
			t.Errorf("lease: %+v", l)
		}
		e := w.oplog.Insert(1)
		time.Sleep(time.Minute)
		i.wantHandled()
		w.leases.Lift(context.Background(), "orders")
		time.Sleep(20 * time.Second)
		i.wantHandled(e)
	})
}

func TestStatesAreToldInOrder(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		i.stop()
		<-i.ended
		var states []string
		i.mu.Lock()
		defer i.mu.Unlock()
		for _, f := range i.facts {
			if s, ok := f.(fact.StateChanged); ok {
				states = append(states, s.To+" "+s.Code)
			}
		}
		want := []string{"starting taking_over", "starting opening", "running ", "stopped shutdown"}
		if !slices.Equal(want, states) {
			t.Errorf("states: got %q, want %q", states, want)
		}
	})
}
