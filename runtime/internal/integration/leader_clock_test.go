package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// Steps of the wall clock. One back is nothing, to the leader as to a standby, and neither is one
// forward to a standby: it trusts nothing. One forward of the leader looks like a suspend: it steps
// down, and somebody leads again within a ttl.
func TestLeaderWhoseClockIsStepped(t *testing.T) {
	t.Parallel()
	const step = 10 * time.Minute
	config := quietConfig
	config.Fenced, config.TTL = true, 6*time.Second // no lease is lost but for the clock
	p := newQuietPair(t, sharedNodes(t), config)
	p.letters, p.pause = 11, 40*time.Millisecond
	watch := watchState(t, p.db)
	p.beginBoth()
	p.load()
	leader, term := p.leader(0)
	p.awaitEffect(0)
	for _, s := range []struct {
		who  string
		step time.Duration
	}{{leader, -step}, {other(leader), -step}, {other(leader), 2 * step}} {
		p.members[s.who].tell(t, childapp.Step(s.step))
		p.flowsFor(2 * config.Heartbeat) // whatever the step does, it does by then
		if _, now := p.leader(0); now != term {
			t.Errorf("term %d leads after a step by %s of process %s, want %d", now, s.step, s.who, term)
		}
	}
	p.members[leader].tell(t, childapp.Step(step))
	gap := p.flowsFor(config.TTL)
	_, now := p.leader(0)
	measured(t, "leader's clock stepped by %s, ttl %s: %d new terms, no effect for %s", step,
		config.TTL, now-term, gap.Round(time.Millisecond))
	if now == term {
		t.Error("the leader went on after what may have been a suspend")
	}
	if gap > config.TTL {
		t.Errorf("nothing was handled for %s, want at most a ttl, %s", gap, config.TTL)
	}
	p.end(p.settle(), 0)
	p.apart()
	watch.check(t)
}

// flowsFor waits for an effect that is that much later, and returns the longest time without one.
func (p *pair) flowsFor(d time.Duration) (gap time.Duration) {
	p.Helper()
	from := journal.Now()
	eventually(p, d+patience, func() error {
		before := from
		for _, e := range p.entries() {
			if e.Ended > from {
				gap, before = max(gap, e.Ended-before), e.Ended
			}
		}
		if before < from+d {
			return fmt.Errorf("the last effect was %s ago", journal.Now()-before)
		}
		return nil
	})
	return gap
}
