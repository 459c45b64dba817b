package lease_test

import (
	"context"
	"fmt"
	"maps"
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
	running    map[seat]*leading
	out        map[seat]int                 // calls
	deadlines  map[string]time.Time         // of the last call, by owner
	term       map[string]int64             // the last that was led, by stream
	changed    map[string]func(store.Lease) // of the watches, by owner
	made       []call
	resumed    time.Time // when the instances were suspended last
	violations []string
}

// seat is one instance's part in one stream.
type seat struct{ stream, owner string }

// call is one that an instance began.
type call struct {
	seat
	what string
	at   time.Time
}

func newOracle(leases *memstore.Leases) *oracle {
	return &oracle{
		Leases:    leases,
		began:     time.Now(),
		running:   make(map[seat]*leading),
		out:       make(map[seat]int),
		deadlines: make(map[string]time.Time),
		term:      make(map[string]int64),
		changed:   make(map[string]func(store.Lease)),
	}
}

// begins notes that a lead begins. No other may be able to act, and its term is a new one.
func (o *oracle) begins(s seat, run *leading) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if term := run.l.Term(); term <= o.term[s.stream] {
		o.violated("%s leads term %d after term %d", s, term, o.term[s.stream])
	}
	o.term[s.stream] = run.l.Term()
	if o.running[s] != nil {
		o.violated("%s leads though its lead before has not returned", s)
	}
	for other, r := range o.running {
		acts := r.ctx.Err() == nil && (time.Since(o.resumed) > recheck || r.l.Trusted())
		if other != s && other.stream == s.stream && acts {
			o.violated("%s leads though the context of %s has not ended", s, other)
		}
	}
	o.running[s] = run
}

// suspended notes that the machines of all instances stood still just now.
func (o *oracle) suspended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.resumed = time.Now()
}

func (o *oracle) ends(s seat) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.running, s)
}

// call notes a call, and returns what notes its end. An instance makes one at a time for a stream,
// and neither acquires nor gives anything back while its lead runs. The store is told how long a
// call is of use.
func (o *oracle) call(ctx context.Context, s seat, idle bool, what string) func() {
	if o.spins(s) {
		time.Sleep(time.Millisecond) // or time would never pass again
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	deadline, ok := ctx.Deadline()
	if !ok || time.Until(deadline) > 5*time.Second {
		o.violated("%s %s with a deadline in %v", s, what, time.Until(deadline))
	}
	o.deadlines[s.owner] = deadline
	o.made = append(o.made, call{seat: s, what: what, at: time.Now()})
	if o.out[s]++; o.out[s] > 1 {
		o.violated("%s %s though another call of it is out", s, what)
	}
	if idle && o.running[s] != nil {
		o.violated("%s %s while its lead runs", s, what)
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.out[s]--
	}
}

// spins reports whether an instance makes one call after another in no time.
func (o *oracle) spins(s seat) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for i := len(o.made) - 1; i >= 0 && o.made[i].at.Equal(time.Now()); i-- {
		if o.made[i].seat == s {
			n++
		}
	}
	if n > 20 {
		o.violated("%s makes %d calls in no time", s, n)
	}
	return n > 20
}

func (o *oracle) violated(format string, args ...any) {
	at := time.Since(o.began)
	o.violations = append(o.violations, fmt.Sprintf("%v: %s", at, fmt.Sprintf(format, args...)))
}

// tell tells every watch of a change that the store does not know.
func (o *oracle) tell(l store.Lease) {
	o.mu.Lock()
	changed := maps.Clone(o.changed)
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

// times returns when an instance began calls of a kind.
func (o *oracle) times(owner, what string) []time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	var times []time.Time
	for _, c := range o.made {
		if c.owner == owner && c.what == what {
			times = append(times, c.at)
		}
	}
	return times
}

func (o *oracle) count(owner, what string) int { return len(o.times(owner, what)) }

// client is the store as one instance sees it, past the oracle.
type client struct {
	*oracle
	owner string
}

func (c client) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	defer c.call(ctx, seat{req.Stream, c.owner}, req.Term == 0, "acquires")()
	return c.Leases.Acquire(ctx, req)
}

func (c client) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	defer c.call(ctx, seat{req.Stream, c.owner}, false, "renews")()
	return c.Leases.Renew(ctx, req)
}

func (c client) Release(ctx context.Context, req store.ReleaseRequest) error {
	defer c.call(ctx, seat{req.Stream, c.owner}, true, "releases")()
	return c.Leases.Release(ctx, req)
}

func (c client) Withdraw(ctx context.Context, req store.WithdrawRequest) error {
	defer c.call(ctx, seat{req.Stream, c.owner}, true, "withdraws")()
	return c.Leases.Withdraw(ctx, req)
}

func (c client) Look(ctx context.Context, stream string) (store.Lease, error) {
	defer c.call(ctx, seat{stream, c.owner}, false, "looks")()
	return c.Leases.Look(ctx, stream)
}

func (c client) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	c.mu.Lock()
	c.changed[c.owner] = changed
	c.mu.Unlock()
	return c.Leases.Watch(ctx, ready, changed)
}
