package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// writeConcern is what a client wants to have reached before it is answered. The one node is a
// majority, so whatever can be satisfied is at once.
type writeConcern struct {
	unsatisfiable string // why it can never be satisfied; "" if it is
}

// concern reads a command's write concern.
func (r *request) readWriteConcern() error {
	doc, ok := r.args.document("writeConcern")
	if !ok {
		return nil
	}
	a := newArgs("writeConcern", doc)
	a.only("w", "j", "wtimeout", "fsync", "getLastError", "provenance")
	if ms, ok := a.int("wtimeout"); ok && ms < 0 {
		return mongoerr.New(mongoerr.FailedToParse, "wtimeout must be a non-negative number")
	}
	switch w, _ := a.get("w"); w := w.(type) {
	case nil:
	case string:
		if w != "majority" {
			r.concern.unsatisfiable = "No write concern mode named '" + w + "' found in " +
				"replica set configuration"
		}
	case bson.D:
		return mongoerr.Unsupported("write concerns with tags")
	default:
		nodes, ok := a.int("w")
		if ok && (nodes < 0 || nodes > 50) {
			return mongoerr.New(mongoerr.FailedToParse,
				"w has to be a non-negative number and not greater than 50; found: %d", nodes)
		}
		if nodes > 1 {
			r.concern.unsatisfiable = "Not enough data-bearing nodes"
		}
	}
	return a.failed()
}

// confirmed adds to an answer that its write concern can't be met, if so.
func (r *request) confirmed(answer bson.D) bson.D {
	if r.concern.unsatisfiable == "" {
		return answer
	}
	code := mongoerr.UnknownReplWriteConcern
	if r.concern.unsatisfiable == "Not enough data-bearing nodes" {
		code = mongoerr.UnsatisfiableWriteConcern
	}
	e := mongoerr.New(code, "%s", r.concern.unsatisfiable)
	return append(answer, bson.E{Key: "writeConcernError", Value: bson.D{
		{Key: "code", Value: e.Code},
		{Key: "codeName", Value: e.CodeName()},
		{Key: "errmsg", Value: e.Message},
	}})
}
