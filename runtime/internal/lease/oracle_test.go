package lease_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// recheck is how long after a suspend a context may live on. Only Trusted notices at once.
const recheck = time.Second

// oracle stands between electors and their store, and notes what must never be seen.
type oracle struct {
	*memstore.Leases
	began time.Time

	mu         sync.Mutex // guards everything below
	running    map[string]*leading
	out        map[string]int       // calls, by owner
	deadlines  map[string]time.Time // of the last call, by owner
	term       int64                // the last that was led
	changed    []func(store.Lease)  // of the watches
	resumed    time.Time            // when the instances were suspended last
	violations []string
}

func newOracle(leases *memstore.Leases) *oracle {
	return &oracle{
		Leases:    leases,
		began:     time.Now(),
		running:   make(map[string]*leading),
		out:       make(map[string]int),
		deadlines: make(map[string]time.Time),
	}
}

// begins notes that a lead begins. No other may be able to act, and its term is a new one.
func (o *oracle) begins(name string, run *leading) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if term := run.l.Term(); term <= o.term {
		o.violated("%s leads term %d after term %d", name, term, o.term)
	}
	o.term = run.l.Term()
	if o.running[name] != nil {
		o.violated("%s leads though its lead before has not returned", name)
	}
	for other, r := range o.running {
		if other != name && r.ctx.Err() == nil && (time.Since(o.resumed) > recheck || r.l.Trusted()) {
			o.violated("%s leads though the context of %s has not ended", name, other)
		}
	}
	o.running[name] = run
}

// suspended notes that the machines of all instances stood still just now.
func (o *oracle) suspended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.resumed = time.Now()
}

func (o *oracle) ends(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, name)
}

func (o *oracle) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	defer o.call(ctx, req.Owner, req.Term == 0, "acquires")()
	return o.Leases.Acquire(ctx, req)
}

func (o *oracle) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	defer o.call(ctx, req.Owner, false, "renews")()
	return o.Leases.Renew(ctx, req)
}

func (o *oracle) Release(ctx context.Context, req store.ReleaseRequest) error {
	defer o.call(ctx, req.Owner, true, "releases")()
	return o.Leases.Release(ctx, req)
}

// call notes a call, and returns what notes its end. An owner makes one at a time, and neither
// acquires nor releases while its lead runs. The store is told how long a call is of use.
func (o *oracle) call(ctx context.Context, owner string, idle bool, what string) func() {
	o.mu.Lock()
	defer o.mu.Unlock()
	deadline, ok := ctx.Deadline()
	if !ok || time.Until(deadline) > 5*time.Second {
		o.violated("%s %s with a deadline in %v", owner, what, time.Until(deadline))
	}
	o.deadlines[owner] = deadline
	if o.out[owner]++; o.out[owner] > 1 {
		o.violated("%s %s though another call of it is out", owner, what)
	}
	if idle && o.running[owner] != nil {
		o.violated("%s %s while its lead runs", owner, what)
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.out[owner]--
	}
}

func (o *oracle) violated(format string, args ...any) {
	at := time.Since(o.began)
	o.violations = append(o.violations, fmt.Sprintf("%v: %s", at, fmt.Sprintf(format, args...)))
}

// Watch lets a test tell of changes that the store does not know.
func (o *oracle) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	o.mu.Lock()
	o.changed = append(o.changed, changed)
	o.mu.Unlock()
	return o.Leases.Watch(ctx, ready, changed)
}

// tell tells every watch of a change.
func (o *oracle) tell(l store.Lease) {
	o.mu.Lock()
	changed := o.changed
	o.mu.Unlock()
	for _, tell := range changed {
		tell(l)
	}
}

func (o *oracle) deadline(owner string) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.deadlines[owner]
}
