package integration

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// A process that is paused longer than its lease lasts finds itself replaced. The handler that was
// running cannot be kept from going on; but what it writes with its term is refused, as is every
// position and dead letter, and the successor goes on as if nothing were.
func TestLeaderThatWasPausedDoesNoHarm(t *testing.T) {
	t.Parallel()
	config := quietConfig
	config.Fenced, config.Took = true, 100*time.Millisecond
	config.Every, config.Window = 5, 5      // little may be repeated
	config.Interval = 50 * time.Millisecond // so that a save is due when a pause ends
	config.Poll = time.Second               // so that it soon says that it stands by again
	p := newQuietPair(t, sharedNodes(t), config)
	p.letters = 1 << 30
	watch := watchState(t, p.db)
	p.beginBoth()
	rounds := leaderRounds(t)
	var took times
	for round := range rounds {
		within := p.awaitHandler
		if round%2 == 1 {
			within = p.awaitLastAttempt
		}
		took = append(took, p.pauseLeader(within))
	}
	attempts, err := journal.Attempts(p.config.Journal)
	must(t, err)
	refused := len(slices.DeleteFunc(attempts, func(e journal.Entry) bool { return !e.Stale }))
	measured(t, "leader paused for ttl + 5 s, ttl %s: next event handled after %s; "+
		"%d effects of a term that was over refused", config.TTL, took, refused)
	if limit := config.TTL + time.Second; took.p50() > limit {
		t.Errorf("next event handled after %s, want at most %s", took, limit)
	}
	if refused == 0 && rounds > 10 {
		t.Error("no handler went on after its pause, the test tests nothing")
	}
	p.end(p.settle(), rounds)
	watch.check(t)
}

// awaitHandler writes events and waits until handlers are busy with them. It returns an effect of
// the leader.
func (p *pair) awaitHandler() journal.Entry {
	p.Helper()
	first := p.emit(false)
	p.emitMany(10)
	return p.awaitEffectOf(first, 0)
}

// awaitLastAttempt writes events, one of which always fails, and waits until the last attempt of
// that runs. A dead letter is next.
func (p *pair) awaitLastAttempt() journal.Entry {
	p.Helper()
	first := p.emit(false)
	p.emit(true)
	p.emitMany(10)
	effect := p.awaitEffectOf(first, 0)
	time.Sleep(p.config.Took * 5 / 2) // to the middle of the third attempt
	return effect
}

// pauseLeader pauses the leader for a ttl and 5 s and waits until it stands by. It returns how long
// it took until another one led.
func (p *pair) pauseLeader(within func() journal.Entry) time.Duration {
	p.Helper()
	last := within()
	paused := p.members[last.Instance]
	paused.signal(p, syscall.SIGSTOP)
	at := time.Now()
	first := p.awaitEffect(last.Term)
	p.emitMany(10)
	time.Sleep(time.Until(at.Add(p.config.TTL + 5*time.Second))) // how long it is paused
	successor := p.members[first.Instance]
	stoodBy, lost := paused.standbys(), successor.lost()
	paused.signal(p, syscall.SIGCONT)
	eventually(p, patience, atLeast("standbys of the paused process", stoodBy+1, paused.standbys))
	if _, now := p.leader(0); now != first.Term && successor.lost() == lost {
		p.Errorf("term %d led before the paused process went on, and term %d after", first.Term, now)
	}
	return first.At.Sub(at)
}

// lost counts the leases that a process has lost because its renewals were not confirmed in time.
func (p *process) lost() int {
	return strings.Count(p.output.String(), "lease is no longer trusted")
}
