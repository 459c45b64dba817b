package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func deleteDocuments(r *request) (bson.D, error) {
	b, err := r.bulk()
	if err != nil {
		return nil, err
	}
	statements := r.args.documents("deletes")
	r.args.require("deletes")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	for _, statement := range statements {
		if err := deletable(statement); err != nil {
			return nil, err // of the command: nothing is run
		}
	}
	run := func(n int) (bson.D, error) {
		deleted, err := r.delete(b.ns, n, statements[n])
		if err != nil {
			return nil, err
		}
		b.n += deleted
		return bson.D{{Key: "n", Value: deleted}}, nil
	}
	again := func(_ int, result bson.D) { b.n += value.Lookup(result, "n").(int64) }
	if err := b.each(len(statements), run, again); err != nil {
		return nil, err
	}
	return b.answer(), nil
}

// deletable refuses a statement that is not what a statement of a delete looks like.
func deletable(statement bson.D) error {
	a := newArgs("delete.deletes", statement)
	a.only("q", "limit", "collation", "hint", "sampleId")
	_, _ = a.document("q")
	a.require("q")
	a.require("limit")
	limit, _ := a.int("limit")
	if limit != 0 && limit != 1 {
		a.fail(mongoerr.New(mongoerr.FailedToParse, "The limit field in delete objects must "+
			"be 0 or 1. Got %d", limit))
	}
	return a.failed()
}

// delete runs one statement that is deletable.
func (r *request) delete(ns storage.Namespace, n int, statement bson.D) (int64, error) {
	a := newArgs("delete.deletes", statement)
	if err := a.simpleCollation(); err != nil {
		return 0, err
	}
	if err := r.hinted(ns, a); err != nil {
		return 0, err
	}
	query, _ := a.document("q")
	limit, _ := a.int("limit")
	vars, err := r.letVars(nil)
	if err != nil {
		return 0, err
	}
	filter, err := match.CompileIn(query, vars.Let)
	if err != nil {
		return 0, err
	}
	c := change{filter: filter, query: query, vars: vars}
	w, err := r.writer(n)
	if err != nil {
		return 0, err
	}
	if limit == 0 {
		return r.deleteAll(ns, w, c)
	}
	rec, _, found, err := r.firstMatch(ns, w, c, nil)
	if err != nil || !found {
		return 0, err
	}
	return 1, w.Delete(ns, rec)
}

func (r *request) deleteAll(ns storage.Namespace, w writer, c change) (deleted int64, err error) {
	if r.statement != nil {
		return 0, mongoerr.New(mongoerr.InvalidOptions,
			"Cannot use (or request) retryable writes with limit=0")
	}
	err = r.eachMatch(ns, w, c, func(rec storage.Record, _ int) error {
		err := w.Delete(ns, rec)
		if err == nil {
			deleted++
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}
