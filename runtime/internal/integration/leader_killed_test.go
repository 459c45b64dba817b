package integration

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// quietConfig is that of tests that measure how long a take-over takes. Nobody polls meanwhile.
var quietConfig = childapp.Config{
	TTL: 3 * time.Second, Heartbeat: time.Second, Every: 10, Window: 10, Took: time.Millisecond,
}

// takeOver is how long it took until a standby handled the next event.
type takeOver struct {
	end   time.Duration // since the end of the leader
	grant time.Duration // since the grant of its lease to the standby
}

// takenOver ends the leader and measures how its standby goes on. The next event comes behind one
// that always fails, which end leaves behind: the successor has to write a dead letter first. end
// returns when the leader was gone.
func (p *pair) takenOver(end func(leader *process) time.Time) takeOver {
	p.Helper()
	leader, term := p.leader(0)
	p.members[other(leader)].awaitStandby(p)
	ended := end(p.members[leader])
	next := p.emit(false)
	first := p.awaitEffectOf(next, term)
	granted := lockOf(p, p.db, childapp.Stream).AcquiredAt
	p.begin(leader)
	p.members[leader].awaitStandby(p)
	p.awaitSaved(first)
	return takeOver{end: first.At.Sub(ended), grant: first.At.Sub(granted)}
}

// awaitSaved waits until the position is behind an effect: what comes next repeats nothing of
// before.
func (p *pair) awaitSaved(effect journal.Entry) {
	p.Helper()
	var event bson.Timestamp
	_, err := fmt.Sscanf(effect.Event, "%d.%d-", &event.T, &event.I)
	must(p, err)
	eventually(p, patience, func() error {
		at := checkpointOf(p, p.db, childapp.Stream).Position.ClusterTime
		if at.Compare(event) < 0 {
			return fmt.Errorf("the position is at %v, want %s", at, effect.Event)
		}
		return nil
	})
}

// awaitEffectOf waits for the effect of a change under a term above after.
func (p *pair) awaitEffectOf(change journal.Change, after int64) (effect journal.Entry) {
	p.Helper()
	eventually(p, p.config.TTL+patience, func() error {
		for _, e := range p.entries() {
			if e.Change() == change && e.Term > after {
				effect = e
				return nil
			}
		}
		return fmt.Errorf("no effect of %v above term %d", change, after)
	})
	return effect
}

func (p *pair) kill(leader *process) time.Time {
	p.Helper()
	leader.kill(p)
	ended := time.Now()
	p.emit(true)
	return ended
}

// killWithinDeadLetter makes the leader die while a transaction of it is open in the server.
func (p *pair) killWithinDeadLetter(leader *process) time.Time {
	p.Helper()
	leader.tell(p, childapp.DieWithinDeadLetter)
	p.emit(true)
	eventually(p, patience, func() error {
		if leader.alive() {
			return fmt.Errorf("process %s has not killed itself", leader.name)
		}
		return nil
	})
	return time.Now()
}

// Not parallel, for the sake of the figures. The kills take turns, so that both meet the same load.
func TestStandbyHandlesTheNextEventAfterAKillWithinATTLAndASecond(t *testing.T) {
	p := newQuietPair(t, sharedNodes(t), quietConfig)
	watch := watchState(t, p.db)
	p.beginBoth()
	var plain, within []takeOver
	for range leaderRounds(t) {
		plain = append(plain, p.takenOver(p.kill))
		within = append(within, p.takenOver(p.killWithinDeadLetter))
	}
	limit := p.config.TTL + time.Second
	for what, took := range map[string][]takeOver{
		"": plain, " within a dead letter": within,
	} {
		var ends times
		for _, t := range took {
			ends = append(ends, t.end)
		}
		measured(t, "leader killed%s, ttl %s: next event handled after %s", what, p.config.TTL, ends)
		if ends.max() > limit {
			t.Errorf("next event handled %s after a kill%s, want at most %s", ends.max(), what, limit)
		}
	}
	compareGrants(t, plain, within)
	p.end(p.settle(), 0)
	watch.check(t)
	if os.Getenv("FW_LEADER_DEFAULT_TTL") == "1" { // it takes a minute
		t.Run("default ttl", killWithDefaultTTL)
	}
}

// killWithDefaultTTL kills a leader of a stream that says nothing about its lease.
func killWithDefaultTTL(t *testing.T) {
	config := quietConfig
	config.TTL = time.Minute
	p := newQuietPair(t, sharedNodes(t), config)
	p.prepare = func(c *childapp.Config) { c.TTL, c.Heartbeat = 0, 0 }
	p.beginBoth()
	took := p.takenOver(p.kill).end
	measured(t, "leader killed, default ttl %s: next event handled after %s", config.TTL,
		took.Round(time.Millisecond))
	if limit := config.TTL + time.Second; took > limit {
		t.Errorf("next event handled %s after a kill, want at most %s", took, limit)
	}
	p.end(p.settle(), 0)
}

// compareGrants compares what the successor does between its lease and the next event: the expiry
// that it waits for before is at another distance each time.
func compareGrants(t *testing.T, plain, within []takeOver) {
	t.Helper()
	const noise = 100 * time.Millisecond // of a machine that does something else, too
	grants := func(took []takeOver) (d times) {
		for _, t := range took {
			d = append(d, t.grant)
		}
		return d
	}
	a, b := grants(plain), grants(within)
	measured(t, "lease granted to next event handled: %s; after a kill within a dead letter %s", a, b)
	if b.p50() > a.p50()+noise {
		t.Errorf("an open transaction of the dead leader delays the take-over: p50 %s, without %s",
			b.p50(), a.p50())
	}
}

// Not parallel, for the sake of the figures.
func TestStandbyHandlesTheNextEventAfterAStopWithinASecond(t *testing.T) {
	p := newQuietPair(t, sharedNodes(t), quietConfig)
	p.beginBoth()
	var took times
	for range leaderRounds(t) {
		leader, term := p.leader(0)
		p.members[other(leader)].awaitStandby(p)
		p.members[leader].signal(p, syscall.SIGTERM)
		stopped := time.Now()
		eventually(p, patience, func() error { // it may handle what comes meanwhile
			if !bytes.Contains([]byte(p.members[leader].output.String()), []byte("state=stopped")) {
				return fmt.Errorf("process %s has not stopped", leader)
			}
			return nil
		})
		took = append(took, p.awaitEffectOf(p.emit(false), term).At.Sub(stopped))
		p.members[leader].awaitExit(p, patience)
		p.begin(leader)
		p.members[leader].awaitStandby(p)
	}
	measured(t, "leader stopped by SIGTERM: next event handled after %s", took)
	if took.max() > time.Second {
		t.Errorf("next event handled %s after a stop, want at most 1 s", took.max())
	}
	p.end(p.settle(), 0)
}

func TestKilledLeadersLoseNothing(t *testing.T) {
	t.Parallel()
	p := newPair(t, pairConfig)
	watch := watchState(t, p.db)
	for range 3 {
		leader, term := p.leader(0)
		p.awaitEffect(term - 1)
		time.Sleep(rand.N(time.Second)) // any moment will do
		p.members[leader].kill(t)
		killed := time.Now()
		first := p.awaitEffect(term)
		t.Logf("leader of term %d killed: first effect of term %d after %s, ttl %s", term,
			first.Term, first.At.Sub(killed).Round(time.Millisecond), p.config.TTL)
		p.begin(leader)
	}
	letters := p.settle()
	p.end(letters, 0)
	watch.check(t)
}
