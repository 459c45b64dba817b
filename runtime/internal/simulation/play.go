package simulation

import (
	"fmt"
	"time"
)

// play does what the schedule says, each step beside those before it.
func (w *world) play() {
	for _, s := range w.schedule.Steps {
		time.Sleep(s.At - time.Since(w.began))
		if s.Do == Write {
			w.writes.add(s)
			continue
		}
		w.tell("step: %s", s)
		m := w.machine(s.Who)
		w.work.Go(func() { w.do(s, m) })
	}
	time.Sleep(duration - time.Since(w.began))
}

// machine returns whom a step is about; that of the leader where it says so.
func (w *world) machine(who int) *machine {
	if who >= 0 {
		return w.machines[who]
	}
	owner := w.history.ownerOf(Led)
	for _, m := range w.machines {
		if p := w.current(m); p != nil && p.owner() == owner {
			return m
		}
	}
	return w.machines[0]
}

// current returns the process that runs on a machine, as far as it can be seen from outside.
func (w *world) current(m *machine) (now *process) {
	for _, p := range w.alive() {
		if p.life.Instance == m.name {
			now = p
		}
	}
	return now
}

func (w *world) do(s Step, m *machine) {
	switch s.Do {
	case Start:
		m.with(m.start)
	case Stop:
		m.with(m.stop)
	case Restart:
		m.with(func() {
			m.stop()
			m.start()
		})
	case Crash:
		m.with(m.crash)
		w.sleep(s.For)
		m.with(m.start)
	case Replace:
		w.disturb(m.name, s.For)
		m.with(func() { m.replace(s.For) })
	case Toggle:
		m.toggle(s.Stream, s.For)
	case Pause, Cut, Wall:
		if p := w.current(m); p != nil {
			w.disturb(m.name, max(s.For, 0))
			w.network(s, p)
		}
	default:
		w.environment(s, m)
	}
}

// network does what becomes of a process's network and wall.
func (w *world) network(s Step, p *process) {
	switch s.Do {
	case Pause:
		p.link.hold()
		w.sleep(s.For)
		p.clock.Step(s.For)
		p.link.release()
	case Cut:
		p.link.down()
		w.sleep(s.For)
		p.link.up()
	case Wall:
		p.clock.Step(s.For)
	}
}

// environment does what becomes of the server and of commands.
func (w *world) environment(s Step, m *machine) {
	switch s.Do {
	case StepDown:
		w.disturb("", s.For)
		if err := w.server.StepDown(s.For); err != nil {
			w.tell("no step-down: %v", err)
		}
	case Server:
		w.disturb("", 0)
		w.ahead.Store(int64(s.For))
	case Fault:
		struck := window{instance: m.name, what: s.What, how: s.How, chance: s.Chance,
			delay: s.Delay, until: time.Now().Add(s.For)}
		if s.Who == Everybody {
			struck.instance = ""
		}
		w.disturb(struck.instance, s.For+s.Delay)
		w.faults.add(struck)
	case Forget:
		w.history.catchUp()
		w.server.ForgetOplog(s.N)
		first := Place{Time: w.server.Oplog().First()}
		w.note(func(r *Record, now Moment) { r.Losses = append(r.Losses, Loss{first, now}) })
	case Late:
		w.late(s, m)
	case HandOver, Hold:
		w.operate(s, m)
	default:
		panic(fmt.Sprintf("step %q", s.Do))
	}
}

// late lets a renewal be confirmed as late as it can be, none follow, and then sets the server's
// clock ahead by nearly as much as it may be. Whoever counts trust from the answer trusts too long.
func (w *world) late(s Step, m *machine) {
	const almost = Heartbeat - 150*time.Millisecond
	w.disturb("", s.For+Heartbeat+almost)
	struck := window{instance: m.name, what: Leases, how: LateReply, chance: 1, delay: almost,
		until: time.Now().Add(Heartbeat)}
	w.faults.add(struck)
	w.sleep(Heartbeat)
	struck.how, struck.until = Dropped, time.Now().Add(s.For)
	w.faults.add(struck)
	w.sleep(almost)
	w.ahead.Store(int64(almost))
}
