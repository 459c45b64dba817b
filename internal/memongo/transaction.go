package memongo

import (
	"strconv"
	"strings"

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
}

// transactionFields refuses fields of a transaction that do not go together.
func (r *request) transactionFields() error {
	refuse := func(text string) error { return mongoerr.New(mongoerr.InvalidOptions, "%s", text) }
	autocommit, multi := r.args.bool("autocommit")
	start, starts := r.args.bool("startTransaction")
	_, numbered := r.args.get("txnNumber")
	switch {
	case starts && !multi:
		return refuse("'startTransaction' field requires 'autocommit' field to also be specified")
	case multi && !numbered:
		return refuse("'autocommit' field requires a transaction number to also be specified")
	case multi && autocommit:
		return refuse("Specifying autocommit=true is not allowed.")
	case starts && !start:
		return refuse("Specifying startTransaction=false is not allowed.")
	}
	return r.args.failed()
}

// transactionConcerns refuses concerns at a place where a transaction can't have them.
func (r *request) transactionConcerns(first bool) error {
	refuse := func(text string) error { return mongoerr.New(mongoerr.InvalidOptions, "%s", text) }
	_, writeConcern := r.args.get("writeConcern")
	_, readConcern := r.args.get("readConcern")
	switch level := r.readConcern(); {
	case writeConcern && !r.ends():
		return refuse("writeConcern is not allowed within a multi-statement transaction")
	case readConcern && !first:
		return refuse("Only the first command in a transaction may specify a readConcern")
	case level == "linearizable" || level == "available":
		return refuse("The readConcern level must be either 'local' (default), 'majority' or " +
			"'snapshot' in order to run in a transaction")
	}
	return nil
}

// ends reports whether the command ends a transaction.
func (r *request) ends() bool {
	return r.command.name == "commitTransaction" || r.command.name == "abortTransaction"
}

// notAllowed is the error of a command that can't be part of a transaction.
func (r *request) notAllowed() error {
	message := "Cannot run '" + r.command.name + "' in a multi-document transaction."
	switch {
	case r.command.name == "count":
		message += " Please see http://dochub.mongodb.org/core/transaction-count for a " +
			"recommended alternative."
	case r.command.traits == 0:
		message = "This command is not supported in transactions"
	}
	return mongoerr.New(mongoerr.OperationNotSupportedInTxn, "%s", message)
}

// joinTransaction begins the transaction or goes on with it.
func (r *request) joinTransaction() error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	start := r.args.flag("startTransaction")
	switch err := r.transactionConcerns(start); {
	case !r.command.is(transactional):
		return r.notAllowed()
	case err != nil:
		return err
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
	case t.aborted:
		return mongoerr.New(mongoerr.NoSuchTransaction,
			"Transaction with { txnNumber: %d } has been aborted.", t.number)
	case t.committed && !commits:
		return mongoerr.New(mongoerr.TransactionCommitted,
			"Transaction with { txnNumber: %d } has been committed.", t.number)
	}
	return nil
}

// String is how errors name the transaction.
func (t *transaction) String() string {
	if t == nil {
		return "none"
	}
	return strconv.FormatInt(t.number, 10)
}

// abort ends the transaction unless it is committed.
func (t *transaction) abort() {
	if t.committed || t.aborted {
		return
	}
	t.aborted = true
	if t.open != nil {
		t.open.Abort()
	}
}

// failed ends a transaction because one of its commands failed, or its client wants it to end.
func (s *session) failed(t *transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.abort()
}

func commitTransaction(r *request) (bson.D, error) {
	t := r.txn
	if t == nil {
		return nil, mongoerr.New(mongoerr.CommandFailed,
			"commitTransaction must be run within a transaction")
	}
	if err := r.session.commit(t); err != nil {
		return nil, err
	}
	return r.confirmed(bson.D{}), nil
}

// commit ends a transaction with success. Whoever aborts it meanwhile, as a step-down does, comes
// before or after that as a whole.
func (s *session) commit(t *transaction) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.open != nil && !t.committed {
		if _, err := t.open.Commit(); err != nil {
			return err
		}
	}
	t.committed = true
	return nil
}

func abortTransaction(r *request) (bson.D, error) {
	if r.txn == nil {
		return nil, mongoerr.New(mongoerr.CommandFailed,
			"abortTransaction must be run within a transaction")
	}
	r.session.failed(r.txn)
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
	for _, one := range ns {
		if one.DB == "local" {
			return storage.View{}, mongoerr.Unsupported("reading the database local")
		}
	}
	if r.txn == nil {
		return r.current()
	}
	for _, one := range ns {
		if strings.HasPrefix(one.Collection, "system.") {
			return storage.View{}, mongoerr.New(mongoerr.OperationNotSupportedInTxn,
				"Cannot run command against the '%s' collection in a transaction.", one)
		}
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
		if err := r.interrupted(); err != nil {
			return err
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
