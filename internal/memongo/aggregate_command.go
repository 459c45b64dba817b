package memongo

import (
	"context"
	"iter"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func aggregate(r *request) (bson.D, error) {
	if err := r.args.unsupported("explain"); err != nil {
		return nil, err
	}
	if err := r.args.simpleCollation(); err != nil {
		return nil, err
	}
	stages, err := r.stages()
	if err != nil {
		return nil, err
	}
	ns, err := r.aggregated()
	if err != nil {
		return nil, err
	}
	if spec, ok := changeStreamSpec(stages); ok {
		return r.watch(ns, spec, stages[1:])
	}
	if err := r.outOfPlace(stages); err != nil {
		return nil, err
	}
	if err := r.hinted(ns, r.args); err != nil {
		return nil, err
	}
	view, err := r.view(ns)
	if err != nil {
		return nil, err
	}
	vars, err := r.letVars(nil)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Compile(stages, pipeline.Env{Vars: vars, DB: r.db, Source: lookup{view}})
	if err != nil {
		return nil, err
	}
	var docs []bson.D
	for doc, err := range p.Run(scan(view, ns)) {
		if err != nil {
			return nil, explained("PlanExecutor error during aggregation", err)
		}
		docs = append(docs, doc)
	}
	return r.first(ns, &documents{rest: docs}, false)
}

// stages returns the command's pipeline.
func (r *request) stages() (bson.A, error) {
	v := r.args.require("pipeline")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	stages, ok := v.(bson.A)
	if !ok {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"'pipeline' option must be specified as an array")
	}
	for _, stage := range stages {
		if _, ok := stage.(bson.D); !ok {
			return nil, mongoerr.New(mongoerr.TypeMismatch,
				"Each element of the 'pipeline' array must be an object")
		}
	}
	cursor, given := r.args.get("cursor")
	if _, ok := cursor.(bson.D); given && !ok {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"cursor field must be missing or an object")
	}
	if !given {
		return nil, mongoerr.New(mongoerr.FailedToParse,
			"The 'cursor' option is required, except for aggregate with the explain argument")
	}
	return stages, nil
}

// outOfPlace refuses stages that can't be where they are.
func (r *request) outOfPlace(stages bson.A) error {
	for _, s := range stages {
		stage := s.(bson.D)
		if len(stage) != 1 {
			continue
		}
		switch name := stage[0].Key; {
		case name == splitStage:
			return mongoerr.New(mongoerr.IllegalOperation,
				splitStage+" can only be used in a $changeStream pipeline")
		case name == "$changeStream":
			return mongoerr.New(40602,
				"$_internalChangeStreamOplogMatch is only valid as the first stage in a pipeline")
		case r.txn != nil && (name == "$out" || name == "$merge"):
			return mongoerr.New(mongoerr.OperationNotSupportedInTxn,
				"%s cannot be used in a transaction", name)
		}
	}
	return nil
}

// wholeDatabase stands for the collection of an aggregation of none.
const wholeDatabase = "$cmd.aggregate"

// aggregated is the namespace of the aggregation's cursor: a collection's, or one that stands for
// the whole database.
func (r *request) aggregated() (storage.Namespace, error) {
	target, _ := r.args.get(r.command.name)
	if _, ok := target.(string); ok {
		return r.collection()
	}
	return storage.Namespace{DB: r.db, Collection: wholeDatabase}, nil
}

func scan(view storage.View, ns storage.Namespace) iter.Seq[bson.D] {
	return func(yield func(bson.D) bool) {
		for rec := range view.Scan(ns) {
			if !yield(rec.Doc) {
				return
			}
		}
	}
}

// lookup is what stages see of other collections.
type lookup struct{ view storage.View }

func (l lookup) Collection(db, name string) iter.Seq[bson.D] {
	return scan(l.view, storage.Namespace{DB: db, Collection: name})
}

const splitStage = "$changeStreamSplitLargeEvent"

// changeStreamSpec returns what is in the $changeStream that a pipeline begins with.
func changeStreamSpec(stages bson.A) (any, bool) {
	if len(stages) == 0 {
		return nil, false
	}
	stage, _ := stages[0].(bson.D)
	if len(stage) != 1 || stage[0].Key != "$changeStream" {
		return nil, false
	}
	return stage[0].Value, true
}

// watch opens a change stream.
func (r *request) watch(ns storage.Namespace, spec any, stages bson.A) (bson.D, error) {
	if r.txn != nil {
		return nil, mongoerr.New(mongoerr.OperationNotSupportedInTxn,
			"Operation not permitted in transaction :: caused by :: Aggregation stage "+
				"$changeStream cannot run within a multi-document transaction.")
	}
	if level := r.readConcern(); level != "" && level != "majority" {
		return nil, mongoerr.New(mongoerr.InvalidOptions, "$changeStream cannot run with a "+
			"readConcern other than 'majority', or in a multi-document transaction. Current "+
			"readConcern: { level: \"%s\" }", level)
	}
	watched := ns
	if watched.Collection == wholeDatabase {
		watched.Collection = ""
	}
	o, err := changestream.ParseSpec(watched, spec)
	if err != nil {
		return nil, err
	}
	vars, err := r.letVars(nil)
	if err != nil {
		return nil, err
	}
	o.Pipeline, o.Vars = stages, *vars
	stream, err := changestream.Open(r.server.engine, o)
	if err != nil {
		return nil, err
	}
	return r.first(ns, events{stream}, false)
}

// readConcern returns the level that the command asks for, "" for none.
func (r *request) readConcern() string {
	concern, _ := r.args.document("readConcern")
	level, _ := newArgs("readConcern", concern).str("level")
	return level
}

// events is the source of a change stream's events.
type events struct{ stream *changestream.Stream }

func (e events) next(ctx context.Context, limit int, await bool) (page, bool, error) {
	docs, pbrt, closed, err := e.stream.Next(ctx, limit, 0, await)
	return page{docs, pbrt, closed}, closed, err
}

// opening is the first page of a stream that is opened without reading from it.
func (e events) opening() page { return page{pbrt: e.stream.Position()} }
