package memongo

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

const (
	transientTransaction = "TransientTransactionError"
	retryableWrite       = "RetryableWriteError"
	resumable            = "ResumableChangeStreamError"
	nonResumable         = "NonResumableChangeStreamError"
)

// retryableCodes are failures after which a write may be repeated as it was.
var retryableCodes = []int32{6, 7, 63, 89, 91, 134, 189, 234, 262, 358, 384, 9001,
	10107, 11600, 11602, 13435, 13436}

// notPrimaryCodes are failures by which a client learns that the topology has changed.
var notPrimaryCodes = []int32{189, 10107, 11602, 13435, 13436}

// labelled adds what the server tells clients of an error beside its code.
func (r *request) labelled(err error) error {
	var e *mongoerr.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	e = r.about(e)
	within := r.inTransaction()
	commits := r.ends()
	retried := mongoerr.Is(e, retryableCodes...)
	switch {
	case within && !commits && (retried || transient(e)):
		e = e.With(transientTransaction)
	case within && commits && mongoerr.Is(e, mongoerr.NoSuchTransaction, mongoerr.WriteConflict):
		e = e.With(transientTransaction)
	case retried && (commits || r.retries()):
		e = e.With(retryableWrite)
	}
	return e
}

// about adds what an error has whatever its command does.
func (r *request) about(e *mongoerr.Error) *mongoerr.Error {
	if mongoerr.Is(e, notPrimaryCodes...) && len(e.Fields) == 0 {
		now := r.server.topology.now()
		e.Fields = bson.D{{Key: "topologyVersion", Value: now.version()}}
	}
	switch {
	case mongoerr.Is(e, mongoerr.ChangeStreamFatalError, mongoerr.ChangeStreamHistoryLost):
		return e.With(nonResumable)
	case mongoerr.Is(e, mongoerr.InterruptedDueToReplState) && r.opensChangeStream():
		return e.With(resumable)
	}
	return e
}

// opensChangeStream reports whether the command is the aggregation of a change stream.
func (r *request) opensChangeStream() bool {
	if r.command.name != "aggregate" {
		return false
	}
	stages, _ := r.args.array("pipeline")
	_, ok := changeStreamSpec(stages)
	return ok
}

// inTransaction reports whether the client sent the command as part of a transaction.
func (r *request) inTransaction() bool {
	_, multi := r.args.bool("autocommit")
	return multi
}

// retries reports whether the client sent the command as a retryable write.
func (r *request) retries() bool {
	_, numbered := r.args.int("txnNumber")
	return numbered && r.command.is(retryable) && !r.inTransaction()
}

// transient reports whether a transaction that failed so may be run again as a whole.
func transient(err error) bool {
	return mongoerr.Is(err, mongoerr.WriteConflict, mongoerr.NoSuchTransaction,
		mongoerr.SnapshotUnavailable, mongoerr.LockTimeout)
}

// explained says in an error during what it was met.
func explained(during string, err error) error {
	var e *mongoerr.Error
	if !errors.As(err, &e) {
		return err
	}
	within := *e
	within.Message = during + " :: caused by :: " + e.Message
	return &within
}
