package store

import (
	"context"
	"time"
)

// Leases grants the leadership of streams. One lease exists per stream, for ever: it must outlive
// its owners, since the term is counted in it.
//
// Implementations are safe for concurrent use. Every call ends by the deadline of its context.
type Leases interface {
	// Acquire asks for the lease of a stream.
	//
	//   - The lease is free (never owned, released or expired by the server's clock) and not held:
	//     it is granted with a new term, one above the last and at least MinTerm, also to the owner
	//     that had it before.
	//   - It is the caller's and live, and Term is its term: granted under a new term when Term is
	//     below MinTerm, else left alone.
	//   - Somebody else's, live and not held, of a priority below Priority: the owner and term stay,
	//     and the caller is announced as Lease.Contender for half of TTL, unless a live contender
	//     of at least the same priority is. The owner is to step down.
	//   - Anything else: nothing changes, and the answer tells who owns the lease and for how long.
	//
	// A grant ends every announcement.
	//
	// The caller leads only if Lease.Owner is its own owner and Lease.Term is a term that it was
	// granted by this answer; see [Lease.Granted].
	Acquire(ctx context.Context, req AcquireRequest) (Lease, error)

	// Renew extends a live lease of this owner and term to TTL from now and tells of a hold. In
	// every other case nothing changes and the answer tells who owns the lease now. It never
	// creates a lease.
	Renew(ctx context.Context, req RenewRequest) (Lease, error)

	// Release gives a lease of this owner and term back, so that another instance can acquire it
	// at once. It returns [ErrNotOwner] when the lease is not the caller's any more.
	Release(ctx context.Context, req ReleaseRequest) error

	// Withdraw takes back what Acquire announced for an owner, who contends no longer. It returns
	// nil where nothing is announced for it.
	Withdraw(ctx context.Context, req WithdrawRequest) error

	// Look tells how a lease is, and changes nothing. Of a stream that nobody ever asked for it
	// tells the zero Lease with its name.
	Look(ctx context.Context, stream string) (Lease, error)

	// Hold keeps a stream from being granted to anybody, whether it has a lease or not, until it
	// is lifted or Until has passed by the server's clock. Its owner is to give it back. It
	// replaces a hold that there is.
	Hold(ctx context.Context, req HoldRequest) error

	// Lift ends the hold of a stream. It returns nil where there is none.
	Lift(ctx context.Context, stream string) error

	// Watch calls changed for every change to a lease that the store learns of, first calling
	// ready once it can miss nothing more. It returns when ctx ends or the watch breaks; the
	// caller watches again and reads what it may have missed. An expiry is not a change. It
	// returns [ErrWatchUnsupported] where the store has no such thing.
	Watch(ctx context.Context, ready func(), changed func(Lease)) error
}

// AcquireRequest is what [Leases.Acquire] takes.
type AcquireRequest struct {
	Stream   string
	Owner    string        // instance and a random part, unique per App
	Term     int64         // the caller's live term, when it has one; else 0
	MinTerm  int64         // the smallest term that is of use; 0 and 1 mean any
	TTL      time.Duration // how long the lease lives without a renewal
	Priority int
	Instance Instance
}

// RenewRequest is what [Leases.Renew] takes.
type RenewRequest struct {
	Stream, Owner string
	Term          int64
	TTL           time.Duration
}

// ReleaseRequest is what [Leases.Release] takes.
type ReleaseRequest struct {
	Stream, Owner string
	Term          int64
	Reason        ReleaseReason
}

// WithdrawRequest is what [Leases.Withdraw] takes.
type WithdrawRequest struct {
	Stream, Owner string
}

// HoldRequest is what [Leases.Hold] takes.
type HoldRequest struct {
	Stream, By, Reason string
	Until              time.Time // zero: until it is lifted
}

// Instance tells a person which process is meant. It decides nothing.
type Instance struct {
	Name    string // Config.Instance
	Host    string
	PID     int
	Process string // the random part that tells two runs of one instance apart
}

// Lease is the state of one lease as of an answer.
type Lease struct {
	Stream    string
	Owner     string // "" if nobody owns it
	Term      int64  // the last term that was granted; 0 if none ever was
	TTL       time.Duration
	ExpiresIn time.Duration // by the server's clock; zero or less: expired or released
	Priority  int
	Contender *Contender // not nil while a live one of a higher priority asks for the lease
	Hold      *Hold      // not nil while the stream is held
	Released  ReleaseReason
	Instance  Instance // of the owner, or of the last one
}

// Live reports whether somebody owns the lease.
func (l Lease) Live() bool { return l.Owner != "" && l.ExpiresIn > 0 }

// Granted reports whether the lease is live and owner's.
func (l Lease) Granted(owner string) bool { return l.Live() && l.Owner == owner }

// Contender asks for a live lease with a higher priority than its owner has.
type Contender struct {
	Owner     string
	Priority  int
	Instance  Instance
	ExpiresIn time.Duration // by the server's clock, unless it asks again
}

// Hold keeps a stream from running anywhere until it is lifted, or until its time is over.
type Hold struct {
	By, Reason string
	At         time.Time
	Until      time.Time     // zero: until it is lifted
	ExpiresIn  time.Duration // by the server's clock; 0 where Until is zero
}

// ReleaseReason says why a leader gave its lease back.
type ReleaseReason string

// The reasons, as they are stored.
const (
	Stopped       ReleaseReason = "STOPPED"        // the process stops
	SteppedDown   ReleaseReason = "STEPPED_DOWN"   // asked to, or for a higher priority
	Lost          ReleaseReason = "LOST"           // somebody else owns it
	RenewalFailed ReleaseReason = "RENEWAL_FAILED" // trust ended before a renewal was confirmed
	StreamStopped ReleaseReason = "STREAM_STOPPED" // an operator stopped the stream
	StreamFailing ReleaseReason = "STREAM_FAILING" // the stream fails here
	Held          ReleaseReason = "HELD"           // somebody holds the stream
)
