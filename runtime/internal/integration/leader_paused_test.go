package integration

import (
	"syscall"
	"testing"
	"time"
)

// A process that is paused longer than its lease lasts finds itself replaced. The handler that was
// running cannot be kept from going on; but what it writes with its term is refused, as is every
// position and dead letter, and the successor goes on as if nothing were.
func TestLeaderThatWasPausedDoesNoHarm(t *testing.T) {
	t.Parallel()
	config := quietConfig
	config.Fenced = true
	p := newQuietPair(t, sharedNodes(t), config)
	p.letters, p.pause = 7, 100*time.Millisecond
	watch := watchState(t, p.db)
	p.beginBoth()
	p.load()
	rounds := leaderRounds(t)
	var took times
	for range rounds {
		took = append(took, p.pauseLeader())
	}
	measured(t, "leader paused for ttl + 5 s, ttl %s: next event handled after %s", config.TTL, took)
	if limit := config.TTL + time.Second; took.p50() > limit {
		t.Errorf("next event handled after %s, want at most %s", took, limit)
	}
	p.end(p.settle(), rounds)
	watch.check(t)
}

// pauseLeader pauses the leader for a ttl and 5 s and waits until it stands by. It returns how long
// it took until another one led.
func (p *pair) pauseLeader() time.Duration {
	p.Helper()
	leader, term := p.leader(0)
	p.awaitEffect(term - 1)
	paused := p.members[leader]
	paused.signal(p, syscall.SIGSTOP)
	at := time.Now()
	first := p.awaitEffect(term)
	time.Sleep(time.Until(at.Add(p.config.TTL + 5*time.Second))) // how long it is paused
	stoodBy := paused.standbys()
	paused.signal(p, syscall.SIGCONT)
	eventually(p, patience, atLeast("standbys of the paused process", stoodBy+1, paused.standbys))
	if _, now := p.leader(0); now != first.Term {
		p.Errorf("term %d led before the paused process went on, and term %d after", first.Term, now)
	}
	return first.At.Sub(at)
}
