package simulation

import (
	"context"
	"time"
)

// machine is where the processes of one instance run, one at a time but for those that are
// replaced. What is done to it is done one after another.
type machine struct {
	world *world
	name  string
	turn  chan struct{} // 1: something is being done
	now   *process      // owned by whoever holds turn; nil: none is wanted
}

func newMachine(w *world, name string) *machine {
	return &machine{world: w, name: name, turn: make(chan struct{}, 1)}
}

// with does something while nothing else is done to the machine.
func (m *machine) with(do func()) {
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	do()
}

// start launches a process if none runs, and sees to it that there is one until it is stopped.
func (m *machine) start() {
	if m.now != nil {
		return
	}
	p := m.world.launch(m.name)
	m.now = p
	m.world.work.Go(func() {
		<-p.ended
		time.Sleep(time.Second)
		m.with(func() {
			if m.now == p && !m.world.over.Load() {
				m.now = nil
				m.start()
			}
		})
	})
}

// stop stops the process gracefully, and waits for it.
func (m *machine) stop() {
	p := m.now
	if p == nil {
		return
	}
	m.now = nil
	m.world.tell("%s is stopped", p.life)
	p.stop()
	m.world.await(p)
}

// crash kills the process.
func (m *machine) crash() {
	if m.now == nil {
		return
	}
	m.world.tell("%s crashes", m.now.life)
	m.now.die(m.world.journal)
	m.now = nil
}

// replace starts another process while the network of the one that runs is held back for a time.
func (m *machine) replace(d time.Duration) {
	old := m.now
	m.now = nil
	if old != nil {
		old.link.hold()
		m.world.tell("%s is replaced", old.life)
	}
	m.start()
	if old == nil {
		return
	}
	m.world.work.Go(func() {
		m.world.sleep(d)
		m.world.tell("%s is back", old.life)
		old.clock.Step(d)
		old.link.release()
		m.world.sleep(3 * time.Second)
		old.stop()
		m.world.await(old)
	})
}

// toggle stops a stream of the process, and starts it again after a time.
func (m *machine) toggle(stream string, d time.Duration) {
	var p *process
	m.with(func() { p = m.now })
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	m.world.tell("%s stops stream %s: %v", p.life, stream, p.app.Stop(ctx, stream))
	m.world.sleep(d)
	if err := p.app.Start(context.Background(), stream); err != nil {
		m.world.tell("%s starts stream %s: %v", p.life, stream, err)
	}
}
