package memongo

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func readCommands() []*command {
	const traits = reads | transactional
	return []*command{
		{name: "find", traits: traits, run: find,
			fields: "filter sort projection hint skip limit batchSize singleBatch returnKey " +
				"showRecordId tailable oplogReplay noCursorTimeout awaitData " +
				"allowPartialResults collation allowDiskUse let max min"},
		{name: "getMore", fields: "collection batchSize term", traits: transactional, run: getMore},
		{name: "killCursors", fields: "cursors", traits: transactional, run: killCursors},
		{name: "aggregate", traits: traits, run: aggregate,
			fields: "pipeline cursor explain allowDiskUse bypassDocumentValidation collation " +
				"hint let"},
		{name: "count", traits: reads, run: count,
			fields: "query limit skip hint collation fields"},
		{name: "distinct", traits: traits, run: distinct, fields: "key query collation"},
	}
}

// query is what a find asks for.
type query struct {
	filter *match.Matcher
	raw    bson.D // the filter as it came
	sort   *pipeline.SortOrder
	skip   int64
	limit  int64
	vars   *expr.Vars
}

func find(r *request) (bson.D, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	if err := r.args.unsupported("returnKey", "showRecordId", "tailable", "awaitData",
		"max", "min"); err != nil {
		return nil, err
	}
	q, err := r.query("filter")
	if err != nil {
		return nil, err
	}
	if err := r.hinted(ns, r.args); err != nil {
		return nil, err
	}
	single := r.args.flag("singleBatch")
	project, err := r.projection(q)
	if err != nil {
		return nil, err
	}
	view, err := r.view(ns)
	if err != nil {
		return nil, err
	}
	docs, err := q.find(view, ns, project)
	if err != nil {
		return nil, explained("Executor error during find command", err)
	}
	src := &documents{rest: docs, limited: q.limit > 0 && int64(len(docs)) == q.limit}
	return r.first(ns, src, single)
}

// query reads what documents a command is about.
func (r *request) query(filter string) (query, error) {
	var q query
	if err := r.args.simpleCollation(); err != nil {
		return q, err
	}
	if r.command.name == "find" {
		r.args.objects("filter", "sort", "projection")
	}
	q.raw, _ = r.args.document(filter)
	q.skip, _ = r.args.int("skip")
	q.limit, _ = r.args.int("limit")
	sort, _ := r.args.document("sort")
	if err := r.args.failed(); err != nil {
		return q, err
	}
	for _, bound := range []struct {
		name string
		n    int64
	}{{"skip", q.skip}, {"limit", q.limit}} {
		if bound.n < 0 && (bound.name == "skip" || r.command.name == "find") {
			return q, mongoerr.New(51024, "BSON field '%s' value must be >= 0, actual value '%d'",
				bound.name, bound.n)
		}
	}
	var err error
	if q.vars, err = r.letVars(nil); err != nil {
		return q, err
	}
	if q.filter, err = match.CompileIn(q.raw, q.vars.Let); err != nil {
		return q, err
	}
	if len(sort) > 0 {
		q.sort, err = pipeline.CompileSort(sort)
	}
	return q, err
}

// hinted refuses a hint of a command, or of a statement of one, at an index that there is not. A
// hint at one that there is changes nothing.
func (r *request) hinted(ns storage.Namespace, a args) error {
	hint, ok := a.get("hint")
	if natural, _ := hint.(bson.D); !ok || len(natural) == 1 && natural[0].Key == "$natural" {
		return nil
	}
	indexes, err := r.server.engine.Latest().Indexes(ns)
	if err != nil {
		return nil // without a collection there is nothing to find
	}
	for _, index := range indexes {
		name, key := value.Lookup(index, "name"), value.Lookup(index, "key")
		if value.Equal(name, hint) || value.Equal(key, hint) {
			return nil
		}
	}
	return mongoerr.New(mongoerr.BadValue, "error processing query: ns=%s planner returned error "+
		":: caused by :: hint provided does not correspond to an existing index", ns)
}

// projector shows a document.
type projector func(doc bson.D, pos int) (bson.D, error)

func (r *request) projection(q query) (projector, error) {
	spec, _ := r.args.document("projection")
	if len(spec) == 0 {
		return nil, r.args.failed()
	}
	p, err := pipeline.CompileProjection(spec, q.filter)
	if err != nil {
		return nil, err
	}
	return func(doc bson.D, pos int) (bson.D, error) { return p.Apply(doc, q.vars, pos) }, nil
}

// find returns the documents that a query asks for.
func (q query) find(
	view storage.View, ns storage.Namespace, project projector,
) ([]bson.D, error) {
	var docs []bson.D
	for rec := range candidates(view, ns, q.raw) {
		ok, err := q.filter.Match(rec.Doc, q.vars)
		if err != nil {
			return nil, err
		}
		if ok {
			docs = append(docs, rec.Doc)
		}
	}
	docs, err := q.cut(docs)
	if err != nil {
		return nil, err
	}
	if project == nil {
		return docs, nil
	}
	for i, doc := range docs {
		pos, _, err := q.filter.MatchPosition(doc, q.vars)
		if err != nil {
			return nil, err
		}
		if docs[i], err = project(doc, pos); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// cut sorts, skips and limits.
func (q query) cut(docs []bson.D) ([]bson.D, error) {
	if q.sort != nil {
		if err := q.sort.Sort(docs); err != nil {
			return nil, err
		}
	}
	docs = docs[min(q.skip, int64(len(docs))):]
	if q.limit > 0 {
		docs = docs[:min(q.limit, int64(len(docs)))]
	}
	return slices.Clip(docs), nil
}

func count(r *request) (bson.D, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	q, err := r.query("query")
	if err != nil {
		return nil, err
	}
	if q.limit < 0 {
		q.limit = -q.limit
	}
	if err := r.hinted(ns, r.args); err != nil {
		return nil, err
	}
	view, err := r.view(ns)
	if err != nil {
		return nil, err
	}
	docs, err := q.find(view, ns, nil)
	return bson.D{{Key: "n", Value: int32(len(docs))}}, err
}

func distinct(r *request) (bson.D, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	key, _ := r.args.str("key")
	r.args.require("key")
	q, err := r.query("query")
	if err != nil {
		return nil, err
	}
	view, err := r.view(ns)
	if err != nil {
		return nil, err
	}
	docs, err := q.find(view, ns, nil)
	if err != nil {
		return nil, err
	}
	return r.timed(bson.D{{Key: "values", Value: distinctValues(docs, key)}}), nil
}

// distinctValues returns the different values of a path in documents, an array's elements each.
func distinctValues(docs []bson.D, key string) bson.A {
	seen, all := make(map[string]bool), bson.A{}
	for _, doc := range docs {
		for _, v := range match.Values(doc, key) {
			if k := value.Key(v); !seen[k] {
				seen[k] = true
				all = append(all, v)
			}
		}
	}
	slices.SortStableFunc(all, value.Compare)
	return all
}

// first begins a cursor: with its first batch, and kept for later if there may be more.
func (r *request) first(ns storage.Namespace, src source, single bool) (bson.D, error) {
	limit, given := r.batchSize()
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	if !given {
		limit = firstBatch
	}
	batch, done, err := src.opening(), false, error(nil)
	if !given || limit != 0 {
		batch, done, err = src.next(r.ctx, limit, false)
	}
	if err != nil {
		return nil, err
	}
	if done || single {
		return r.reply(0, ns, "firstBatch", batch), nil
	}
	cur := &cursor{ns: ns, source: src, session: r.session, txn: r.txn}
	r.server.cursors.add(cur)
	return r.reply(cur.id, ns, "firstBatch", batch), nil
}

// batchSize is find's, or that of aggregate's cursor.
func (r *request) batchSize() (int, bool) {
	a := r.args
	if cursor, ok := a.document("cursor"); ok {
		a = args{"cursor", cursor, r.args.err}
		a.only("batchSize")
	}
	n, ok := a.int("batchSize")
	if n < 0 {
		a.fail(mongoerr.New(51024,
			"BSON field 'batchSize' value must be >= 0, actual value '%d'", n))
	}
	return int(n), ok
}
