package lease_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// inRounds starts a leader of each of n streams, all in one process, whose renewals go out in
// rounds, and returns them once all of them have joined.
func (b *bundle) inRounds(n int, options ...option) []*instance {
	b.Helper()
	var rounds lease.Rounds
	var leaders []*instance
	for i := range n {
		name := fmt.Sprintf("s%d", i)
		options := append(options, ofStream(name), withRounds(&rounds))
		leaders = append(leaders, b.start(name, options...))
		b.pass(1700 * time.Millisecond)
	}
	b.pass(2 * heartbeat)
	for _, i := range leaders {
		if !i.leads() {
			b.Fatalf("%s does not lead", i.owner)
		}
	}
	return leaders
}

// renewals returns when the renewals of an instance went out, since a time.
func (i *instance) renewals(since time.Time) []time.Duration {
	var at []time.Duration
	for _, t := range i.oracle.times(i.owner, "renews") {
		if t.After(since) {
			at = append(at, t.Sub(since))
		}
	}
	return at
}

// wantTogether checks that leaders were renewed at the same n moments since a time.
func (b *bundle) wantTogether(leaders []*instance, since time.Time, n int) {
	b.Helper()
	first := leaders[0].renewals(since)
	for _, i := range leaders {
		got := i.renewals(since)
		if len(got) != n || fmt.Sprint(got) != fmt.Sprint(first) {
			b.Errorf("renewals of %s at %v, want %d at %v", i.owner, got, n, first)
		}
	}
}

func TestRenewalsOfAllLeasesGoOutTogether(t *testing.T) {
	bubble(t, func(b *bundle) {
		leaders := b.inRounds(10, withoutWatch)
		since := time.Now()
		b.pass(10 * heartbeat)
		b.wantTogether(leaders, since, 10)
		for _, i := range leaders {
			for n, at := range i.renewals(b.began) { // also the first ones
				if at%heartbeat != 0 {
					b.Errorf("renewal %d of %s came at %v", n, i.owner, at)
				}
			}
		}
	})
}

func TestOneSlowRenewalDelaysNoOther(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault memstore.Fault
		hangs bool
	}{
		{name: "slow", fault: memstore.Fault{Before: 4 * time.Second}},
		{name: "never answered", fault: memstore.Fault{Before: time.Hour}},
		{name: "hangs", hangs: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				hang := make(chan struct{})
				defer close(hang)
				if test.hangs {
					test.fault.Hang = hang
				}
				leaders := b.inRounds(10)
				b.leases.SetFault(of("s3", test.fault, memstore.Renew))
				since := time.Now()
				b.pass(2 * heartbeat)
				b.wantTogether(append(leaders[:3:3], leaders[4:]...), since, 2)
			})
		})
	}
}

func TestARenewalThatHangsDelaysNoEndOfTrustOfOthers(t *testing.T) {
	bubble(t, func(b *bundle) {
		leaders := b.inRounds(10)
		hang := make(chan struct{})
		defer close(hang)
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			if c.Owner == "s3" {
				return memstore.Fault{Hang: hang}
			}
			return memstore.Fault{Fail: errDown}
		})
		last := b.oracle.times("s0", "renews")
		run := leaders[0].now()
		b.loses(run, ttl)
		if at := time.Since(last[len(last)-1]); at != trust {
			b.Errorf("trust ended %v after the last renewal, want %v", at, trust)
		}
		b.pass(0)
		for _, i := range leaders {
			if i.leads() {
				b.Errorf("%s still leads", i.owner)
			}
		}
	})
}

func TestARenewalThatFailedRejoinsTheRounds(t *testing.T) {
	bubble(t, func(b *bundle) {
		leaders := b.inRounds(10)
		b.leases.SetFault(of("s3", memstore.Fault{Fail: errDown}, memstore.Renew))
		since := time.Now()
		b.until("it fails", heartbeat, func() bool {
			return count[lease.RenewalFailed](leaders[3]) > 2
		})
		b.leases.SetFault(nil)
		b.pass(heartbeat)
		if n := len(leaders[3].renewals(since)); n < 4 {
			b.Errorf("%d renewals: the failed ones were not repeated", n)
		}
		since = time.Now()
		b.pass(3 * heartbeat)
		b.wantTogether(leaders, since, 3)
	})
}

func TestALeaderThatAsksEarlyRejoinsTheRounds(t *testing.T) {
	bubble(t, func(b *bundle) {
		leaders := b.inRounds(10)
		since := time.Now()
		b.pass(time.Second)
		leaders[3].watcher.Nudge("s3")
		leaders[4].watcher.Nudge("s3") // which is no affair of s4's
		b.pass(0)
		if got := leaders[3].renewals(since); len(got) != 1 {
			b.Errorf("%d renewals after a nudge", len(got))
		}
		if got := leaders[4].renewals(since); len(got) != 0 {
			b.Errorf("%d renewals after a nudge of another stream", len(got))
		}
		since = time.Now()
		b.pass(3 * heartbeat)
		b.wantTogether(leaders, since, 3)
	})
}

// A round is never waited for longer than a heartbeat, so that rounds cost no trust.
func TestRoundsPostponeNoRenewal(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(stream int) memstore.Fault
	}{
		{name: "answered"},
		{name: "slowly answered", fault: func(stream int) memstore.Fault {
			return memstore.Fault{After: time.Duration(stream) * 400 * time.Millisecond}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				if test.fault != nil {
					b.leases.SetFault(func(c memstore.Call) memstore.Fault {
						return test.fault(int(c.Owner[1] - '0'))
					})
				}
				leaders := b.inRounds(10)
				b.pass(5 * heartbeat)
				for _, i := range leaders {
					last := b.oracle.times(i.owner, "acquires")[0]
					for n, at := range b.oracle.times(i.owner, "renews") {
						if gap := at.Sub(last); gap > heartbeat {
							b.Errorf("renewal %d of %s came after %v", n, i.owner, gap)
						}
						last = at
					}
					b.wantLed(i, 1)
				}
			})
		})
	}
}

func TestLeasesOfOtherHeartbeatsHaveRoundsOfTheirOwn(t *testing.T) {
	bubble(t, func(b *bundle) {
		var rounds lease.Rounds
		beat := func(d time.Duration) option {
			return func(_ *instance, c *lease.Config) { c.Heartbeat = d }
		}
		var slow, fast []*instance
		for _, name := range []string{"a", "b", "c"} {
			slow = append(slow, b.start(name, ofStream(name), withRounds(&rounds)))
			b.pass(3 * time.Second)
			name += "2"
			fast = append(fast, b.start(name, ofStream(name), withRounds(&rounds),
				beat(7*time.Second)))
			b.pass(4 * time.Second)
		}
		b.pass(2 * heartbeat)
		since := time.Now()
		b.pass(7 * heartbeat)
		b.wantTogether(slow, since, 7)
		b.wantTogether(fast, since, 15)
	})
}

func TestALeaseThatIsTakenAgainRejoinsTheRounds(t *testing.T) {
	bubble(t, func(b *bundle) {
		leaders := b.inRounds(3)
		b.pass(time.Second)
		leaders[1].now().l.HandOver(store.SteppedDown)
		b.pass(ttl + time.Second)
		b.wantLed(leaders[1], 2)
		b.pass(heartbeat)
		since := time.Now()
		b.pass(3 * heartbeat)
		b.wantTogether(leaders, since, 3)
	})
}
