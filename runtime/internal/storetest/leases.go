package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// LeasesUnderTest is an empty store and what a test may do to it from outside.
type LeasesUnderTest struct {
	store.Leases

	// Delete removes a lease, as somebody might by hand.
	Delete func(ctx context.Context, stream string) error

	// Writes returns how many writes to leases the store has performed.
	Writes func(ctx context.Context) (int64, error)
}

// Leases checks a [store.Leases].
func Leases(t *testing.T, newStore func(*testing.T) LeasesUnderTest, opts ...Option) {
	s := newSuite(opts)
	for _, group := range [][]leaseTest{
		acquireTests, renewTests, releaseTests, holdTests, contenderTests, watchTests,
		contentionTests,
	} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) {
				s.run(t, func(t *testing.T) {
					test.run(&leases{T: t, ctx: callContext(t), LeasesUnderTest: newStore(t)})
				})
			})
		}
	}
}

type leaseTest struct {
	name string
	run  func(*leases)
}

// leases is what one test works with.
type leases struct {
	*testing.T
	LeasesUnderTest
	ctx context.Context
}

const (
	stream = "orders"
	long   = time.Minute
	short  = 300 * time.Millisecond // a lease that a test lets expire
)

func request(owner string, ttl time.Duration) store.AcquireRequest {
	return store.AcquireRequest{
		Stream: stream, Owner: owner, TTL: ttl, Priority: 3,
		Instance: store.Instance{Name: owner, Host: "$host.name", PID: 7, Process: "p-" + owner},
	}
}

func (l *leases) acquire(req store.AcquireRequest) store.Lease {
	l.Helper()
	lease, err := l.Acquire(l.ctx, req)
	require(l.T, err)
	return lease
}

func (l *leases) renew(owner string, term int64, ttl time.Duration) store.Lease {
	l.Helper()
	lease, err := l.Renew(l.ctx, store.RenewRequest{
		Stream: stream, Owner: owner, Term: term, TTL: ttl,
	})
	require(l.T, err)
	return lease
}

func (l *leases) release(owner string, term int64) error {
	l.Helper()
	return l.Release(l.ctx, store.ReleaseRequest{
		Stream: stream, Owner: owner, Term: term, Reason: store.SteppedDown,
	})
}

// look reads the lease without changing it.
func (l *leases) look() store.Lease {
	l.Helper()
	lease, err := l.Look(l.ctx, stream)
	require(l.T, err)
	return lease
}

// mustGrant checks that a lease is the owner's under a term.
func (l *leases) mustGrant(lease store.Lease, owner string, term int64) {
	l.Helper()
	if !lease.Granted(owner) || lease.Term != term {
		l.Fatalf("got %+v, want it granted to %s under term %d", lease, owner, term)
	}
}

// mustStay checks that nothing happened to a lease but the passing of time.
func (l *leases) mustStay(got, want store.Lease) {
	l.Helper()
	got.ExpiresIn, want.ExpiresIn = got.ExpiresIn.Round(long), want.ExpiresIn.Round(long)
	got.Hold, want.Hold = nil, nil
	if got != want {
		l.Fatalf("the lease changed:\n got %+v\nwant %+v", got, want)
	}
}

// expired waits until the lease has expired by the store's clock.
func (l *leases) expired() {
	l.Helper()
	eventually(l.T, "the lease expires", func() bool { return l.look().ExpiresIn <= 0 })
}

// mustNotWrite returns a function that checks that nothing was written since.
func (l *leases) mustNotWrite() func() {
	l.Helper()
	if l.Writes == nil {
		return func() {}
	}
	before, err := l.Writes(l.ctx)
	require(l.T, err)
	return func() {
		l.Helper()
		after, err := l.Writes(l.ctx)
		require(l.T, err)
		if after != before {
			l.Errorf("%d writes by calls that change nothing", after-before)
		}
	}
}
