package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/update"
)

// Write says whose a write is.
type Write struct {
	LSID      bson.D // of the session, for retryable writes and transactions; nil otherwise
	TxnNumber *int64
	StmtID    int32

	// BypassValidation lets documents in that the collection's validator refuses.
	BypassValidation bool
}

// Busy says that a write met what an open transaction has written, or a document that changed
// after the view it was found in. The caller waits for Done, bounded, and repeats the statement
// on a new view. Done may be closed already.
type Busy struct {
	Done <-chan struct{}
}

// Error says what was met.
func (b *Busy) Error() string { return "the document or collection is in use by a transaction" }

// Statement writes outside of multi-document transactions: each call is a commit. It holds no
// resources, so it needs no end.
type Statement struct {
	engine *Engine
	write  Write
}

// Statement returns a writer of single documents.
func (e *Engine) Statement(w Write) *Statement { return &Statement{engine: e, write: w} }

// View returns what is committed now. It never fails; see [Txn.View].
func (s *Statement) View(ns ...Namespace) (View, error) { return s.engine.Latest(), nil }

// Insert adds a document, which must have an _id (see [Engine.Prepare]), and creates the
// collection where there is none. A duplicate is 11000; a [*Busy] asks for a repetition.
func (s *Statement) Insert(ns Namespace, doc bson.D) error {
	return s.commit(func(d *draft) error { return d.insert(ns, doc) })
}

// Update puts an update's result in a record's place. A result that changes nothing writes
// nothing. A [*Busy] asks for a repetition.
func (s *Statement) Update(ns Namespace, rec Record, r update.Result) error {
	return s.commit(func(d *draft) error { return d.update(ns, rec, r) })
}

// Delete removes a record. A [*Busy] asks for a repetition.
func (s *Statement) Delete(ns Namespace, rec Record) error {
	return s.commit(func(d *draft) error { return d.delete(ns, rec) })
}

func (s *Statement) commit(write func(d *draft) error) error {
	e := s.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.draft(nil, s.write)
	if err := write(d); err != nil {
		return err
	}
	if len(d.changes) > 0 {
		e.commit(d.changes, false)
	}
	return nil
}
