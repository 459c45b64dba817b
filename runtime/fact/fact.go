// Package fact has what an observer is told about streams, one type for each kind of fact.
//
// Facts are told off the event path, after they are true: a position or a dead letter is told of
// after the write was confirmed. They carry no documents.
package fact

import "time"

// Fact is one of the types of this package. More may be added: ignore those you don't know.
type Fact interface {
	// FactStream returns the stream the fact is about; "" if it is about none.
	FactStream() string
}

// Stream is part of every fact about a stream.
type Stream struct {
	Stream string
	Term   int64 // of this instance's leadership; 0 where there is none
	At     time.Time
}

// FactStream returns the name of the stream.
func (s Stream) FactStream() string { return s.Stream }

// StateChanged is told when a stream comes into another state, or another code of it.
type StateChanged struct {
	Stream
	From, To     string // values of fw.State
	Code, Reason string
}

// LeaseStandby is told when another instance turns out to lead.
type LeaseStandby struct {
	Stream
	Owner string
}

// LeaseAcquired is told when this instance begins to lead.
type LeaseAcquired struct{ Stream }

// LeaseReleased is told when this instance gave the lease back.
type LeaseReleased struct {
	Stream
	Reason string // values of store.ReleaseReason
}

// LeaseRenewalFailed is told of each renewal that was not confirmed.
type LeaseRenewalFailed struct {
	Stream
	Err error
}

// LeaseTrustEnded is told when leadership ends because no renewal was confirmed in time, or
// because somebody else owns the lease.
type LeaseTrustEnded struct {
	Stream
	Reason string // a store.ReleaseReason: RENEWAL_FAILED or LOST
	Owner  string // of the lease, where it is another's
}

// Fenced is told when a write was refused because a higher term owns the stream.
type Fenced struct{ Stream }

// ReaderOpened is told when a change stream is open and has answered.
type ReaderOpened struct{ Stream }

// ReaderFailed is told when a change stream failed and will be opened again.
type ReaderFailed struct {
	Stream
	Class string
	Err   error
	Retry time.Duration // until it is opened again; 0 if it is not
}

// Outcome says how an event was settled.
type Outcome string

// The outcomes.
const (
	Handled      Outcome = "handled"
	Filtered     Outcome = "filtered"
	Skipped      Outcome = "skipped"
	DeadLettered Outcome = "dead_lettered"
)

// EventSettled is told of every event, once.
type EventSettled struct {
	Stream
	EventID   string
	Operation string
	Outcome   Outcome
	Reason    string // of a skip or a dead letter
	Attempts  int
	Took      time.Duration // from the first attempt to the settlement
}

// AttemptFailed is told of every failed attempt.
type AttemptFailed struct {
	Stream
	EventID string
	Attempt int
	Kind    string // decode filter handler panic timeout
	Err     error
	Retry   time.Duration // until the next attempt; 0 if there is none
}

// EventStalled is told when an event without attempts left is kept.
type EventStalled struct {
	Stream
	EventID string
	Reason  string
}

// DeadLetterFailed is told of every dead letter that could not be written. It is tried again.
type DeadLetterFailed struct {
	Stream
	EventID string
	Err     error
}

// PositionSaved is told after a position was stored.
type PositionSaved struct {
	Stream
	Kind   string // values of store.PositionKind
	Events uint64 // settled since the one before
}

// PositionSaveFailed is told of every position that could not be stored. It is tried again.
type PositionSaveFailed struct {
	Stream
	Err error
}

// CheckpointMissing is told when the checkpoint was gone, as when somebody deleted it by hand. The
// stream restarts from what this process knows to be settled.
type CheckpointMissing struct{ Stream }

// Dropped is told when an observer was too slow, and facts were left out.
type Dropped struct{ Count int64 }

// FactStream returns "".
func (Dropped) FactStream() string { return "" }
