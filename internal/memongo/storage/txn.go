package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/update"
)

// Txn is a multi-document transaction. One operation at a time may use it; [Txn.Abort], Done and
// Err may be called beside it. An operation that fails does not end it: the caller aborts it.
type Txn struct {
	done chan struct{}
}

// Begin opens a transaction on a snapshot of what is committed now, so it is called with the
// transaction's first operation.
func (e *Engine) Begin(w Write) *Txn { return &Txn{} }

// View returns the snapshot with the transaction's own writes so far, for a command that uses
// these collections. From then on whoever wants to drop or change them waits for the end of the
// transaction. 246 SnapshotUnavailable where a collection's definition is newer than the
// snapshot; 251 after the end.
func (t *Txn) View(ns ...Namespace) (View, error) { return View{}, nil }

// Insert adds a document, which must have an _id (see [Engine.Prepare]), and creates the
// collection where there is none.
func (t *Txn) Insert(ns Namespace, doc bson.D) error { return nil }

// Update puts an update's result in a record's place.
func (t *Txn) Update(ns Namespace, rec Record, r update.Result) error { return nil }

// Delete removes a record.
func (t *Txn) Delete(ns Namespace, rec Record) error { return nil }

// Create makes a collection, as [Engine.Create] does.
func (t *Txn) Create(ns Namespace, options bson.D) error { return nil }

// CreateIndexes makes indexes on a collection that is empty or that the transaction made.
func (t *Txn) CreateIndexes(ns Namespace, specs []bson.D) (IndexCounts, error) {
	return IndexCounts{}, nil
}

// Commit makes all writes visible at one cluster time, which it returns. A transaction without
// writes returns the time of the last commit. 251 where the transaction has been aborted.
func (t *Txn) Commit() (bson.Timestamp, error) { return bson.Timestamp{}, nil }

// Abort forgets the writes. It may be called at any time, also more than once, and does nothing
// after the commit.
func (t *Txn) Abort() {}

// Done is closed when the transaction has ended, by whatever.
func (t *Txn) Done() <-chan struct{} { return t.done }

// Err is nil while the transaction is open, and after that why it can no longer be used: 251
// after an abort, 290 after one because of its lifetime, 256 after the commit.
func (t *Txn) Err() error { return nil }
