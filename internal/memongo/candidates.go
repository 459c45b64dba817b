package memongo

import (
	"iter"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

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
	q := query{filter: c.filter, raw: c.query, sort: order, limit: 1, vars: c.vars}
	docs, err := q.find(view, ns, nil)
	if err != nil || len(docs) == 0 {
		return storage.Record{}, -1, false, err
	}
	id, _ := value.Get(docs[0], "_id")
	rec, _ = view.ByID(ns, id)
	pos, found, err = c.filter.MatchPosition(rec.Doc, c.vars)
	return rec, pos, found, err
}

// eachMatch changes the records that match, one by one. Those before stay changed when one is
// busy, so it is waited for here, and looked at again as it is then.
func (r *request) eachMatch(
	ns storage.Namespace, w writer, c change, do func(rec storage.Record, pos int) error,
) error {
	view, err := w.View(ns)
	if err != nil {
		return err
	}
	for rec := range candidates(view, ns, c.query) {
		err := r.unbusy(func() error {
			pos, ok, err := c.filter.MatchPosition(rec.Doc, c.vars)
			if err != nil || !ok {
				return err
			}
			err = do(rec, pos)
			if _, busy := err.(*storage.Busy); busy {
				again, exists, viewErr := renewed(w, ns, rec)
				if viewErr != nil || !exists {
					return viewErr
				}
				rec = again
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// renewed returns a record as it is now.
func renewed(w writer, ns storage.Namespace, rec storage.Record) (storage.Record, bool, error) {
	view, err := w.View(ns)
	if err != nil {
		return storage.Record{}, false, err
	}
	id, _ := value.Get(rec.Doc, "_id")
	now, exists := view.ByID(ns, id)
	return now, exists, nil
}
