package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// gated is an instance that runs its stream without a lease, while it is not held.
type gated struct {
	*instance
	begun atomic.Int32  // how often run was called
	runs  atomic.Bool   // now
	leave chan struct{} // closed: run returns by itself
}

// gate starts an instance behind a gate.
func (b *bundle) gate(name string, options ...option) *gated {
	i, cfg := b.prepare(name, options)
	g := &gated{instance: i, leave: make(chan struct{})}
	stop, life := i.lives()
	go func() {
		defer close(i.ended)
		lease.NewGate(cfg).Run(stop, life, func(held <-chan store.Hold) {
			g.begun.Add(1)
			g.runs.Store(true)
			defer g.runs.Store(false)
			select {
			case <-held:
			case <-stop.Done():
			case <-life.Done():
			case <-g.leave:
			}
			if i.drain != nil {
				i.drain()
			}
		})
	}()
	b.pass(0)
	return g
}

// want checks whether run runs, and how often it was called.
func (g *gated) want(runs bool, begun int) {
	g.Helper()
	g.pass(0)
	if got, n := g.runs.Load(), int(g.begun.Load()); got != runs || n != begun {
		g.Errorf("%v: runs = %v after %d calls, want %v after %d", g.elapsed(), got, n, runs, begun)
	}
}

func (g *gated) awaitRuns(runs bool, most time.Duration) time.Duration {
	g.Helper()
	what := map[bool]string{true: "it runs", false: "it has ended"}[runs]
	return g.until(what, most, func() bool { return g.runs.Load() == runs })
}

func (b *bundle) lift() {
	b.Helper()
	if err := b.leases.Lift(context.Background(), stream); err != nil {
		b.Fatal(err)
	}
}

// views are how a gate learns of a hold.
var views = []struct {
	name    string
	options []option
	most    time.Duration
}{
	{name: "watch", options: []option{withPoll(time.Hour)}, most: moment},
	{name: "no watch", options: []option{withoutWatch}, most: poll},
}

func TestAStreamThatIsHeldAtItsStartDoesNotRun(t *testing.T) {
	for _, test := range views {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.hold(0)
				g := b.gate("a", test.options...)
				b.pass(10 * poll)
				g.want(false, 0)
				if h := all[lease.Held](g.instance); len(h) == 0 || h[0].Hold.By != "eva" {
					b.Errorf("reports = %+v", h)
				}
				b.lift()
				g.awaitRuns(true, test.most)
			})
		})
	}
}

func TestAStreamThatBecomesHeldDrainsAndRunsAgain(t *testing.T) {
	for _, test := range views {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				const drain = 3 * time.Second
				g := b.gate("a", append(test.options, withDrain(drain))...)
				g.want(true, 1)
				b.pass(time.Second)
				b.hold(0)
				if took := g.awaitRuns(false, test.most+drain); took < drain {
					b.Errorf("it ended after %v: run was not awaited", took)
				}
				b.pass(10 * poll)
				g.want(false, 1)
				b.lift()
				g.awaitRuns(true, test.most)
				b.pass(10 * poll)
				g.want(true, 2)
			})
		})
	}
}

func TestAHoldOfAGateEndsByItself(t *testing.T) {
	for _, test := range views {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.hold(90 * time.Second)
				g := b.gate("a", append(test.options, withPoll(time.Hour))...)
				b.pass(90*time.Second - time.Nanosecond)
				g.want(false, 0)
				g.awaitRuns(true, 2*moment)
			})
		})
	}
}

func TestAHoldThatIsLiftedDuringTheDrainIsOver(t *testing.T) {
	bubble(t, func(b *bundle) {
		g := b.gate("a", withDrain(5*time.Second))
		b.hold(0)
		b.pass(time.Second)
		b.lift()
		g.want(true, 1)
		b.pass(4*time.Second + moment)
		g.want(true, 2)
	})
}

func TestAGateStaysShutUntilTheStoreCanBeRead(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("", memstore.Fault{Fail: errDown}))
		g := b.gate("a")
		b.pass(10 * ttl)
		g.want(false, 0)
		if n := count[lease.AttemptFailed](g.instance); n < 50 {
			b.Errorf("%d attempts in 10 ttl", n)
		}
		b.leases.SetFault(nil)
		g.awaitRuns(true, heartbeat)
	})
}

func TestAStreamGoesOnWhileTheStoreCannotBeRead(t *testing.T) {
	bubble(t, func(b *bundle) {
		g := b.gate("a", withoutWatch)
		b.leases.SetFault(of("", memstore.Fault{Before: time.Hour}))
		b.pass(10 * ttl)
		g.want(true, 1)
		if n := count[lease.AttemptFailed](g.instance); n != 0 {
			b.Errorf("%d reports of a failure to begin, by a stream that runs", n)
		}
		b.hold(0)
		b.leases.SetFault(nil)
		g.awaitRuns(false, poll) // and not an hour
	})
}

func TestAHoldThatCannotBeReadAtFirstIsReadAgainSoon(t *testing.T) {
	bubble(t, func(b *bundle) {
		g := b.gate("a", withPoll(time.Hour))
		b.leases.SetFault(of("", memstore.Fault{Fail: errDown}))
		b.hold(0)
		b.pass(time.Minute)
		g.want(true, 1)
		b.leases.SetFault(nil)
		g.awaitRuns(false, heartbeat)
	})
}

func TestAHoldThatTheWatchMissedIsReadWhenItIsOpenedAgain(t *testing.T) {
	bubble(t, func(b *bundle) {
		g := b.gate("a", withPoll(time.Hour))
		b.leases.SetFault(of("", memstore.Fault{After: 3 * time.Second}))
		g.watcher.Nudge(stream) // meanwhile it takes no news
		b.leases.BreakWatches(errDown)
		b.pass(0)
		b.hold(0)
		b.pass(2 * time.Second)
		g.want(true, 1)
		b.oracle.tell(store.Lease{Stream: stream}) // old, and not of what was missed
		g.awaitRuns(false, 4*time.Second)
	})
}

// The lease may be that of an instance on which the stream still runs as a single leader's.
func TestALeaseIsNoAffairOfAGate(t *testing.T) {
	bubble(t, func(b *bundle) {
		_, _ = b.leases.Acquire(context.Background(), store.AcquireRequest{
			Stream: stream, Owner: "x", TTL: time.Hour,
		})
		b.hold(0)
		g := b.gate("a", withPoll(time.Hour))
		b.pass(time.Second)
		b.hold(30 * time.Minute)
		b.pass(time.Second)
		g.want(false, 0)
		b.lift()
		g.awaitRuns(true, moment)
		if n := count[lease.Standby](g.instance); n != 0 {
			b.Errorf("said %d times that it stands by", n)
		}
	})
}

func TestManyReadsDisturbNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		g := b.gate("a", withPoll(time.Hour))
		looks := b.oracle.count("a", "looks")
		for range 20 {
			b.oracle.tell(store.Lease{Stream: stream}) // not of a hold
			b.pass(0)
		}
		if n := b.oracle.count("a", "looks") - looks; n != 0 {
			b.Errorf("%d reads for news of no hold", n)
		}
		for range 20 {
			b.oracle.tell(store.Lease{Stream: stream, Hold: &store.Hold{By: "eva"}}) // lifted since
			b.pass(time.Millisecond)
			g.watcher.Nudge(stream)
			b.pass(time.Millisecond)
		}
		g.want(true, 1)
		if n := b.oracle.count("a", "looks") - looks; n != 40 {
			b.Errorf("%d reads for 40 hints", n)
		}
	})
}

func TestAGateNeverWrites(t *testing.T) {
	bubble(t, func(b *bundle) {
		writes := b.writes()
		b.gate("a", withPriority(7))
		g := b.gate("c", withoutWatch)
		b.hold(0)
		b.pass(ttl)
		b.lift()
		b.pass(10 * ttl)
		g.want(true, 2)
		g.stop()
		<-g.ended
		if n := writes(); n != 2 {
			b.Errorf("%d writes, want those of the hold and its end", n)
		}
		for _, m := range []memstore.Method{
			memstore.Acquire, memstore.Renew, memstore.Release, memstore.Withdraw,
		} {
			if n := b.leases.Calls(m); n != 0 {
				b.Errorf("%d calls of %s", n, m)
			}
		}
	})
}

func TestAGateEndsWithItsStream(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*gated)
	}{
		{name: "stop", end: func(g *gated) { g.stop() }},
		{name: "life", end: func(g *gated) { g.kill() }},
		{name: "by itself", end: func(g *gated) { close(g.leave) }},
	} {
		for _, held := range []bool{false, true} {
			if held && test.name == "by itself" {
				continue
			}
			t.Run(test.name, func(t *testing.T) {
				bubble(t, func(b *bundle) {
					if held {
						b.hold(0)
					}
					g := b.gate("a")
					b.pass(time.Second)
					test.end(g)
					b.until("Run returns", 0, g.hasEnded)
				})
			})
		}
	}
}
