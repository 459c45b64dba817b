package lease_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// deaf is the lead of an instance that never gives its lease back.
func deaf(ctx context.Context, _ *lease.Leadership) store.ReleaseReason {
	<-ctx.Done()
	return store.Stopped
}

func TestAContenderAnnouncesItselfOncePerHeartbeat(t *testing.T) {
	for _, test := range []struct {
		name     string
		options  []option
		disabled bool
		looks    int // in 10 heartbeats
	}{
		{name: "watch"},
		{name: "no watch", options: []option{withoutWatch}, looks: 300},
		{name: "a watch that has ended", disabled: true, looks: 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.startLeader("a", withLead(deaf))
				c := b.start("c", append(test.options, withPriority(1), withPoll(time.Hour))...)
				b.pass(time.Second)
				before, writes := b.oracle.count("c", "acquires"), b.writes()
				if test.disabled {
					b.leases.DisableWatch()
				}
				for range 10 * heartbeat / time.Second {
					b.pass(time.Second)
					if l := b.leases.Get(stream); l.Contender == nil || l.Contender.Owner != "c" {
						b.Fatalf("%v: stored lease = %+v", b.elapsed(), l)
					}
				}
				if n := b.oracle.count("c", "acquires") - before; n < 9 || n > 10 {
					b.Errorf("c asked %d times in 10 heartbeats", n)
				}
				if n := writes(); n > 20 {
					b.Errorf("%d writes in 10 heartbeats, those of a included", n)
				}
				if n := b.oracle.count("c", "looks"); n > test.looks || n < test.looks*8/10 {
					b.Errorf("c looked %d times in 10 heartbeats", n)
				}
				if s := all[lease.Standby](c); len(s) == 0 || s[0].Owner != "a" {
					b.Errorf("reports = %+v", s)
				}
			})
		})
	}
}

func TestIdleStandbysWriteNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a", withPriority(1))
		b.start("c", withPriority(1))
		b.start("d", withPriority(1), withoutWatch)
		b.start("e", withoutWatch, withPoll(time.Second))
		b.pass(time.Second)
		renewals, writes := b.leases.Calls(memstore.Renew), b.writes()
		b.pass(10 * ttl)
		if n, want := writes(), b.leases.Calls(memstore.Renew)-renewals; n != want {
			b.Errorf("%d writes, a renewed %d times", n, want)
		}
		if n := b.leases.Calls(memstore.Look); n != 0 {
			b.Errorf("%d looks by standbys that do not contend", n)
		}
	})
}

func TestANewLeaderOfALowerPriorityIsAskedAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withLead(deaf))
		b.start("c", withPriority(1), withPoll(time.Hour))
		b.pass(time.Second)
		a.kill()
		b.leases.Delete(stream)
		ctx := context.Background()
		_, _ = b.leases.Acquire(ctx, store.AcquireRequest{
			Stream: stream, Owner: "x", MinTerm: 9, TTL: time.Hour,
		})
		b.until("c contends", moment, func() bool { return b.leases.Get(stream).Contender != nil })
	})
}

func TestALeaderGoesOnOnceItsContenderIsGone(t *testing.T) {
	for _, test := range []struct {
		name   string
		end    func(*instance)
		lapses time.Duration // after the end, at the most
	}{
		{name: "killed", end: func(i *instance) { i.kill() }, lapses: ttl / 2},
		{name: "stopped", end: func(i *instance) { i.stop() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", withoutWatch)
				b.pass(heartbeat + time.Second)
				c := b.start("c", withPriority(1))
				b.pass(time.Second)
				test.end(c)
				<-c.ended
				b.until("the announcement is gone", test.lapses, func() bool {
					// Meanwhile a hears nothing, as it well may.
					b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
					return b.leases.Get(stream).Contender == nil
				})
				b.leases.SetFault(nil)
				b.pass(10 * ttl)
				if b.leader() != a || a.now().l.Term() != 1 {
					b.Error("a stepped down for nobody")
				}
			})
		})
	}
}

// Its announcement is news to the contender, too, also when the answer is lost.
func TestAContenderWhoseAnswersAreLostAsksWithBackoff(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a", withLead(deaf))
		b.leases.SetFault(of("c", memstore.Fault{Lose: errDown}))
		b.start("c", withPriority(1))
		b.pass(time.Minute)
		if n := b.oracle.count("c", "acquires"); n < 10 || n > 30 {
			b.Errorf("c asked %d times in a minute", n)
		}
	})
}

func TestAStandbyThatDoesNotContendWithdrawsNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		c := b.start("c")
		b.pass(time.Second)
		c.stop()
		<-c.ended
		if n := b.leases.Calls(memstore.Withdraw); n != 0 {
			b.Errorf("%d withdrawals", n)
		}
	})
}

func TestAContenderThatLeadsWithdrawsNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		c := b.start("c", withPriority(1))
		b.await(c, moment)
		c.stop()
		<-c.ended
		if n := b.leases.Calls(memstore.Withdraw); n != 0 {
			b.Errorf("%d withdrawals", n)
		}
	})
}

func TestAWithdrawalIsBounded(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a", withLead(deaf))
		c := b.start("c", withPriority(1))
		b.pass(time.Second)
		b.leases.SetFault(of("c", memstore.Fault{Before: time.Hour}, memstore.Withdraw))
		c.stop()
		b.until("Run returns", time.Second+moment, c.hasEnded)
		if n := b.leases.Calls(memstore.Withdraw); n != 1 {
			b.Errorf("%d withdrawals", n)
		}
	})
}

func TestALeaseThatWasReleasedForADeadContenderIsLedAgain(t *testing.T) {
	for _, test := range []struct {
		name   string
		others []string
		most   time.Duration
	}{
		{name: "alone", most: ttl/2 + moment},
		{name: "with a standby", others: []string{"d"}, most: time.Second + moment},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", withDrain(time.Second))
				run := a.now()
				for _, name := range test.others {
					b.start(name)
				}
				b.pass(time.Second)
				c := b.start("c", withPriority(1))
				b.until("a is asked", moment, func() bool { return run.l.Reason() != "" })
				c.kill()
				b.until("a has released", 2*time.Second, func() bool { return a.now() == nil })
				b.until("somebody leads", test.most, func() bool { return b.leader() != nil })
			})
		})
	}
}

func TestAContenderThatCannotAskAtOnceIsWaitedFor(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
	}{
		{name: "for its announcement"},
		{name: "for half of a ttl", options: []option{withoutWatch}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", test.options...)
				b.pass(heartbeat + time.Second)
				c := b.start("c", withPriority(1), withoutWatch)
				b.pass(0)
				down := func(c memstore.Call) memstore.Fault {
					if c.Owner == "a" {
						return memstore.Fault{}
					}
					return memstore.Fault{Fail: errDown}
				}
				b.leases.SetFault(down)
				b.until("a gives way", heartbeat, func() bool { return a.now() == nil })
				b.pass(20 * time.Second)
				b.leases.SetFault(nil)
				b.await(c, heartbeat)
				b.wantLed(a, 1)
			})
		})
	}
}

func TestALowerPriorityInBetweenEndsNoWaitForAContender(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		d := b.start("d")
		b.pass(time.Second)
		c := b.start("c", withPriority(1))
		b.pass(0)
		c.kill()
		b.await(d, 2*time.Second)
		b.pass(time.Second)
		d.stop()
		if took := b.await(a, ttl/2); took < ttl/2-4*time.Second {
			b.Errorf("a leads again after %v", took)
		}
	})
}

func TestALeaderWaitsForNoContenderThatLeft(t *testing.T) {
	const drain = 5 * time.Second
	for name, left := range map[string]time.Duration{
		"while it drained": drain - time.Second, "after its release": drain + time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", withDrain(drain))
				b.pass(time.Second)
				c := b.start("c", withPriority(1))
				b.pass(moment)
				acquires := of("c", memstore.Fault{Fail: errDown}, memstore.Acquire)
				b.leases.SetFault(acquires)
				b.pass(left)
				c.stop()
				b.pass(max(drain-left, 0))
				b.await(a, time.Second+moment)
			})
		})
	}
}

func TestAContenderLeavesALeaderInPeaceWhileTheStreamIsHeld(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a", withLead(deaf))
		b.start("c", withPriority(1), withPoll(time.Hour))
		b.pass(time.Second)
		b.hold(10 * time.Minute)
		asked := b.oracle.count("c", "acquires")
		b.pass(9 * time.Minute)
		if n := b.oracle.count("c", "acquires") - asked; n != 0 {
			b.Errorf("c asked %d times", n)
		}
	})
}

func TestAContenderThatCameAndWentIsFollowedAtOnce(t *testing.T) {
	for _, priority := range []int{0, -7} {
		t.Run(fmt.Sprint(priority), func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", withPriority(priority))
				c := b.start("c", withPriority(priority+1))
				b.await(c, moment)
				b.pass(2 * time.Second)
				if s := all[lease.Standby](a); len(s) != 1 || s[0].Owner != "c" {
					b.Errorf("reports = %+v, want that c leads", s)
				}
				c.stop()
				b.await(a, moment)
			})
		})
	}
}
