package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// retries is a retryable write: what its session remembers of the same txnNumber.
type retries struct {
	session *session
	first   int32   // id of the command's first statement
	ids     []int32 // ids of its statements, where they were given
}

// joinRetryable begins a retryable write or recognizes one that is repeated.
func (r *request) joinRetryable() error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.txnNumber < s.txnNumber:
		return mongoerr.New(mongoerr.TransactionTooOld, "Retryable write with txnNumber %d is "+
			"prohibited on session %s because a newer retryable write with txnNumber %d has "+
			"already started on this session.", r.txnNumber, s, s.txnNumber)
	case r.txnNumber == s.txnNumber && s.txn != nil:
		return mongoerr.New(mongoerr.IncompleteTransactionHistory, "Cannot retry a retryable "+
			"write that has been converted into a transaction")
	case r.txnNumber > s.txnNumber:
		s.supersede(r.txnNumber)
	}
	r.statement = &retries{session: s}
	first, one := r.args.int("stmtId")
	ids, several := r.args.array("stmtIds")
	if one && several {
		return mongoerr.New(mongoerr.InvalidOptions,
			"May not specify both stmtId and stmtIds in write command. Got %s", r.shown())
	}
	r.statement.first = int32(first)
	for _, id := range ids {
		if id, ok := id.(int32); ok {
			r.statement.ids = append(r.statement.ids, id)
		}
	}
	return nil
}

// supersede begins a txnNumber. The caller holds the turn and mu.
func (s *session) supersede(number int64) {
	if s.txn != nil {
		s.txn.abort()
	}
	s.txn, s.txnNumber, s.results = nil, number, make(map[int32]bson.D)
}

func tooOld(s *session, number int64) error {
	return mongoerr.New(mongoerr.TransactionTooOld,
		"Cannot start transaction with { txnNumber: %d } on session %s because a newer "+
			"transaction with txnNumberAndRetryCounter { txnNumber: %d, txnRetryCounter: 0 } has "+
			"already started on this session.", number, s, s.txnNumber)
}

// shown is the part of the command that numbers its statements.
func (r *request) shown() string { return value.Show(only(r.args.fields, "stmtId", "stmtIds")) }

// numbered refuses another number of ids than of statements.
func (r *request) numbered(statements int) error {
	if r.statement == nil || len(r.statement.ids) == 0 || len(r.statement.ids) == statements {
		return nil
	}
	return mongoerr.New(mongoerr.InvalidLength, "Number of statement ids must match the number "+
		"of batch entries. Got %d statement ids but %d operations. Statement ids: %s",
		len(r.statement.ids), statements, r.shown())
}

// id returns the id of the command's nth statement.
func (t *retries) id(n int) int32 {
	if n < len(t.ids) {
		return t.ids[n]
	}
	return t.first + int32(n)
}

// done returns the result of a statement that an earlier try has run.
func (r *request) done(n int) (bson.D, bool) {
	if r.statement == nil {
		return nil, false
	}
	result, ok := r.statement.session.results[r.statement.id(n)]
	return result, ok
}

// remember keeps the result of a statement for a later try.
func (r *request) remember(n int, result bson.D) {
	if r.statement != nil {
		r.statement.session.results[r.statement.id(n)] = result
	}
}
