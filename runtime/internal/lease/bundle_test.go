package lease_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

const (
	ttl       = 60 * time.Second
	heartbeat = 15 * time.Second
	poll      = 20 * time.Second
	stream    = "orders"
)

var errLost = errors.New("lease lost")

// bundle is a store with the instances that contend for one stream in it. It is used inside a
// synctest bubble.
type bundle struct {
	*testing.T
	leases *memstore.Leases
	began  time.Time

	mu        sync.Mutex // guards everything below
	instances []*instance
	terms     []int64 // in the order in which they were led
}

// instance is one App: an elector with a clock and a watcher of its own.
type instance struct {
	b     *bundle
	name  string
	clock clock.Stepping
	stop  context.CancelFunc // graceful
	kill  context.CancelFunc // life
	ended chan struct{}      // closed when Run has returned

	// drain is what the next leads wait for after they were told to end. Set before start.
	drain func(ctx context.Context, l *lease.Leadership)
	// lead, if not nil, is called in place of waiting for an end. Set before start.
	lead func(ctx context.Context, l *lease.Leadership) store.ReleaseReason

	mu      sync.Mutex // guards everything below
	leading *leading   // nil: no lead runs
	reports []lease.Report
	at      []time.Duration // of the reports
}

// leading is a lead that runs.
type leading struct {
	ctx context.Context
	l   *lease.Leadership
}

func bubble(t *testing.T, f func(b *bundle)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{T: t, leases: memstore.NewLeases(), began: time.Now()}
		f(b)
		b.leases.SetFault(nil)
		for _, i := range b.instances {
			i.kill()
			<-i.ended
		}
	})
}

// option changes an instance before it starts.
type option func(*instance, *lease.Config)

func withoutWatch(_ *instance, c *lease.Config) { c.Watcher = nil }

func withDrain(drain func(context.Context, *lease.Leadership)) option {
	return func(i *instance, _ *lease.Config) { i.drain = drain }
}

func withLead(lead lease.Lead) option { return func(i *instance, _ *lease.Config) { i.lead = lead } }

func (b *bundle) start(name string, options ...option) *instance {
	watcher := lease.NewWatcher(b.leases, nil)
	i := &instance{b: b, name: name, ended: make(chan struct{})}
	cfg := lease.Config{
		Leases: b.leases, Stream: stream, Owner: name,
		TTL: ttl, Heartbeat: heartbeat, Poll: poll,
		Clock: &i.clock, Watcher: watcher, Report: i.report, LostCause: errLost,
	}
	for _, o := range options {
		o(i, &cfg)
	}
	life, kill := context.WithCancel(context.Background())
	stop, stopped := context.WithCancel(context.Background())
	i.kill, i.stop = kill, stopped
	b.mu.Lock()
	b.instances = append(b.instances, i)
	b.mu.Unlock()
	go watcher.Run(life)
	go func() {
		defer close(i.ended)
		lease.NewElector(cfg).Run(stop, life, func(
			ctx context.Context, l *lease.Leadership,
		) store.ReleaseReason {
			return i.run(ctx, stop, l)
		})
	}()
	return i
}

// run is the lead of an instance. It checks what must be true of every one of them.
func (i *instance) run(
	ctx, stop context.Context, l *lease.Leadership,
) (reason store.ReleaseReason) {
	i.begin(ctx, l)
	defer i.end()
	if i.lead != nil {
		return i.lead(ctx, l)
	}
	reason = store.Stopped
	select {
	case <-ctx.Done():
	case <-stop.Done():
	case <-l.Asked():
		reason = l.Reason()
	}
	if i.drain != nil {
		i.drain(ctx, l)
	}
	return reason
}

func (i *instance) begin(ctx context.Context, l *lease.Leadership) {
	b := i.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.terms); n > 0 && l.Term() <= b.terms[n-1] {
		b.Errorf("%v: %s leads term %d after term %d", b.now(), i.name, l.Term(), b.terms[n-1])
	}
	b.terms = append(b.terms, l.Term())
	for _, other := range b.instances {
		if other == i {
			continue
		}
		if o := other.now(); o != nil && o.ctx.Err() == nil {
			b.Errorf("%v: %s leads while the context of %s has not ended", b.now(), i.name, other.name)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.leading != nil {
		b.Errorf("%v: %s leads a second time at once", b.now(), i.name)
	}
	i.leading = &leading{ctx: ctx, l: l}
}

func (i *instance) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.leading = nil
}

func (i *instance) now() *leading {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.leading
}

func (i *instance) report(r lease.Report) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.reports = append(i.reports, r)
	i.at = append(i.at, i.b.now())
	if testing.Verbose() {
		i.b.Logf("%v %s: %T%+v", i.b.now(), i.name, r, r)
	}
}

// now is the time since the bundle began.
func (b *bundle) now() time.Duration { return time.Since(b.began) }

// sleep lets time pass, until everything that happens at its end has happened.
func (b *bundle) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// leader returns the one instance that leads with trust, or nil.
func (b *bundle) leader() *instance {
	synctest.Wait()
	var leader *instance
	for _, i := range b.instances {
		if l := i.now(); l != nil && l.ctx.Err() == nil {
			if leader != nil {
				b.Fatalf("%v: both %s and %s lead", b.now(), leader.name, i.name)
			}
			leader = i
		}
	}
	return leader
}

// await waits until i leads, and fails the test if it takes longer than most.
func (b *bundle) await(i *instance, most time.Duration) time.Duration {
	b.Helper()
	return b.until(fmt.Sprintf("%s leads", i.name), most, func() bool { return b.leader() == i })
}

// until waits for a condition and returns how long it took.
func (b *bundle) until(what string, most time.Duration, condition func() bool) time.Duration {
	b.Helper()
	start := time.Now()
	for {
		synctest.Wait()
		if condition() {
			return time.Since(start)
		}
		if time.Since(start) > most {
			b.Fatalf("%v: not within %v: %s", b.now(), most, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// lead starts an instance and waits until it leads.
func (b *bundle) startLeader(name string, options ...option) *instance {
	b.Helper()
	i := b.start(name, options...)
	b.await(i, 0)
	return i
}

// count returns how many reports of a type there were.
func count[R lease.Report](i *instance) int { return len(all[R](i)) }

func all[R lease.Report](i *instance) []R {
	i.mu.Lock()
	defer i.mu.Unlock()
	var found []R
	for _, r := range i.reports {
		if r, ok := r.(R); ok {
			found = append(found, r)
		}
	}
	return found
}

// of is a fault for the calls of one owner and some methods; of no method: all.
func of(owner string, f memstore.Fault, methods ...memstore.Method) func(memstore.Call) memstore.Fault {
	return func(c memstore.Call) memstore.Fault {
		if c.Owner != owner {
			return memstore.Fault{}
		}
		for _, m := range methods {
			if m == c.Method {
				return f
			}
		}
		if len(methods) == 0 {
			return f
		}
		return memstore.Fault{}
	}
}
