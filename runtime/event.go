package fw

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/delivery"
)

// Operation is what happened to a document, a collection or a database.
type Operation string

// The operations, named as the server names them.
const (
	OpInsert       Operation = "insert"
	OpUpdate       Operation = "update"
	OpReplace      Operation = "replace"
	OpDelete       Operation = "delete"
	OpDrop         Operation = "drop"
	OpDropDatabase Operation = "dropDatabase"
	OpRename       Operation = "rename"
)

// Namespace is where it happened.
type Namespace struct {
	Database   string
	Collection string // "" for dropDatabase
}

// Txn identifies the multi-document transaction an event belongs to.
type Txn struct {
	Session bson.Raw // lsid
	Number  int64    // txnNumber
}

// Event is a change event with a document of type T. It is decoded anew for every attempt and is
// the handler's to keep.
type Event[T any] struct {
	// ID is the same for every delivery of the event, on every instance. Use it to recognise
	// repeats outside MongoDB.
	ID string
	// Stream is the name of the stream.
	Stream string

	Operation Operation
	Namespace Namespace
	// Key is the documentKey; nil for drop, dropDatabase and rename.
	Key bson.Raw
	// Doc is the document; nil where the event has none.
	Doc *T
	// Before is the document as it was before the change, where pre-images are asked for.
	Before *T
	// Update says what an update changed; nil unless it is one. Its methods accept nil.
	Update *UpdateDescription
	// ClusterTime is the time of the change, the same for all changes of a transaction.
	ClusterTime bson.Timestamp
	// WallTime is the server's clock at the time of the change.
	WallTime time.Time
	// Txn is nil outside a transaction.
	Txn *Txn

	// Attempt counts from 1, and begins again after a restart or a take-over.
	Attempt int
	// Deferrals counts the attempts that ended with [RetryAfter].
	Deferrals int
	// FirstAttempt is when this process first attempted the event.
	FirstAttempt time.Time
	// Term is the fencing number of this leadership: it grows with every take-over. Hand it to
	// receivers outside MongoDB, which can then refuse a stale one.
	Term int64
	// Replayed is set when the event comes from a dead letter.
	Replayed bool
	// Raw is the whole change event.
	Raw bson.Raw

	delivery *delivery.Delivery
}

// Set keeps a value with the event: later attempts see it, and a dead letter stores it.
func (e *Event[T]) Set(key string, v any) {
	if e.delivery != nil {
		e.delivery.Set(key, v)
	}
}

// Get returns what [Event.Set] kept, also in an earlier attempt.
func (e *Event[T]) Get(key string) (v any, ok bool) {
	if e.delivery == nil {
		return nil, false
	}
	return e.delivery.Get(key)
}

// Checkpoint settles the event as handled now and returns when the position is stored as far as
// every event before it allows. It does not wait for other events. An error that the handler
// returns later is logged and counted, and not retried.
func (e *Event[T]) Checkpoint(ctx context.Context) error {
	if e.delivery == nil {
		return errNotDelivered
	}
	return e.delivery.Checkpoint(ctx)
}

// SendToDLQ stores the event as a dead letter, in one bounded write. After success the event is
// settled as a dead letter whatever the handler returns; an error is the handler's to deal with.
func (e *Event[T]) SendToDLQ(ctx context.Context, reason string) error {
	if e.delivery == nil {
		return errNotDelivered
	}
	return e.delivery.SendToDLQ(ctx, reason)
}
