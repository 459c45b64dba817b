package lane_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/lane"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a lane in virtual time whose steps a test decides about.
type bundle struct {
	*testing.T
	*lane.Serial
	stop context.CancelFunc
	step lane.Step

	mu    sync.Mutex // guards steps
	steps []position.Slot
}

// run runs f with a lane that was started.
func run(t *testing.T, step lane.Step, f func(b *bundle)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{T: t, step: step}
		b.Serial = lane.NewSerial(b.note)
		stop, cancel := context.WithCancel(t.Context())
		b.stop = cancel
		b.Start(stop, context.WithValue(t.Context(), key{}, "handling"))
		f(b)
		b.stop()
		<-b.Done()
	})
}

// key marks the context that steps get.
type key struct{}

func (b *bundle) note(ctx context.Context, d *delivery.Delivery) delivery.Next {
	b.mu.Lock()
	b.steps = append(b.steps, d.Slot)
	b.mu.Unlock()
	return b.step(ctx, d)
}

// submit submits deliveries with these slots.
func (b *bundle) submit(slots ...position.Slot) {
	for _, slot := range slots {
		b.Submit(delivery.New(readertest.Insert(int(slot)), slot))
	}
}

func (b *bundle) wantSteps(slots ...position.Slot) {
	b.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if diff := cmp.Diff(slots, b.steps); diff != "" {
		b.Errorf("steps (-want +got):\n%s", diff)
	}
}

// stopped reports whether the lane is done.
func (b *bundle) stopped() bool {
	synctest.Wait()
	select {
	case <-b.Done():
		return true
	default:
		return false
	}
}

func done(context.Context, *delivery.Delivery) delivery.Next { return delivery.Next{Done: true} }

func TestEventsAreHandledInTheirOrder(t *testing.T) {
	run(t, done, func(b *bundle) {
		b.submit(1, 2, 3)
		b.wantSteps(1, 2, 3)
		b.submit(4)
		b.wantSteps(1, 2, 3, 4)
	})
}

func TestEverythingBehindARetriedEventWaits(t *testing.T) {
	tries := 0
	step := func(_ context.Context, d *delivery.Delivery) delivery.Next {
		if d.Slot == 1 && tries < 2 {
			tries++
			return delivery.Next{Wait: time.Minute}
		}
		return delivery.Next{Done: true}
	}
	run(t, step, func(b *bundle) {
		b.submit(1, 2)
		b.wantSteps(1)
		time.Sleep(time.Minute)
		b.wantSteps(1, 1)
		time.Sleep(time.Minute)
		b.wantSteps(1, 1, 1, 2)
	})
}

func TestB109StopEndsAWaitAtOnceAndNothingIsStepped(t *testing.T) {
	step := func(context.Context, *delivery.Delivery) delivery.Next {
		return delivery.Next{Wait: 10 * time.Minute}
	}
	run(t, step, func(b *bundle) {
		b.submit(1, 2)
		b.wantSteps(1)
		began := time.Now()
		b.stop()
		<-b.Done()
		if took := time.Since(began); took != 0 {
			t.Errorf("the wait went on for %s", took)
		}
		b.wantSteps(1)
	})
}

func TestEventThatWaitsForEverEndsWithTheStop(t *testing.T) {
	step := func(context.Context, *delivery.Delivery) delivery.Next {
		return delivery.Next{Wait: -1}
	}
	run(t, step, func(b *bundle) {
		b.submit(1, 2)
		time.Sleep(1000 * time.Hour)
		b.wantSteps(1)
		b.stop()
		if !b.stopped() {
			t.Error("the lane still runs")
		}
	})
}

func TestQueuedEventsAreNotStartedAfterTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		steps := 0
		l := lane.NewSerial(func(context.Context, *delivery.Delivery) delivery.Next {
			steps++
			<-release
			return delivery.Next{Done: true}
		})
		stop, cancel := context.WithCancel(t.Context())
		l.Start(stop, t.Context())
		for slot := range position.Slot(3) {
			l.Submit(delivery.New(readertest.Insert(1), slot))
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		select {
		case <-l.Done():
			t.Fatal("the lane is done while a handler runs")
		default:
		}
		close(release)
		<-l.Done()
		if steps != 1 {
			t.Errorf("steps: got %d, want the one that ran", steps)
		}
	})
}

func TestHandlersGetALiveContextAfterTheStop(t *testing.T) {
	alive := make(chan error, 1)
	var b *bundle
	step := func(ctx context.Context, _ *delivery.Delivery) delivery.Next {
		b.stop()
		if ctx.Value(key{}) != "handling" {
			t.Error("the step got another context than handlers are meant to get")
		}
		alive <- ctx.Err()
		return delivery.Next{Done: true}
	}
	run(t, step, func(running *bundle) {
		b = running
		b.submit(1)
		if err := <-alive; err != nil {
			t.Errorf("the context of the handler that runs: %v", err)
		}
	})
}

func TestSubmitNeverBlocks(t *testing.T) {
	block := func(ctx context.Context, _ *delivery.Delivery) delivery.Next {
		<-ctx.Done()
		return delivery.Next{Done: true}
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := lane.NewSerial(block)
		ctx, cancel := context.WithCancel(t.Context())
		l.Start(ctx, ctx)
		for slot := range position.Slot(10_000) {
			l.Submit(delivery.New(readertest.Insert(1), slot))
		}
		cancel()
		<-l.Done()
	})
}

func TestRunningNamesTheHandlerThatRunsAndSinceWhen(t *testing.T) {
	step := func(context.Context, *delivery.Delivery) delivery.Next {
		time.Sleep(time.Minute)
		return delivery.Next{Done: true}
	}
	run(t, step, func(b *bundle) {
		if d, _ := b.Running(); d != nil {
			t.Errorf("nothing was submitted, and %s runs", d.ID)
		}
		began := time.Now()
		b.submit(1)
		time.Sleep(time.Second)
		if d, since := b.Running(); d == nil || d.Slot != 1 || !since.Equal(began) {
			t.Errorf("running: got %v since %s, want slot 1 since %s", d, since, began)
		}
		time.Sleep(time.Minute)
		if d, _ := b.Running(); d != nil {
			t.Errorf("%s has returned, and still counts as running", d.ID)
		}
	})
}

func TestWaitingEventIsNotRunning(t *testing.T) {
	step := func(context.Context, *delivery.Delivery) delivery.Next {
		return delivery.Next{Wait: time.Hour}
	}
	run(t, step, func(b *bundle) {
		b.submit(1)
		synctest.Wait()
		if d, _ := b.Running(); d != nil {
			t.Errorf("%s waits, and counts as running", d.ID)
		}
	})
}

func TestB100HandlerThatEndsItsGoroutineIsSteppedAgainInItsPlace(t *testing.T) {
	gone := 0
	step := func(_ context.Context, d *delivery.Delivery) delivery.Next {
		if d.Slot == 2 && gone < 3 {
			gone++
			runtime.Goexit()
		}
		return delivery.Next{Done: true}
	}
	run(t, step, func(b *bundle) {
		b.submit(1, 2, 3)
		b.wantSteps(1, 2, 2, 2, 2, 3)
		b.stop()
		if !b.stopped() {
			t.Error("the lane does not end")
		}
	})
}

func TestB100GoexitAfterTheStopEndsTheLane(t *testing.T) {
	var b *bundle
	step := func(context.Context, *delivery.Delivery) delivery.Next {
		b.stop()
		runtime.Goexit()
		return delivery.Next{}
	}
	run(t, step, func(running *bundle) {
		b = running
		b.submit(1, 2)
		b.wantSteps(1)
		if !b.stopped() {
			t.Error("the lane does not end")
		}
	})
}

func TestLaneThatIsStoppedBeforeItStartsHandlesNothing(t *testing.T) {
	t.Parallel()
	l := lane.NewSerial(func(context.Context, *delivery.Delivery) delivery.Next {
		t.Error("something was handled")
		return delivery.Next{Done: true}
	})
	l.Submit(delivery.New(readertest.Insert(1), 0))
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	l.Start(stop, t.Context())
	<-l.Done()
}

// Whatever steps answer, each event is stepped until it is done before the next one is.
func TestOrderIsKeptAndNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		const again, leave = 0, 1
		script := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(again, leave), 0, 4), 1, 20).
			Draw(rt, "script")
		var want, got []position.Slot
		synctest.Test(t, func(t *testing.T) {
			for slot, steps := range script {
				for range len(steps) + 1 {
					want = append(want, position.Slot(slot))
				}
			}
			l := lane.NewSerial(func(_ context.Context, d *delivery.Delivery) delivery.Next {
				got = append(got, d.Slot)
				left := script[d.Slot]
				if len(left) == 0 {
					return delivery.Next{Done: true}
				}
				script[d.Slot] = left[1:]
				if left[0] == leave {
					runtime.Goexit()
				}
				return delivery.Next{Wait: time.Second}
			})
			stop, cancel := context.WithCancel(t.Context())
			l.Start(stop, t.Context())
			for slot := range script {
				l.Submit(delivery.New(readertest.Insert(1), position.Slot(slot)))
			}
			time.Sleep(time.Hour)
			cancel()
			<-l.Done()
		})
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("steps (-want +got):\n%s", diff)
		}
	})
}
