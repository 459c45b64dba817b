package simulation

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/clock"
)

// drain is how long handlers keep a live context when a process stops.
const drain = time.Second

// abandoned is how long what Run left behind may go on: a call to a server that does not answer.
// A client that is disconnected under a call spins until the call's deadline, for ever in virtual
// time.
const abandoned = 3 * time.Minute

// process is one incarnation of an instance.
type process struct {
	life   *Life
	link   *link
	clock  *clock.Stepping
	client *mongo.Client
	app    *fw.App
	stop   context.CancelFunc
	ended  chan struct{} // closed when Run has returned
	dead   atomic.Bool   // it has crashed
}

// launch starts a process of an instance.
func (w *world) launch(instance string) *process {
	w.mu.Lock()
	w.lives[instance]++
	life := &Life{Instance: instance, Number: w.lives[instance]}
	w.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	p := &process{life: life, clock: new(clock.Stepping), stop: stop, ended: make(chan struct{})}
	p.link = newLink(life.String(), w.server.DialContext, w.faults)
	if err := p.assemble(w); err != nil {
		panic(err) // what is fixed is wrong
	}
	w.note(func(r *Record, now Moment) {
		life.Begun = now
		r.Lives = append(r.Lives, life)
	})
	w.tell("%s starts", life)
	w.mu.Lock()
	w.processes = append(w.processes, p)
	w.mu.Unlock()
	w.work.Go(func() {
		err := p.app.Run(clock.With(ctx, p.clock))
		w.tell("%s ends: %v", life, err)
		w.note(func(_ *Record, now Moment) { life.Ended = now })
		close(p.ended)
		if err != nil { // what was left behind still uses the client
			p.link.sever()
			time.Sleep(abandoned)
		}
		p.leave()
	})
	return p
}

// assemble makes the client and the app of a process.
func (p *process) assemble(w *world) (err error) {
	p.client, err = mongo.Connect(w.server.ClientOptions().
		SetAppName(p.life.String()).SetDialer(p.link))
	if err != nil {
		return err
	}
	p.app, err = fw.New(fw.Config{
		Client: p.client, Database: database, Instance: p.life.Instance, DrainTimeout: drain,
		Logger: slog.New(w.logs(p.life)), Only: []string{}, Except: []string{},
	})
	if err != nil {
		return err
	}
	for name, mode := range map[string]fw.Mode{Led: fw.SingleLeader, Each: fw.AllInstances} {
		if err := p.app.Add(w.stream(p.life, name, mode)); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) stream(life *Life, name string, mode fw.Mode) fw.Stream {
	settings := w.schedule.Settings[name]
	h := &handler{stream: name, seed: w.schedule.Seed, settings: settings, life: life,
		journal: w.journal}
	s := fw.Stream{
		Name: name, Collections: []string{items}, Mode: mode, Handle: h.functions(),
		Window: settings.Window, Timeout: settings.Timeout,
		Retry: fw.RetryPolicy{Attempts: settings.Attempts, Initial: 100 * time.Millisecond,
			Max: time.Second},
		DLQ: fw.DLQPolicy{Enabled: settings.DeadLetters, OmitStack: true},
		Checkpoint: fw.CheckpointPolicy{Every: settings.Every, Interval: settings.Interval,
			Idle: settings.Idle},
		Restart: fw.RestartPolicy{Initial: 200 * time.Millisecond, Max: 2 * time.Second},
	}
	if settings.Skip {
		s.Exhausted = "skip"
	}
	if mode == fw.SingleLeader {
		s.Lease = fw.LeasePolicy{TTL: TTL, Heartbeat: Heartbeat, Poll: Poll,
			Priority: w.priority(life.Instance)}
	}
	return s
}

// leave closes what a process that has ended still holds. Given a deadline, the driver would spin
// until that is over while a connection is in use, which is for ever in virtual time.
func (p *process) leave() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer time.AfterFunc(time.Second, cancel).Stop()
	_ = p.client.Disconnect(ctx) // the network may be gone
	p.link.sever()
	p.link.work.Wait()
}

// die makes a process crash: from this instant on nothing that it does has any effect.
func (p *process) die(j *journal) {
	j.note(func(_ *Record, now Moment) { p.life.Died = now })
	p.dead.Store(true)
	p.link.sever()
	p.stop()
}

// over reports whether the process has ended or crashed.
func (p *process) over() bool { return p.dead.Load() || isClosed(p.ended) }

// owner is how leases name the process.
func (p *process) owner() string {
	i := p.app.Status().Instance
	return i.Name + "/" + i.Process
}

// leads reports whether the process believes to lead.
func (p *process) leads() bool { return p.led().Leader }

// led is what the process shows of the stream that has a leader.
func (p *process) led() fw.StreamStatus {
	for _, s := range p.app.Status().Streams {
		if s.Name == Led {
			return s
		}
	}
	return fw.StreamStatus{}
}
