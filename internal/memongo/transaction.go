package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// transaction is a multi-document transaction of a session.
type transaction struct {
	number    int64
	write     storage.Write
	open      *storage.Txn // nil before the first operation that reads or writes
	committed bool
	aborted   bool
	why       error // of the abort, where the client is to learn it; nil: no such transaction
}

// joinTransaction begins the transaction or goes on with it.
func (r *request) joinTransaction() error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	start, given := r.args.bool("startTransaction")
	switch {
	case given && !start:
		return mongoerr.New(mongoerr.InvalidOptions,
			"'startTransaction' field in command must be true, or absent")
	case !r.command.is(transactional):
		return mongoerr.New(mongoerr.OperationNotSupportedInTxn,
			"Cannot run '%s' in a multi-document transaction.", r.name)
	case r.txnNumber < s.txnNumber:
		return tooOld(s, r.txnNumber)
	case start:
		return r.startTransaction(s)
	case r.txnNumber > s.txnNumber || s.txn == nil:
		return mongoerr.New(mongoerr.NoSuchTransaction, "Given transaction number %d does not "+
			"match any in-progress transactions. The active transaction number is %d",
			r.txnNumber, s.txnNumber)
	}
	r.txn = s.txn
	return r.txn.usable(r.command.name)
}

// startTransaction begins a transaction. The caller holds the session's mu.
func (r *request) startTransaction(s *session) error {
	if r.txnNumber == s.txnNumber {
		return mongoerr.New(mongoerr.ConflictingOperation, "Only servers in a sharded cluster "+
			"can start a new transaction at the active transaction number")
	}
	s.supersede(r.txnNumber)
	number := r.txnNumber
	s.txn = &transaction{number: number, write: storage.Write{LSID: r.lsid, TxnNumber: &number}}
	r.txn = s.txn
	return nil
}

// usable returns why the transaction does not take a command, if it does not.
func (t *transaction) usable(command string) error {
	if t.open != nil && t.open.Err() != nil && !t.committed {
		t.aborted = true
	}
	commits := command == "commitTransaction"
	switch {
	case t.aborted && t.why != nil:
		why := t.why
		t.why = nil // told once; from then on there is no such transaction
		return why
	case t.aborted:
		return mongoerr.New(mongoerr.NoSuchTransaction,
			"Transaction with { txnNumber: %d } has been aborted.", t.number)
	case t.committed && !commits:
		return mongoerr.New(mongoerr.TransactionCommitted,
			"Transaction with { txnNumber: %d } has been committed.", t.number)
	}
	return nil
}

// abort ends the transaction unless it is committed.
func (t *transaction) abort(why error) {
	if t.committed || t.aborted {
		return
	}
	t.aborted, t.why = true, why
	if t.open != nil {
		t.open.Abort()
	}
}

// failed ends a transaction because one of its commands failed.
func (s *session) failed(t *transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.abort(nil)
}

func commitTransaction(r *request) (bson.D, error) {
	t := r.txn
	if t == nil {
		return nil, mongoerr.New(mongoerr.InvalidOptions,
			"commitTransaction must be run within a transaction")
	}
	if t.open != nil && !t.committed {
		if _, err := t.open.Commit(); err != nil {
			return nil, err
		}
	}
	t.committed = true
	return r.confirmed(bson.D{}), nil
}

func abortTransaction(r *request) (bson.D, error) {
	if r.txn == nil {
		return nil, mongoerr.New(mongoerr.InvalidOptions,
			"abortTransaction must be run within a transaction")
	}
	r.txn.abort(nil)
	return r.confirmed(bson.D{}), nil
}

// opened returns the transaction's storage. Its snapshot is taken by the first operation.
func (r *request) opened() (*storage.Txn, error) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.txn.usable(r.command.name); err != nil { // killed meanwhile
		return nil, err
	}
	if r.txn.open == nil {
		r.txn.open = r.server.engine.Begin(r.txn.write)
	}
	return r.txn.open, nil
}

// view returns what the command sees of some collections.
func (r *request) view(ns ...storage.Namespace) (storage.View, error) {
	if r.txn == nil {
		return r.server.engine.Latest(), nil
	}
	open, err := r.opened()
	if err != nil {
		return storage.View{}, err
	}
	return open.View(ns...)
}

// unbusy repeats a change as long as a transaction is in its way, and the command may wait.
func (r *request) unbusy(change func() error) error {
	for {
		if r.ctx.Err() != nil {
			return r.interrupted()
		}
		err := change()
		busy, ok := err.(*storage.Busy)
		if !ok {
			return err
		}
		select {
		case <-busy.Done:
		case <-r.ctx.Done():
		}
	}
}
