package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

// judge sees every event that is settled and every position that is saved.
type judge struct {
	*memstore.Checkpoints
	letters *memstore.DeadLetters

	mu      sync.Mutex // guards what follows
	events  []change.Event
	settled map[string]bool // ids of events that were handled, or are dead letters
	last    map[string]int  // by instance and term: index of the event handled last
	faults  []string
}

func (j *judge) accuse(format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf(format, args...))
}

// Save checks that a position passes nothing that is unsettled.
func (j *judge) Save(ctx context.Context, s store.Save) error {
	j.mu.Lock()
	j.noteLetters()
	token, err := change.ParseToken(s.Position.Token)
	if err != nil {
		j.accuse("saved a position without a token: %v", err)
	}
	for _, e := range j.events {
		if e.Token.Compare(token) <= 0 && !j.settled[e.ID()] {
			j.accuse("term %d saved %s %s, which passes the unsettled event %s",
				s.Term, s.Position.Kind, token.Data, e.ID())
		}
	}
	j.mu.Unlock()
	return j.Checkpoints.Save(ctx, s)
}

// handled notes a handled event, and checks the order within one incarnation.
func (j *judge) handled(instance string, term int64, id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settled[id] = true
	for i, e := range j.events {
		if e.ID() != id {
			continue
		}
		who := fmt.Sprint(instance, " ", term)
		if last, ok := j.last[who]; ok && i <= last {
			j.accuse("%s handled event %d after event %d", who, i, last)
		}
		j.last[who] = i
	}
}

// noteLetters notes the events that are stored as dead letters. The caller holds mu.
func (j *judge) noteLetters() {
	for _, l := range j.letters.Letters("dlq") {
		j.settled[strings.TrimPrefix(l.ID, "orders/")] = true
	}
}

func (j *judge) left() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.noteLetters()
	return len(j.events) - len(j.settled)
}

// Instances come, stop and die, readers and stores fail, handlers fail: nothing is lost, no position
// passes what is unsettled, and no incarnation goes back.
func TestNothingIsLostWhateverFails(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		var faults []string
		synctest.Test(t, func(t *testing.T) { faults = simulate(t, seed) })
		for _, fault := range faults {
			rt.Error(fault)
		}
	})
}

func simulate(t *testing.T, seed uint64) []string {
	random := &lockedRand{r: rand.New(rand.NewPCG(seed, 0))}
	w := &world{T: t, oplog: readertest.New(t), leases: memstore.NewLeases(),
		checkpoints: memstore.NewCheckpoints()}
	w.oplog.BatchSize = 1 + random.n(4)
	w.letters = memstore.NewDeadLetters(w.checkpoints)
	j := &judge{Checkpoints: w.checkpoints, letters: w.letters, settled: map[string]bool{},
		last: map[string]int{}}
	incarnation := 0
	begin := func() *instance {
		incarnation++
		name := fmt.Sprint("i", incarnation)
		return w.start(name, withDLQ, withAttempts(2, time.Second), judged(j, name, random))
	}
	first := begin() // the first open decides where the stream begins
	trouble(w, random)
	running := []*instance{first}
	for range 30 + random.n(30) {
		switch random.n(12) {
		case 0:
			running = append(running, begin())
		case 1, 2:
			if i := random.n(len(running) + 1); i < len(running) {
				if random.n(2) == 0 {
					running[i].stop()
				} else {
					running[i].kill(failure.ErrStopping)
				}
				running = append(running[:i], running[i+1:]...)
			}
		default:
			j.mu.Lock()
			j.events = append(j.events, w.oplog.Insert(random.n(1000)))
			j.mu.Unlock()
		}
		time.Sleep(time.Duration(random.n(8000)) * time.Millisecond)
	}
	w.oplog.SetFault(nil)
	w.fail(nil)
	begin()
	for range 100 {
		if time.Sleep(10 * time.Second); j.left() == 0 {
			break
		}
	}
	for _, i := range w.instances {
		i.stop()
	}
	time.Sleep(2 * drain)
	for _, i := range w.instances {
		i.kill(failure.ErrStopping)
		<-i.ended
	}
	if n := j.left(); n > 0 {
		j.accuse("%d of %d events are lost", n, len(j.events))
	}
	if n := w.oplog.Cursors(); n != 0 {
		j.accuse("cursors left open: %d", n)
	}
	return j.faults
}

// judged has the judge see what an instance does. Handlers are slow and fail now and then.
func judged(j *judge, name string, random *lockedRand) option {
	return func(i *instance, c *supervisor.Config) {
		c.Checkpoints = j
		i.handle = func(ctx context.Context, d *delivery.Delivery) error {
			time.Sleep(time.Duration(random.n(2000)) * time.Millisecond)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case random.n(5) == 0 && d.Attempt == 1:
				return errors.New("broken")
			case random.n(20) == 0:
				return &failure.PermanentError{Err: errors.New("broken for good")}
			}
			j.handled(name, d.Term(), d.ID)
			return nil
		}
	}
}

// trouble makes readers and stores fail now and then.
func trouble(w *world, random *lockedRand) {
	w.oplog.SetFault(func(readertest.Call) error {
		switch random.n(25) {
		case 0:
			return errDown
		case 1:
			return readertest.ErrEnd
		case 2:
			return readertest.ErrHang
		}
		return nil
	})
	w.fail(func(memstore.Call) memstore.Fault {
		switch random.n(15) {
		case 0:
			return memstore.Fault{Fail: errDown}
		case 1:
			return memstore.Fault{Lose: errDown}
		case 2:
			return memstore.Fault{Before: time.Duration(random.n(8000)) * time.Millisecond,
				Straggles: true}
		}
		return memstore.Fault{}
	})
}

// lockedRand is used by several goroutines.
type lockedRand struct {
	mu sync.Mutex // guards r
	r  *rand.Rand
}

func (l *lockedRand) n(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.IntN(n)
}
