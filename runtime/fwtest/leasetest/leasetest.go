package leasetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Options say how [Run] gets a store, and what it can do.
type Options struct {
	// New returns an empty store. It is called for each rule, in that rule's test. Required.
	New func(testing.TB) Store

	// Bubble runs each rule in a testing/synctest bubble, so that waiting takes no time. For stores
	// that do no input or output.
	Bubble bool

	// NoWatch says that the store's Watch returns [store.ErrWatchUnsupported], which is checked in
	// place of the rules of a watch. Without it that error is a failure.
	NoWatch bool
}

// Store is an empty store, and what a test may do to it from outside. Only Leases is required.
type Store struct {
	store.Leases

	// Delete removes the lease of a stream with all that is stored of it, as somebody might by
	// hand.
	Delete func(ctx context.Context, stream string) error

	// Writes returns how many writes the store has performed, of whatever kind.
	Writes func(ctx context.Context) (int64, error)

	// Advance moves the clock of the store forward.
	Advance func(ctx context.Context, d time.Duration) error

	// Break makes the store unreachable, as a connection that is closed, until the test ends.
	Break func()
}

// Run checks a store. Each rule is a subtest.
func Run(t *testing.T, o Options) {
	t.Helper()
	for _, r := range o.rules() {
		t.Run(r.name, func(t *testing.T) {
			o.run(t, func(t *testing.T) { r.check(t, o) })
		})
	}
}

// run runs a test, in a bubble where that is asked for.
func (o Options) run(t *testing.T, test func(*testing.T)) {
	if o.Bubble {
		synctest.Test(t, test)
		return
	}
	test(t)
}

// rule is what a store must keep.
type rule struct {
	name string
	test func(*leases)
}

func (o Options) rules() (all []rule) {
	watch := watchRules()
	if o.NoWatch {
		watch = noWatchRules()
	}
	for _, group := range [][]rule{
		acquireRules(), termRules(), renewRules(), releaseRules(), holdRules(), contenderRules(),
		lookRules(), watch, outcomeRules(), raceRules(),
	} {
		all = append(all, group...)
	}
	return all
}

// check checks the rule on a store of its own.
func (r rule) check(t testing.TB, o Options) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	r.test(&leases{TB: t, Store: o.New(t), ctx: ctx})
}

// leases is what one rule is checked with.
type leases struct {
	testing.TB
	Store
	ctx context.Context
}

const (
	stream = "orders"
	long   = time.Minute
	short  = 300 * time.Millisecond // a lease, hold or announcement that a test lets expire

	// patience bounds a call, and a wait for what must come true.
	patience = 20 * time.Second
)

func request(owner string, ttl time.Duration) store.AcquireRequest {
	return store.AcquireRequest{
		Stream: stream, Owner: owner, TTL: ttl, Priority: 3,
		Instance: store.Instance{Name: owner, Host: "$host.name", PID: 7, Process: "p-" + owner},
	}
}

// must stops the test where a call failed that must not fail.
func (l *leases) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *leases) acquire(req store.AcquireRequest) store.Lease {
	l.Helper()
	lease, err := l.Acquire(l.ctx, req)
	l.must(err)
	return lease
}

func (l *leases) renew(owner string, term int64, ttl time.Duration) store.Lease {
	l.Helper()
	lease, err := l.Renew(l.ctx, store.RenewRequest{
		Stream: stream, Owner: owner, Term: term, TTL: ttl,
	})
	l.must(err)
	return lease
}

func (l *leases) release(owner string, term int64) error {
	l.Helper()
	return l.Release(l.ctx, store.ReleaseRequest{
		Stream: stream, Owner: owner, Term: term, Reason: store.SteppedDown,
	})
}

func (l *leases) look() store.Lease {
	l.Helper()
	lease, err := l.Look(l.ctx, stream)
	l.must(err)
	return lease
}

// mustGrant checks that a lease is the owner's under a term.
func (l *leases) mustGrant(lease store.Lease, owner string, term int64) {
	l.Helper()
	if !lease.Granted(owner) || lease.Term != term {
		l.Fatalf("got %+v, want it granted to %s under term %d", lease, owner, term)
	}
}

// mustStay checks that nothing happened to a lease but the passing of time, a hold and an
// announcement.
func (l *leases) mustStay(got, want store.Lease) {
	l.Helper()
	got.ExpiresIn, want.ExpiresIn = got.ExpiresIn.Round(long), want.ExpiresIn.Round(long)
	got.Hold, want.Hold, got.Contender, want.Contender = nil, nil, nil, nil
	if got != want {
		l.Fatalf("the lease changed:\n got %+v\nwant %+v", got, want)
	}
}

// pass lets short pass, and waits until the store shows that it has.
func (l *leases) pass(what string, passed func() bool) {
	l.Helper()
	if l.Advance != nil {
		l.must(l.Advance(l.ctx, short))
	}
	l.eventually(what, passed)
}

// expired waits until the lease has expired by the store's clock.
func (l *leases) expired() {
	l.Helper()
	l.pass("the lease expires", func() bool { return l.look().ExpiresIn <= 0 })
}

// eventually waits until done reports true.
func (l *leases) eventually(what string, done func() bool) {
	l.Helper()
	for deadline := time.Now().Add(patience / 2); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatalf("not within %v: %s", patience/2, what)
		}
	}
}

// mustNotWrite returns a function that checks that nothing was written since.
func (l *leases) mustNotWrite() func() {
	l.Helper()
	if l.Writes == nil {
		return func() {}
	}
	before, err := l.Writes(l.ctx)
	l.must(err)
	return func() {
		l.Helper()
		after, err := l.Writes(l.ctx)
		l.must(err)
		if after != before {
			l.Errorf("%d writes by calls that change nothing", after-before)
		}
	}
}
