package store

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// DeadLetterWriter stores events that could not be handled.
//
// Implementations are safe for concurrent use. Every call ends by the deadline of its context.
type DeadLetterWriter interface {
	// Prepare makes what a stream's dead letters need (collection and indexes). It may be
	// called again.
	Prepare(ctx context.Context, collection string) error

	// Write stores a dead letter, unless fence is stale: then it returns [ErrFenced] or
	// [ErrMissing] and stores nothing. A repeat for an event that is stored already keeps
	// CreatedAt, adds the attempt to the history, and changes the rest only while the dead letter
	// is pending.
	Write(ctx context.Context, fence Fence, letter DeadLetter) error
}

// Fence ties a write to a leadership: the write is refused when the checkpoint has seen a higher
// term.
type Fence struct {
	Checkpoint string // id of the checkpoint
	Term       int64
}

// DeadLetter is an event that could not be handled, with everything that a replay needs.
type DeadLetter struct {
	Collection string
	ID         string // stream/eventId, or stream#instance/eventId
	Stream     string
	Operation  string // INSERT UPDATE REPLACE DELETE DROP DROPDATABASE RENAME
	Term       int64
	InstanceID string

	DocumentKey              bson.Raw
	FullDocument             bson.RawValue // as the event had it; zero: it had none
	FullDocumentBeforeChange bson.RawValue
	UpdateDescription        bson.Raw
	Namespace                bson.Raw
	ClusterTime              bson.Timestamp
	WallTime                 time.Time
	Txn                      bson.Raw // {lsid, txnNumber}; empty outside a transaction
	ResumeToken              bson.Raw
	Metadata                 bson.Raw

	Error          DeadLetterError
	History        []FailedAttempt // the last 10 of this delivery, the one of Error included
	Attempts       int
	FirstAttemptAt time.Time
	LastAttemptAt  time.Time
	Retention      time.Duration // counted from the write by the server's clock; negative: for ever
	OmitDocument   bool          // leave both documents out
}

// DeadLetterError is why an event could not be handled.
type DeadLetterError struct {
	Type       string // Go type of the error
	Kind       string // decode filter handler panic timeout
	Message    string
	StackTrace string // where a panic happened; "" otherwise or if it is left out
}

// FailedAttempt is one entry of a dead letter's history.
type FailedAttempt struct {
	At      time.Time
	Kind    string
	Message string
}
