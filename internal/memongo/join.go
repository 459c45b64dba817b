package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// join makes the command part of its session and transaction. The function that it returns takes
// the command's error and leaves them; it returns the error as the client is to see it.
func (r *request) join() (leave func(error) error, err error) {
	stay := func(err error) error { return err }
	if err := r.transactionFields(); err != nil {
		return nil, err
	}
	lsid, err := r.readLSID()
	if lsid == nil || err != nil {
		return stay, err
	}
	r.lsid = full(lsid)
	r.session = r.server.sessions.get(lsid)
	release := r.under(r.session.alive())
	number, ok, err := r.number()
	if err != nil {
		release()
		return nil, err
	}
	if !ok {
		return func(err error) error { release(); return err }, nil
	}
	r.txnNumber = number
	if err := r.session.take(r.ctx); err != nil {
		release()
		return nil, err
	}
	leave = func(err error) error {
		if err != nil && r.txn != nil {
			r.session.failed(r.txn)
		}
		r.session.give()
		release()
		return err
	}
	if err := r.continues(); err != nil {
		return nil, leave(err)
	}
	return leave, nil
}

// readLSID returns the command's session, nil for none.
func (r *request) readLSID() (bson.D, error) {
	lsid, ok := r.args.document("lsid")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	if !ok {
		if _, numbered := r.args.get("txnNumber"); numbered {
			return nil, mongoerr.New(mongoerr.InvalidOptions,
				"Transaction number requires a session ID to also be specified")
		}
		return nil, nil
	}
	a := newArgs("OperationSessionInfo.lsid", lsid)
	a.only("id", "uid", "txnNumber", "txnUUID")
	id := a.require("id")
	if binary, ok := id.(bson.Binary); a.failed() == nil && (!ok || binary.Subtype != 4) {
		a.wrongType("id", id, "binData")
	}
	return lsid, a.failed()
}

// number returns the command's txnNumber, if it has one.
func (r *request) number() (int64, bool, error) {
	v, ok := r.args.get("txnNumber")
	if !ok {
		return 0, false, nil
	}
	number, isLong := v.(int64)
	switch {
	case !isLong:
		a := newArgs("OperationSessionInfo", nil)
		a.wrongType("txnNumber", v, "long")
		return 0, false, a.failed()
	case number < 0:
		return 0, false, mongoerr.New(mongoerr.InvalidOptions,
			"Transaction number cannot be negative")
	}
	return number, true, nil
}

// continues finds out what the command's txnNumber makes of it.
func (r *request) continues() error {
	switch {
	case r.inTransaction():
		return r.joinTransaction()
	case !r.command.is(retryable):
		return mongoerr.New(50768, "txnNumber may only be provided for multi-document "+
			"transactions and retryable write commands. autocommit:false was not provided, and "+
			"%s is not a retryable write command.", r.command.name)
	}
	return r.joinRetryable()
}
