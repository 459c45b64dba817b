package integration

import (
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// Faults between the leader and the servers.
var cuts = []struct {
	name  string
	apply func(*proxies)
	heal  time.Duration // how long after the cut, if not as soon as somebody else leads
}{
	{"connections dropped", (*proxies).drop, 0},
	{"commands and replies lost", func(p *proxies) {
		p.poison("timeout", `"timeout": 0`, "upstream", "downstream")
	}, 0},
	{"replies lost", func(p *proxies) { p.poison("timeout", `"timeout": 0`, "downstream") }, 0},
	{"commands delayed until somebody else leads", func(p *proxies) {
		p.poison("latency", `"latency": 3500`, "upstream")
	}, 5500 * time.Millisecond}, // what was sent while the lease was trusted has arrived
}

// A leader that is cut off has events left that it could go on with. It stops by itself, and only
// then somebody else begins.
func TestLeaderThatIsCutOffStopsBeforeItsSuccessorBegins(t *testing.T) {
	t.Parallel()
	d := sharedNodes(t)
	config := quietConfig
	config.TTL, config.Heartbeat = 2*time.Second, 600*time.Millisecond
	config.Took, config.Window, config.Every = 10*time.Millisecond, 500, 100
	p := newQuietPair(t, d, config)
	p.letters = 1 << 30 // a dead letter would have to wait for the servers
	ways := map[string]*proxies{"a": newProxies(t, d), "b": newProxies(t, d)}
	p.prepare = func(c *childapp.Config) { c.Proxies = ways[c.Instance].addresses }
	watch := watchState(t, p.db)
	p.beginBoth()
	for _, cut := range cuts {
		leader, _ := p.leader(0)
		p.members[other(leader)].awaitStandby(p)
		last := p.work(300) // for 3 s, longer than its successor waits
		stoodBy := p.members[last.Instance].standbys()
		cutAt := journal.Now()
		cut.apply(ways[last.Instance])
		p.awaitEffect(last.Term)
		p.judgeHandOver(cut.name, last.Term, cutAt)
		time.Sleep(cut.heal - (journal.Now() - cutAt)) // the rest of the time for the fault
		ways[last.Instance].heal()
		eventually(t, patience, atLeast("standbys of the old leader", stoodBy+1,
			p.members[last.Instance].standbys))
	}
	p.end(p.settle(), 0)
	p.apart()
	watch.check(t)
}

// work writes n changes, waits until the leader is at it, and returns its last effect.
func (p *pair) work(n int) journal.Entry {
	p.Helper()
	before := len(p.entries())
	p.emitMany(n)
	eventually(p, patience, atLeast("effects", before+20, func() int { return len(p.entries()) }))
	entries := p.entries()
	return entries[len(entries)-1]
}

// emitMany writes changes of which none always fails.
func (p *pair) emitMany(n int) {
	p.Helper()
	for range n / 10 {
		var ten []childapp.Item
		for range 10 {
			ten = append(ten, p.change())
		}
		must(p, p.insert(ten...))
	}
}

// judgeHandOver looks at the end of a term and the begin of the next one, after the leader was cut
// off.
func (p *pair) judgeHandOver(cut string, term int64, cutAt time.Duration) {
	p.Helper()
	attempts, err := journal.Attempts(p.config.Journal)
	must(p, err)
	ended, begun := cutAt, time.Duration(0)
	for _, e := range attempts {
		switch {
		case e.Term == term:
			ended = max(ended, e.Ended)
		case e.Term > term && begun == 0:
			begun = e.Begun
		}
	}
	measured(p, "leader cut off (%s), ttl %s: it stopped after %s, its successor began after %s", cut,
		p.config.TTL, (ended - cutAt).Round(time.Millisecond), (begun - cutAt).Round(time.Millisecond))
	// Trust of ttl - heartbeat began with the last renewal that was confirmed. At the cut that was up
	// to a heartbeat ago, and the next one may have been out for as long as a call may take, another.
	leastTrust := p.config.TTL - 3*p.config.Heartbeat
	if worked := ended - cutAt; worked < leastTrust {
		p.Errorf("%s: the leader stopped after %s, as if it had run out of work", cut, worked)
	}
	if limit := 2*p.config.TTL + time.Second; begun-cutAt > limit {
		p.Errorf("%s: the successor began after %s, want at most %s", cut, begun-cutAt, limit)
	}
	if begun <= ended {
		p.Errorf("%s: the successor began %s before the leader stopped", cut, ended-begun)
	}
}
