package lease_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// oracle stands between electors and their store, and notes what must never be seen.
type oracle struct {
	*memstore.Leases
	began time.Time

	mu         sync.Mutex // guards everything below
	running    map[string]*leading
	out        map[string]int // calls, by owner
	term       int64          // the last that was led
	violations []string
}

func newOracle(leases *memstore.Leases) *oracle {
	return &oracle{
		Leases:  leases,
		began:   time.Now(),
		running: make(map[string]*leading),
		out:     make(map[string]int),
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
		if other != name && r.ctx.Err() == nil {
			o.violated("%s leads though the context of %s has not ended", name, other)
		}
	}
	o.running[name] = run
}

func (o *oracle) ends(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, name)
}

func (o *oracle) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	defer o.call(req.Owner, req.Term == 0, "acquires")()
	return o.Leases.Acquire(ctx, req)
}

func (o *oracle) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	defer o.call(req.Owner, false, "renews")()
	return o.Leases.Renew(ctx, req)
}

func (o *oracle) Release(ctx context.Context, req store.ReleaseRequest) error {
	defer o.call(req.Owner, true, "releases")()
	return o.Leases.Release(ctx, req)
}

// call notes a call, and returns what notes its end. An owner makes one at a time, and neither
// acquires nor releases while its lead runs.
func (o *oracle) call(owner string, idle bool, what string) func() {
	o.mu.Lock()
	defer o.mu.Unlock()
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
