package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// statement is the result of one statement of a retryable write.
type statement struct {
	result bson.D // what the command's code needs to answer again
}

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
		return tooOld(s, r.txnNumber)
	case r.txnNumber == s.txnNumber && s.txn != nil:
		return mongoerr.New(mongoerr.IncompleteTransactionHistory,
			"Incomplete history detected for transaction %d on session %v", r.txnNumber, s.lsid)
	case r.txnNumber > s.txnNumber:
		s.supersede(r.txnNumber)
	}
	r.statement = &retries{session: s}
	if first, ok := r.args.int("stmtId"); ok {
		r.statement.first = int32(first)
	}
	ids, _ := r.args.array("stmtIds")
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
		s.txn.abort(nil)
	}
	s.txn, s.txnNumber, s.results = nil, number, make(map[int32]statement)
}

func tooOld(s *session, number int64) error {
	return mongoerr.New(mongoerr.TransactionTooOld,
		"Cannot start transaction with { txnNumber: %d } on session because a newer "+
			"transaction with txnNumber %d has already started", number, s.txnNumber)
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
	s, ok := r.statement.session.results[r.statement.id(n)]
	return s.result, ok
}

// remember keeps the result of a statement for a later try.
func (r *request) remember(n int, result bson.D) {
	if r.statement != nil {
		r.statement.session.results[r.statement.id(n)] = statement{result}
	}
}
