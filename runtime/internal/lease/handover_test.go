package lease_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestALeaderThatHandsOverDrainsAndSitsOutOneTTL(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(3*time.Second))
		c := b.start("c")
		run := a.now()
		b.pass(10 * time.Second)
		run.l.HandOver(store.StreamFailing)
		b.pass(3*time.Second - time.Millisecond)
		if a.now() != run || !run.l.Trusted() || b.leases.Get(stream).Owner != "a" {
			b.Error("want a to drain under its lease")
		}
		b.await(c, moment)
		until := b.began.Add(13*time.Second + ttl)
		if s := all[lease.SittingOut](a); len(s) != 1 || !s[0].Until.Equal(until) {
			b.Errorf("reports = %+v, want %v", s, until)
		}
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.StreamFailing {
			b.Errorf("reports = %+v", r)
		}
		asked := b.oracle.count("a", "acquires")
		b.pass(time.Until(until) - time.Millisecond)
		if n := count[lease.Standby](a); n != 0 {
			b.Errorf("a said %d times that it stands by, and not that it sits out", n)
		}
		if n := b.oracle.count("a", "acquires") - asked; n != 0 {
			b.Errorf("a asked %d times while it sat out", n)
		}
		b.pass(time.Second)
		if n := count[lease.Standby](a); n == 0 {
			b.Error("a does not stand by after one ttl")
		}
		if b.leader() != c {
			b.Error("c leads no longer")
		}
	})
}

func TestALeaderThatHandsOverToNobodyLeadsAgainAfterOneTTL(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
	}{
		{name: "watch"},
		{name: "no watch", options: []option{withoutWatch}},
		{name: "priority", options: []option{withPriority(5)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", test.options...)
				for range 3 {
					b.pass(time.Second)
					a.now().l.HandOver(store.StreamFailing)
					b.pass(0)
					if b.leader() != nil {
						b.Fatal("a did not hand over")
					}
					if took := b.await(a, ttl+moment); took < ttl {
						b.Errorf("a leads again after %v", took)
					}
				}
			})
		})
	}
}

func TestNothingEndsTheSittingOut(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		b.pass(time.Second)
		a.now().l.HandOver(store.StreamFailing)
		b.await(c, moment)
		asked := b.oracle.count("a", "acquires")
		c.stop() // which the watch tells of
		b.pass(time.Second)
		b.hold(time.Second)
		b.pass(2 * time.Second)
		a.watcher.Nudge(stream)
		b.pass(time.Second)
		b.leases.BreakWatches(errDown)
		b.pass(ttl - 10*time.Second)
		if n := b.oracle.count("a", "acquires") - asked; n != 0 || b.leader() != nil {
			b.Errorf("a asked %d times while it sat out", n)
		}
		b.await(a, 10*time.Second)
	})
}

func TestAStopWhileSittingOutIsAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		a.now().l.HandOver(store.SteppedDown)
		b.pass(time.Second)
		a.stop()
		b.until("Run returns", 0, a.hasEnded)
	})
}

func TestTheFirstReasonToGiveALeaseBackStays(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(2*time.Second))
		run := a.now()
		b.hold(5 * time.Second)
		b.pass(time.Second)
		run.l.HandOver(store.StreamFailing)
		run.l.HandOver(store.SteppedDown)
		b.pass(time.Second)
		if got := run.l.Reason(); got != store.Held {
			b.Errorf("Reason = %s", got)
		}
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.Held {
			b.Errorf("reports = %+v", r)
		}
		if took := b.await(a, ttl+moment); took < ttl {
			b.Errorf("a leads again after %v: it was asked to hand over, too", took)
		}
	})
}

func TestAHigherPriorityComesBackAfterItsSittingOut(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withPriority(1))
		c := b.start("c")
		b.pass(time.Second)
		a.now().l.HandOver(store.StreamFailing)
		b.await(c, moment)
		if took := b.await(a, ttl+moment); took < ttl-moment {
			b.Errorf("a leads again after %v", took)
		}
		if r := all[lease.Released](c); len(r) != 1 || r[0].Reason != store.SteppedDown {
			b.Errorf("reports = %+v", r)
		}
	})
}

func TestALeaderWhoseTrustEndsWhileItHandsOverSitsOut(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(2*ttl))
		run := a.now()
		run.l.HandOver(store.StreamFailing)
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		b.loses(run, ttl)
		b.until("a has drained", 2*ttl, func() bool { return a.now() == nil })
		if took := b.await(a, ttl+moment); took < ttl-time.Second {
			b.Errorf("a leads again after %v", took)
		}
	})
}

func TestAReluctantStandbyLeavesAFreeLeaseToOthers(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c", func(_ *instance, cfg *lease.Config) {
			cfg.Reluctance = func() time.Duration { return time.Second / 4 }
		})
		b.leases.SetFault(of("d", memstore.Fault{Before: time.Second / 10}, memstore.Acquire))
		d := b.start("d")
		b.pass(time.Second)
		a.stop()
		b.await(d, time.Second)
		b.pass(time.Second)
		d.stop()
		if took := b.await(c, time.Second/4+moment); took < time.Second/4 {
			b.Errorf("c led after %v", took)
		}
	})
}

func TestTheEndOfALeadershipIsToldLast(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(b *bundle, a *instance)
		want []lease.Report // types of
	}{
		{
			name: "handed over",
			end:  func(_ *bundle, a *instance) { a.now().l.HandOver(store.SteppedDown) },
			want: []lease.Report{
				lease.Acquired{}, lease.Released{}, lease.SittingOut{}, lease.Ended{},
			},
		},
		{
			name: "stopped",
			end:  func(_ *bundle, a *instance) { a.stop() },
			want: []lease.Report{lease.Acquired{}, lease.Released{}, lease.Ended{}},
		},
		{
			name: "killed",
			end:  func(_ *bundle, a *instance) { a.kill() },
			want: []lease.Report{lease.Acquired{}, lease.Ended{}},
		},
		{
			name: "lost",
			end: func(b *bundle, _ *instance) {
				b.leases.Delete(stream)
				_, _ = b.leases.Acquire(context.Background(), store.AcquireRequest{
					Stream: stream, Owner: "x", MinTerm: 9, TTL: ttl,
				})
			},
			want: []lease.Report{lease.Acquired{}, lease.TrustEnded{}, lease.Ended{}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a")
				test.end(b, a)
				b.pass(0)
				b.wantReports(a, test.want)
			})
		})
	}
}

// wantReports checks the types of the first reports of an instance.
func (b *bundle) wantReports(i *instance, want []lease.Report) {
	b.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.reports) < len(want) {
		b.Fatalf("reports = %+v", i.reports)
	}
	for n, r := range want {
		if got := i.reports[n]; reflect.TypeOf(got) != reflect.TypeOf(r) {
			b.Errorf("report %d = %T%+v, want a %T", n, got, got, r)
		}
	}
}
