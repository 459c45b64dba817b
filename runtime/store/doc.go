// Package store declares what another backend implements to keep the state of streams: leases,
// checkpoints and dead letters. MongoDB is the default for each of them.
//
// # Time
//
// A store has one clock, the server's. Requests carry durations, answers carry durations that were
// computed by that clock, and no instant of a client's clock ever decides who leads. What a caller
// does with a duration, it measures on its own clock from the start of the call.
//
// # Terms
//
// A term is the fencing number of one leadership of one stream. A lease store hands out each term
// once and in growing order. A checkpoint store keeps the highest term it was shown and refuses
// every write of a smaller one, so a leader that was paused, or cut off, can do no harm when it
// comes back.
//
// # Unknown outcomes
//
// An error that is none of the sentinels below says nothing about whether the write happened. A
// caller repeats the call: every method is written so that a repeat with the same arguments is
// safe. An implementation never turns an unknown outcome into success.
package store

import "errors"

var (
	// ErrFenced says that a higher term owns the stream: the caller's leadership is over and
	// nothing was written.
	ErrFenced = errors.New("a higher term owns the stream")

	// ErrMissing says that the checkpoint a write is conditional on is not there, as when somebody
	// deleted it by hand. Nothing was written.
	ErrMissing = errors.New("the checkpoint does not exist")

	// ErrNotOwner says that a lease was not released, because its owner and term are not the
	// caller's any more.
	ErrNotOwner = errors.New("the lease belongs to another owner or term")

	// ErrWatchUnsupported says that a lease store can't tell of changes: callers poll instead.
	ErrWatchUnsupported = errors.New("watching leases is not supported")
)
