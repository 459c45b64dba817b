package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

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
	var total updated
	err := r.eachMatch(ns, w, c, func(rec storage.Record, pos int) error {
		done, err := r.applyTo(ns, w, c, rec, pos)
		if err == nil {
			total.matched += done.matched
			total.modified += done.modified
		}
		return err
	})
	if err != nil {
		return updated{}, err
	}
	if total.matched == 0 {
		return r.upsert(ns, w, c)
	}
	return total, nil
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
