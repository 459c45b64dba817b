package lease_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// step is one thing that happens in a simulation, after a time in which nothing else does.
type step struct {
	after time.Duration
	what  string
	who   int // of the instances that run, or the priority of one that starts
	d     time.Duration
	fault memstore.Fault
}

func (s step) String() string {
	return fmt.Sprintf("+%v %s #%d %v %+v", s.after, s.what, s.who, s.d, s.fault)
}

// things are what can happen, those that are named twice twice as often. To cut is to keep the
// leader from the store; to suspend is to stop every machine but the server.
var things = []string{
	"start", "start", "stop", "kill", "fault", "fault", "fault", "repair", "cut", "cut", "cut",
	"wall", "suspend", "server", "server", "hold", "lift", "break watches", "raise",
	"hand over", "hand over", "nudge",
}

// TestSimulation lets instances come, go and fail, with every fault a store can have, and walls
// that are set by minutes. The oracle watches; when all faults are over somebody must lead, in the
// end one of the highest priority, and for good.
func TestSimulation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 5, 60).Draw(rt, "steps")
		var stuck string
		violations := simulate(t, func(b *bundle) { stuck = b.play(steps) })
		if stuck != "" {
			violations = append(violations, stuck)
		}
		if len(violations) > 0 {
			rt.Fatalf("%s", strings.Join(violations, "\n"))
		}
	})
}

// TestB097ACrashAtAnyTimeIsTakenOver lets a leader vanish at any time between two renewals.
func TestB097ACrashAtAnyTimeIsTakenOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := time.Duration(rapid.Int64Range(0, int64(3*heartbeat)).Draw(rt, "at"))
		delay := time.Duration(rapid.IntRange(0, 200).Draw(rt, "delay")) * time.Millisecond
		var took time.Duration
		violations := simulate(t, func(b *bundle) {
			a := b.startLeader("a")
			b.leases.SetFault(of("c", memstore.Fault{Before: delay / 2, After: delay / 2}))
			c := b.start("c")
			b.pass(at)
			a.kill()
			took = b.await(c, 2*ttl)
		})
		if took > ttl+time.Second || len(violations) > 0 {
			rt.Fatalf("taken over after %v; %s", took, strings.Join(violations, "\n"))
		}
	})
}

func drawStep(t *rapid.T) step {
	s := step{
		after: drawTime(t, "after", 40*time.Second),
		what:  rapid.SampledFrom(things).Draw(t, "what"),
		who:   rapid.IntRange(0, 3).Draw(t, "who"),
	}
	switch s.what {
	case "fault":
		s.fault = drawFault(t)
		s.d = drawTime(t, "for", 2*ttl)
	case "wall":
		s.d = drawTime(t, "by", 20*time.Minute) - 10*time.Minute
	case "cut", "suspend":
		s.d = drawTime(t, "for", 2*ttl)
	case "server":
		s.d = drawTime(t, "offset", heartbeat-time.Millisecond)
	case "start":
		s.d = drawTime(t, "drain", 2*ttl)
	}
	return s
}

// drawTime draws a duration up to most, a short one as often as a long one.
func drawTime(t *rapid.T, label string, most time.Duration) time.Duration {
	unit := rapid.SampledFrom([]time.Duration{time.Millisecond, 100 * time.Millisecond, most / 100})
	n := rapid.IntRange(0, 100).Draw(t, label)
	return min(time.Duration(n)*unit.Draw(t, label+" unit"), most)
}

func drawFault(t *rapid.T) memstore.Fault {
	d := drawTime(t, "delay", 20*time.Second)
	switch rapid.SampledFrom([]string{
		"fail", "lose", "before", "after", "straggle", "deaf before", "deaf after",
	}).Draw(t, "fault") {
	case "fail":
		return memstore.Fault{Fail: errDown, Before: d}
	case "lose":
		return memstore.Fault{Lose: errDown, After: d}
	case "before":
		return memstore.Fault{Before: d}
	case "after":
		return memstore.Fault{After: d}
	case "straggle":
		return memstore.Fault{Before: d, Straggles: true}
	case "deaf before":
		return memstore.Fault{Before: d, Deaf: true}
	}
	return memstore.Fault{After: d, Deaf: true}
}

// play lets the steps happen, then ends all faults. It says so if nobody leads after that.
func (b *bundle) play(steps []step) (stuck string) {
	p := newPlay(b)
	p.start(0, 1)
	p.start(time.Second, 0)
	for _, s := range steps {
		b.pass(s.after)
		p.do(s)
	}
	b.leases.SetFault(nil)
	b.lift()
	p.start(0, 1)
	longest := 2*ttl + 2*ttl + poll // a drain, the lease of an instance that is gone, and some
	for until := time.Now().Add(longest); b.leader() == nil; time.Sleep(time.Second) {
		if time.Now().After(until) {
			return fmt.Sprintf("nobody leads %v after all faults: %+v", longest, b.leases.Get(stream))
		}
	}
	b.pass(longest)
	return p.settled()
}

// settled says so if somebody else leads than an instance of the highest priority, or if the
// leader changes though nothing fails.
func (p *play) settled() string {
	leader, highest := p.leader(), p.live[0]
	for _, i := range p.live {
		if i.priority > highest.priority {
			highest = i
		}
	}
	if leader == nil || leader.priority != highest.priority {
		return fmt.Sprintf("%v leads, and not %v, which has the highest priority", leader, highest)
	}
	term := p.leases.Get(stream).Term
	p.pass(3 * ttl)
	if now := p.leases.Get(stream); now.Owner != leader.owner || now.Term != term {
		return fmt.Sprintf("%v led, and now the lease is %+v", leader, now)
	}
	return ""
}

// play is the state of one simulation.
type play struct {
	*bundle
	faults map[string]fault // by owner, of the one goroutine and the store's mutex
	live   []*instance      // neither stopped nor killed
	offset time.Duration    // of the server
	set    time.Time        // when a wall was set last
	slept  time.Time        // when the machines were suspended last
	names  int
}

type fault struct {
	memstore.Fault
	until time.Time
}

func newPlay(b *bundle) *play { return &play{bundle: b, faults: make(map[string]fault)} }

func (p *play) start(drain time.Duration, priority int) {
	p.names++
	options := []option{withDrain(drain), withPriority(priority)}
	if p.names%3 == 0 {
		options = append(options, withoutWatch)
	}
	p.live = append(p.live, p.bundle.start(fmt.Sprintf("i%d", p.names), options...))
}

func (p *play) do(s step) {
	if s.what == "start" && len(p.live) < 4 {
		p.start(s.d, s.who)
		return
	}
	switch s.what {
	case "server":
		p.leases.Step(s.d - p.offset)
		p.offset = s.d
	case "suspend":
		p.suspend(s.d)
	case "cut":
		if leader := p.leader(); leader != nil {
			p.fail(leader.owner, fault{
				Fault: memstore.Fault{Fail: errDown}, until: time.Now().Add(s.d),
			})
		}
	case "hold":
		p.hold(s.after)
	case "lift":
		p.lift()
	case "break watches":
		p.leases.BreakWatches(errDown)
	}
	if len(p.live) > 0 {
		p.doTo(s.who%len(p.live), s)
	}
}

// doTo does what happens to one instance.
func (p *play) doTo(n int, s step) {
	switch i := p.live[n]; s.what {
	case "stop":
		i.stop()
		p.live = append(p.live[:n], p.live[n+1:]...)
	case "kill":
		i.kill()
		p.live = append(p.live[:n], p.live[n+1:]...)
	case "fault", "repair":
		p.fail(i.owner, fault{Fault: s.fault, until: time.Now().Add(s.d)})
	case "wall":
		if time.Since(p.slept) > blind {
			i.clock.Step(s.d)
			p.set = time.Now()
		}
	case "hand over":
		if run := i.now(); run != nil {
			run.l.HandOver(store.StreamFailing)
		}
	case "nudge":
		i.watcher.Nudge(stream)
	case "raise":
		if run := i.now(); run != nil {
			p.raise(run)
		}
	}
}

// blind is a call and a look at the clock. Within it a wall that is set back hides a suspend, for
// which there is no help on these two clocks.
const blind = 7 * time.Second

// suspend lets time pass that no monotonic clock of an instance counts.
func (p *play) suspend(d time.Duration) {
	if time.Since(p.set) <= blind {
		return
	}
	p.slept = time.Now()
	p.oracle.suspended()
	p.leases.Step(d)
	for _, i := range p.instances {
		i.clock.Step(d)
	}
}

// fail gives an instance a fault until a time.
func (p *play) fail(owner string, f fault) {
	next := make(map[string]fault)
	for name, f := range p.faults {
		next[name] = f
	}
	next[owner] = f
	p.faults = next
	p.leases.SetFault(func(c memstore.Call) memstore.Fault {
		if f, ok := next[c.Owner]; ok && time.Now().Before(f.until) {
			return f.Fault
		}
		return memstore.Fault{}
	})
}

// raise makes a leader want a greater term.
func (p *play) raise(run *leading) {
	go func() { _ = run.l.AcquireAbove(run.ctx, run.l.Term()+1) }()
}
