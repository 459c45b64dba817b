package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/store"
)

// harness begins the names of the harness's own clients, which nothing disturbs but the server.
const harness = "harness"

// world is one run.
type world struct {
	*journal
	schedule Schedule
	server   *memongo.Server
	faults   *faults
	history  *history
	ahead    atomic.Int64 // how far the server's clock is ahead
	leases   store.Leases // as the operator uses them
	machines []*machine
	writes   *workload
	trace    io.Writer      // nil: nobody listens
	healed   chan struct{}  // closed when nothing is to go wrong any more
	over     atomic.Bool    // nothing is started again
	work     sync.WaitGroup // everything but the follower

	mu        sync.Mutex     // guards what follows
	lives     map[string]int // by instance
	processes []*process
}

// Run plays a schedule and returns what happened. It must be called inside a bubble, which it
// leaves empty. What happens is told to trace, unless that is nil.
func Run(s Schedule, trace io.Writer) (*Record, error) {
	w := &world{journal: newJournal(s), schedule: s, faults: newFaults(s.Seed), trace: trace,
		healed: make(chan struct{}), lives: map[string]int{}}
	w.server = memongo.Start(memongo.Options{Now: w.serverTime, Faults: w.faults.server})
	defer w.server.Close()
	client, err := mongo.Connect(w.server.ClientOptions().SetAppName(harness))
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	db := client.Database(database)
	if err := db.CreateCollection(context.Background(), items); err != nil {
		return nil, fmt.Errorf("create collection: %w", err)
	}
	w.leases = mongostore.New(client, database, "_fw").Leases()
	w.history = newHistory(w.journal, w.server.Oplog(), w.granted)
	w.writes = newWorkload(s.Seed, db.Collection(items), w.tell)
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		w.history.follow(ctx)
	}()
	for n := range s.Instances {
		w.machines = append(w.machines, newMachine(w, name(n)))
	}
	w.play()
	w.heal()
	w.settle()
	w.stop()
	cancel()
	<-followed
	return &w.record, nil
}

// serverTime is the server's clock.
func (w *world) serverTime() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// tell tells of what happens.
func (w *world) tell(format string, args ...any) {
	if w.trace != nil {
		at := time.Since(w.began).Round(time.Millisecond)
		_, _ = fmt.Fprintf(w.trace, "%10s  %s\n", at, fmt.Sprintf(format, args...))
	}
}

// logs is where a process logs to.
func (w *world) logs(life *Life) slog.Handler {
	if w.trace == nil {
		return slog.DiscardHandler
	}
	return slog.NewTextHandler(teller{w, life}, &slog.HandlerOptions{Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})
}

// teller tells what a process logs.
type teller struct {
	world *world
	life  *Life
}

func (t teller) Write(p []byte) (int, error) {
	t.world.tell("%s: %s", t.life, strings.TrimSpace(string(p)))
	return len(p), nil
}

// sleep waits for a time, or until nothing is to go wrong any more.
func (w *world) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.healed:
	}
}

// await waits for a process that was told to stop, which takes a bounded time.
func (w *world) await(p *process) {
	const most = drain + 5*time.Second + 10*time.Second // of fw.App.Run, and of calls in flight
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		w.note(func(r *Record, now Moment) {
			r.Troubles = append(r.Troubles, fmt.Sprintf(
				"%s has not ended %s after it was told to stop, at %s", p.life, most, now.At))
		})
		<-p.ended
	}
}

// alive returns the processes that run.
func (w *world) alive() (alive []*process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		if !p.over() {
			alive = append(alive, p)
		}
	}
	return alive
}

// granted looks who else believes to lead when a lease is acquired.
func (w *world) granted(l Lease) {
	lives := []string{l.Owner}
	for _, p := range w.alive() {
		if p.owner() != l.Owner && p.leads() {
			lives = append(lives, p.life.String())
		}
	}
	w.tell("term %d of %s is granted to %s", l.Term, l.Stream, l.Owner)
	if len(lives) > 1 {
		w.note(func(r *Record, now Moment) {
			r.Leaders = append(r.Leaders, Leaders{lives, l.Term, now})
		})
	}
}
