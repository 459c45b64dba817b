package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// change is one statement of an update command, or a findAndModify.
type change struct {
	filter *match.Matcher
	query  bson.D
	update *update.Update
	upsert bool
	multi  bool
	vars   *expr.Vars
}

// updated is what a change did.
type updated struct {
	matched, modified int64
	upserted          any // _id, where a document was inserted
	inserted          bool
	before, after     bson.D // of a change of one document
}

func updateDocuments(r *request) (bson.D, error) {
	b, err := r.bulk()
	if err != nil {
		return nil, err
	}
	statements := r.args.documents("updates")
	r.args.require("updates")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	t := &tally{bulk: b}
	for _, statement := range statements {
		if err := readable(statement); err != nil {
			return nil, err // of the command: nothing is run
		}
	}
	run := func(n int) (bson.D, error) {
		c, err := r.change(statements[n])
		if err == nil {
			err = r.hinted(b.ns, newArgs("update.updates", statements[n]))
		}
		if err != nil {
			return nil, err
		}
		done, err := r.apply(b.ns, n, c)
		if err != nil {
			return nil, err
		}
		result := done.result()
		t.add(n, result)
		return result, nil
	}
	if err := b.each(len(statements), run, t.add); err != nil {
		return nil, err
	}
	return t.answer(), nil
}

// result is what is remembered of an update.
func (u updated) result() bson.D {
	result := bson.D{{Key: "n", Value: u.matched}, {Key: "nModified", Value: u.modified}}
	if u.inserted {
		result[0].Value = u.matched + 1
		result = append(result, bson.E{Key: "_id", Value: u.upserted})
	}
	return result
}

// tally adds the results of an update command's statements up.
type tally struct {
	bulk     *bulk
	modified int64
	upserted bson.A
}

func (t *tally) add(n int, result bson.D) {
	t.bulk.n += value.Lookup(result, "n").(int64)
	t.modified += value.Lookup(result, "nModified").(int64)
	if id, ok := value.Get(result, "_id"); ok {
		t.upserted = append(t.upserted,
			bson.D{{Key: "index", Value: int32(n)}, {Key: "_id", Value: id}})
	}
}

func (t *tally) answer() bson.D {
	more := []bson.E{}
	if len(t.upserted) > 0 {
		more = append(more, bson.E{Key: "upserted", Value: t.upserted})
	}
	more = append(more, bson.E{Key: "nModified", Value: int32(t.modified)})
	return t.bulk.answer(more...)
}

// readable refuses a statement that is not what a statement of an update looks like.
func readable(statement bson.D) error {
	a := newArgs("update.updates", statement)
	a.only("q", "u", "upsert", "multi", "arrayFilters", "collation", "hint", "c", "sampleId")
	a.require("q")
	u := a.require("u")
	_, _ = a.document("q")
	_, _ = a.bool("upsert")
	_, _ = a.bool("multi")
	_ = a.documents("arrayFilters")
	switch u.(type) {
	case bson.D, bson.A:
	default:
		a.fail(mongoerr.New(mongoerr.FailedToParse,
			"Update argument must be either an object or an array"))
	}
	return a.failed()
}

// change prepares a statement that is readable.
func (r *request) change(statement bson.D) (change, error) {
	a := newArgs("update.updates", statement)
	if err := a.simpleCollation(); err != nil {
		return change{}, err
	}
	c := change{upsert: a.flag("upsert"), multi: a.flag("multi")}
	c.query, _ = a.document("q")
	u, _ := a.get("u")
	filters := a.documents("arrayFilters")
	constants, given := a.document("c")
	if _, isPipeline := u.(bson.A); given && !isPipeline {
		return change{}, mongoerr.New(51198, "Constant values may only be specified for "+
			"pipeline updates")
	}
	var err error
	if c.vars, err = r.letVars(constants); err != nil {
		return change{}, err
	}
	return c, c.compile(u, update.Options{ArrayFilters: filters})
}

// compile reads the update and the filter, in this order: of two that are wrong, the server tells
// of the update.
func (c *change) compile(u any, o update.Options) error {
	o.Upsert, o.Multi = c.upsert, c.multi
	for name, v := range c.vars.Let {
		o.Let = append(o.Let, bson.E{Key: name, Value: v})
	}
	var err error
	if c.update, err = update.Compile(u, o); err != nil {
		return err
	}
	if c.filter, err = match.CompileIn(c.query, c.vars.Let); err != nil {
		return err
	}
	if c.upsert && c.filter.UsesExpr() {
		return mongoerr.New(mongoerr.QueryFeatureNotAllowed,
			"$expr is not allowed in the query predicate for an upsert")
	}
	return nil
}
