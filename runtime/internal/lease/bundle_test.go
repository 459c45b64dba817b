package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	trust     = ttl - heartbeat
	stream    = "orders"
)

var (
	errLost = errors.New("lease lost")
	errDown = errors.New("no primary")
)

// bundle is a store with the instances that contend for one stream in it. It is used inside a
// synctest bubble.
type bundle struct {
	*testing.T
	leases *memstore.Leases
	oracle *oracle
	began  time.Time

	instances []*instance // of the goroutine of the test
}

// bubble runs f with a bundle in virtual time, and fails the test for what the oracle saw.
func bubble(t *testing.T, f func(b *bundle)) {
	t.Helper()
	t.Parallel()
	for _, violation := range simulate(t, f) {
		t.Error(violation)
	}
}

// simulate runs f with a bundle in virtual time, and returns what the oracle saw.
func simulate(t *testing.T, f func(b *bundle)) (violations []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{T: t, leases: memstore.NewLeases(), began: time.Now()}
		b.oracle = newOracle(b.leases)
		defer func() {
			b.leases.SetFault(nil)
			for _, i := range b.instances {
				i.kill()
				<-i.ended
			}
			time.Sleep(time.Minute) // calls that are deaf to their context end
			violations = b.oracle.violations
		}()
		f(b)
	})
	return violations
}

// instance is one App: an elector with a clock and a watcher of its own.
type instance struct {
	*bundle
	seat
	priority int
	clock    clock.Stepping
	watcher  *lease.Watcher
	stop     context.CancelFunc // graceful
	kill     context.CancelFunc // life
	ended    chan struct{}      // closed when Run has returned

	drain func()     // before lead returns
	lead  lease.Lead // in place of the usual one

	mu      sync.Mutex // guards everything below
	leading *leading   // nil: no lead runs
	reports []lease.Report
}

// leading is a lead that runs.
type leading struct {
	ctx context.Context
	l   *lease.Leadership
}

// option changes an instance before it starts.
type option func(*instance, *lease.Config)

func withoutWatch(_ *instance, c *lease.Config) { c.Watcher = nil }

func withPoll(d time.Duration) option {
	return func(_ *instance, c *lease.Config) { c.Poll = d }
}

func withDrain(d time.Duration) option {
	return func(i *instance, _ *lease.Config) {
		i.drain = func() { time.Sleep(d) }
	}
}

func withLead(lead lease.Lead) option {
	return func(i *instance, _ *lease.Config) { i.lead = lead }
}

func withPriority(n int) option {
	return func(i *instance, c *lease.Config) { i.priority, c.Priority = n, n }
}

func withRounds(r *lease.Rounds) option {
	return func(_ *instance, c *lease.Config) { c.Rounds = r }
}

// ofStream makes an instance seek the lease of another stream.
func ofStream(name string) option {
	return func(i *instance, c *lease.Config) { i.stream, c.Stream = name, name }
}

// prepare makes an instance and its configuration.
func (b *bundle) prepare(name string, options []option) (*instance, lease.Config) {
	leases := client{oracle: b.oracle, owner: name}
	i := &instance{bundle: b, seat: seat{stream, name}, ended: make(chan struct{})}
	i.watcher = lease.NewWatcher(leases, nil)
	cfg := lease.Config{
		Leases: leases, Stream: stream, Owner: name,
		TTL: ttl, Heartbeat: heartbeat, Poll: poll,
		Clock: &i.clock, Watcher: i.watcher, Report: i.report, LostCause: errLost,
	}
	for _, o := range options {
		o(i, &cfg)
	}
	return i, cfg
}

// start starts an instance.
func (b *bundle) start(name string, options ...option) *instance {
	i, cfg := b.prepare(name, options)
	stop, life := i.lives()
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

func (i *instance) String() string { return fmt.Sprintf("%s (priority %d)", i.owner, i.priority) }

// lives begins the life of an instance, in which it watches the leases.
func (i *instance) lives() (stop, life context.Context) {
	life, i.kill = context.WithCancel(context.Background())
	stop, i.stop = context.WithCancel(context.Background())
	i.instances = append(i.instances, i)
	go i.watcher.Run(life)
	return stop, life
}

// run is the lead of an instance.
func (i *instance) run(ctx, stop context.Context, l *lease.Leadership) store.ReleaseReason {
	run := &leading{ctx: ctx, l: l}
	i.oracle.begins(i.seat, run)
	defer i.oracle.ends(i.seat)
	i.set(run)
	defer i.set(nil)
	if i.lead != nil {
		return i.lead(ctx, l)
	}
	reason := store.Stopped
	select {
	case <-ctx.Done():
	case <-stop.Done():
	case <-l.Asked():
		reason = l.Reason()
	}
	if i.drain != nil {
		i.drain()
	}
	return reason
}

func (i *instance) set(l *leading) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.leading = l
}

// run returns the lead that runs, or nil.
func (i *instance) now() *leading {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.leading
}

// leads reports whether a lead runs and may act.
func (i *instance) leads() bool {
	run := i.now()
	return run != nil && run.ctx.Err() == nil
}

func (i *instance) report(r lease.Report) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.reports = append(i.reports, r)
	if testing.Verbose() {
		i.Logf("%v %s: %T%+v", i.elapsed(), i.owner, r, r)
	}
}

// elapsed is the time since the bundle began.
func (b *bundle) elapsed() time.Duration { return time.Since(b.began) }

// pass lets time pass, until everything that happens at its end has happened.
func (b *bundle) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// leader returns an instance that leads, or nil.
func (b *bundle) leader() *instance {
	synctest.Wait()
	if n := slices.IndexFunc(b.instances, (*instance).leads); n >= 0 {
		return b.instances[n]
	}
	return nil
}

// until waits for a condition and returns how long it took.
func (b *bundle) until(what string, most time.Duration, condition func() bool) time.Duration {
	b.Helper()
	tick := max(time.Millisecond, most/1000)
	for start := time.Now(); ; time.Sleep(tick) {
		synctest.Wait()
		took := time.Since(start)
		if condition() {
			return took
		}
		if took > most {
			b.Fatalf("%v: not within %v: %s", b.elapsed(), most, what)
		}
	}
}

// await waits until i leads.
func (b *bundle) await(i *instance, most time.Duration) time.Duration {
	b.Helper()
	return b.until(fmt.Sprintf("%s leads", i.owner), most, func() bool { return b.leader() == i })
}

// startLeader starts an instance and waits until it leads.
func (b *bundle) startLeader(name string, options ...option) *instance {
	b.Helper()
	i := b.start(name, options...)
	b.await(i, 0)
	return i
}

// all returns the reports of a type.
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

func count[R lease.Report](i *instance) int { return len(all[R](i)) }

// of is a fault for the calls of one owner and some methods; of no method: all.
func of(
	owner string, f memstore.Fault, methods ...memstore.Method,
) func(memstore.Call) memstore.Fault {
	return func(c memstore.Call) memstore.Fault {
		if c.Owner == owner && (len(methods) == 0 || slices.Contains(methods, c.Method)) {
			return f
		}
		return memstore.Fault{}
	}
}
