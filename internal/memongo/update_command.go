package memongo

import (
	"iter"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
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

// letVars returns the variables of the command's let, and those of one statement.
func (r *request) letVars(constants bson.D) (*expr.Vars, error) {
	vars := r.vars()
	let, _ := r.args.document("let")
	for _, e := range append(let[:len(let):len(let)], constants...) {
		if err := expr.CheckVariable(e.Key); err != nil {
			return nil, err
		}
		compiled, err := expr.CompileIn(e.Value, vars.Let)
		if err != nil {
			return nil, err
		}
		if readsDocuments(e.Value) {
			return nil, mongoerr.New(4890500, "Command let Expression tried to access a field, but "+
				"this is not allowed because Command let Expressions run before the query "+
				"examines any documents.")
		}
		v, err := compiled.Eval(vars)
		if err != nil {
			return nil, err
		}
		if vars.Let == nil {
			vars.Let = make(map[string]any)
		}
		vars.Let[e.Key] = v
	}
	return vars, r.args.failed()
}

// readsDocuments reports whether an expression names a field of the document that it is for.
func readsDocuments(e any) bool {
	switch e := e.(type) {
	case string:
		return len(e) > 1 && e[0] == '$' && e[1] != '$'
	case bson.A:
		return slices.ContainsFunc(e, readsDocuments)
	case bson.D:
		return slices.ContainsFunc(e, func(f bson.E) bool {
			return f.Key != "$literal" && readsDocuments(f.Value)
		})
	}
	return false
}

// apply runs a change. A document that another command changes between being found and being
// written makes storage ask for a repetition, which finds it anew.
func (r *request) apply(ns storage.Namespace, n int, c change) (updated, error) {
	w, err := r.writer(n)
	if err != nil {
		return updated{}, err
	}
	if c.multi {
		return r.applyAll(ns, w, c)
	}
	rec, pos, found, err := r.firstMatch(ns, w, c, nil)
	if err != nil {
		return updated{}, err
	}
	if !found {
		return r.upsert(ns, w, c)
	}
	return r.applyTo(ns, w, c, rec, pos)
}

// candidates returns the records among which those that match are, without a scan where the
// filter fixes the _id.
func candidates(
	view storage.View, ns storage.Namespace, filter bson.D,
) iter.Seq[storage.Record] {
	id, ok := value.Get(filter, "_id")
	switch {
	case !ok:
		return view.Scan(ns)
	case !isPlain(id):
		return byID(view, ns)
	}
	return func(yield func(storage.Record) bool) {
		if rec, ok := view.ByID(ns, id); ok {
			yield(rec)
		}
	}
}

// byID returns the records in the order of their _id, in which a server finds them whose plan is
// that index.
func byID(view storage.View, ns storage.Namespace) iter.Seq[storage.Record] {
	records := slices.SortedStableFunc(view.Scan(ns), func(a, b storage.Record) int {
		return value.Compare(value.Lookup(a.Doc, "_id"), value.Lookup(b.Doc, "_id"))
	})
	return slices.Values(records)
}

// isPlain reports whether a condition is a value that is compared by equality alone.
func isPlain(v any) bool {
	switch v := v.(type) {
	case nil, bson.Regex, bson.A:
		return false
	case bson.D:
		return len(v) > 0 && v[0].Key != "" && v[0].Key[0] != '$'
	}
	return true
}

// firstMatch finds the first record that matches, in an order if one is given.
func (r *request) firstMatch(
	ns storage.Namespace, w writer, c change, order *pipeline.SortOrder,
) (rec storage.Record, pos int, found bool, err error) {
	view, err := w.View(ns)
	if err != nil {
		return storage.Record{}, -1, false, err
	}
	if order != nil {
		return r.smallestMatch(view, ns, c, order)
	}
	for candidate := range candidates(view, ns, c.query) {
		pos, ok, err := c.filter.MatchPosition(candidate.Doc, c.vars)
		if err != nil || ok {
			return candidate, pos, ok, err
		}
	}
	return storage.Record{}, -1, false, nil
}

func (r *request) smallestMatch(
	view storage.View, ns storage.Namespace, c change, order *pipeline.SortOrder,
) (rec storage.Record, pos int, found bool, err error) {
	var docs []bson.D
	for candidate := range candidates(view, ns, c.query) {
		ok, err := c.filter.Match(candidate.Doc, c.vars)
		if err != nil {
			return storage.Record{}, -1, false, err
		}
		if ok {
			docs = append(docs, candidate.Doc)
		}
	}
	if err := order.Sort(docs); err != nil || len(docs) == 0 {
		return storage.Record{}, -1, false, err
	}
	id, _ := value.Get(docs[0], "_id")
	rec, _ = view.ByID(ns, id)
	pos, found, err = c.filter.MatchPosition(rec.Doc, c.vars)
	return rec, pos, found, err
}

func (r *request) applyTo(
	ns storage.Namespace, w writer, c change, rec storage.Record, pos int,
) (updated, error) {
	result, err := c.update.Apply(rec.Doc, update.Context{Vars: c.vars, Position: pos})
	if err != nil {
		return updated{}, err
	}
	done := updated{matched: 1, before: rec.Doc, after: result.Doc}
	if !result.Changed {
		return done, nil
	}
	done.modified = 1
	return done, w.Update(ns, rec, result)
}

func (r *request) applyAll(ns storage.Namespace, w writer, c change) (updated, error) {
	if r.statement != nil {
		return updated{}, mongoerr.New(mongoerr.InvalidOptions,
			"Cannot use (or request) retryable writes with multi=true")
	}
	view, err := w.View(ns)
	if err != nil {
		return updated{}, err
	}
	var total updated
	for rec := range candidates(view, ns, c.query) {
		done, err := r.applyIfMatching(ns, w, c, rec)
		if err != nil {
			return updated{}, err
		}
		total.matched += done.matched
		total.modified += done.modified
	}
	if total.matched == 0 {
		return r.upsert(ns, w, c)
	}
	return total, nil
}

// applyIfMatching changes one of many documents. Those before it stay changed when it is busy, so
// it is waited for here.
func (r *request) applyIfMatching(
	ns storage.Namespace, w writer, c change, rec storage.Record,
) (done updated, err error) {
	err = r.unbusy(func() error {
		pos, ok, err := c.filter.MatchPosition(rec.Doc, c.vars)
		if err != nil || !ok {
			return err
		}
		done, err = r.applyTo(ns, w, c, rec, pos)
		if _, busy := err.(*storage.Busy); busy {
			again, exists, viewErr := renewed(w, ns, rec)
			if done = (updated{}); viewErr != nil || !exists {
				return viewErr
			}
			rec = again
		}
		return err
	})
	return done, err
}

// upsert inserts where nothing matched, if that is wanted.
func (r *request) upsert(ns storage.Namespace, w writer, c change) (updated, error) {
	if !c.upsert {
		return updated{}, nil
	}
	equalities, err := c.equalities()
	if err != nil {
		return updated{}, err
	}
	doc, err := c.update.Upsert(equalities,
		update.Context{Vars: c.vars, Position: -1, Insert: true})
	if err != nil {
		return updated{}, err
	}
	if doc, err = r.server.engine.PrepareUpsert(doc); err != nil {
		return updated{}, err
	}
	if err := w.Insert(ns, doc); err != nil {
		return updated{}, err
	}
	id, _ := value.Get(doc, "_id")
	return updated{inserted: true, upserted: id, after: doc}, nil
}

// equalities are what the filter says of a document that an upsert inserts: of a replacement its
// _id alone.
func (c change) equalities() (bson.D, error) {
	if !c.update.IsReplacement() {
		return c.filter.Equalities()
	}
	id, ok, err := c.filter.IDEquality()
	if err != nil || !ok {
		return nil, err
	}
	return bson.D{{Key: "_id", Value: id}}, nil
}
