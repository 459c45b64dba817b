package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

const findAndModifyFields = "query sort remove update new fields upsert arrayFilters " +
	"bypassDocumentValidation let stmtId hint collation"

// modification is a findAndModify.
type modification struct {
	change
	remove  bool
	new     bool
	sort    *pipeline.SortOrder
	project *pipeline.Projection
}

func findAndModify(r *request) (bson.D, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	if result, ok := r.done(0); ok {
		return r.confirmed(append(result[:len(result):len(result)],
			bson.E{Key: "retriedStmtId", Value: r.statement.id(0)})), nil
	}
	m, err := r.modification()
	if err == nil {
		err = r.hinted(ns, r.args)
	}
	if err != nil {
		return nil, err
	}
	var done updated
	err = r.unbusy(func() error {
		done, err = r.modify(ns, m)
		return err
	})
	if r.interrupted() == nil {
		err = explained("Plan executor error during findAndModify", err)
	}
	if err != nil {
		return nil, err
	}
	answer, err := m.answer(done)
	if err != nil {
		return nil, err
	}
	if done.modified > 0 || done.inserted || m.remove && done.matched > 0 {
		r.remember(0, answer)
	}
	return r.confirmed(answer[:len(answer):len(answer)]), nil
}

// modification reads the command.
func (r *request) modification() (modification, error) {
	a := r.args
	if err := a.simpleCollation(); err != nil {
		return modification{}, err
	}
	m := modification{remove: a.flag("remove"), new: a.flag("new")}
	m.query, _ = a.document("query")
	m.upsert = a.flag("upsert")
	u, updates := a.get("update")
	filters := a.documents("arrayFilters")
	if err := a.failed(); err != nil {
		return m, err
	}
	if err := m.consistent(updates); err != nil {
		return m, err
	}
	var err error
	if m.vars, err = r.letVars(nil); err != nil {
		return m, err
	}
	if m.remove {
		m.filter, err = match.CompileIn(m.query, m.vars.Let)
	} else {
		err = m.compile(u, update.Options{ArrayFilters: filters})
	}
	if err != nil {
		return m, err
	}
	return m, m.shape(a)
}

// consistent refuses what the server refuses to do at once.
func (m *modification) consistent(updates bool) error {
	refuse := func(text string) error { return mongoerr.New(mongoerr.FailedToParse, "%s", text) }
	switch {
	case m.remove && updates:
		return refuse("Cannot specify both an update and remove=true")
	case m.remove && m.upsert:
		return refuse("Cannot specify both upsert=true and remove=true")
	case m.remove && m.new:
		return refuse("Cannot specify both new=true and remove=true; " +
			"'remove' always returns the deleted document")
	case !m.remove && !updates:
		return refuse("Either an update or remove=true must be specified")
	}
	return nil
}

// shape reads how documents are chosen and shown.
func (m *modification) shape(a args) error {
	var err error
	if sort, ok := a.document("sort"); ok && len(sort) > 0 {
		if m.sort, err = pipeline.CompileSort(sort); err != nil {
			return err
		}
	}
	if fields, ok := a.document("fields"); ok && len(fields) > 0 {
		m.project, err = pipeline.CompileProjection(fields, m.filter)
	}
	if err == nil {
		err = a.failed()
	}
	return err
}

// modify changes or removes the first document that matches.
func (r *request) modify(ns storage.Namespace, m modification) (updated, error) {
	w, err := r.writer(0)
	if err != nil {
		return updated{}, err
	}
	rec, pos, found, err := r.firstMatch(ns, w, m.change, m.sort)
	switch {
	case err != nil:
		return updated{}, err
	case !found && m.remove:
		return updated{}, nil
	case !found:
		return r.upsert(ns, w, m.change)
	case m.remove:
		return updated{matched: 1, before: rec.Doc}, w.Delete(ns, rec)
	}
	return r.applyTo(ns, w, m.change, rec, pos)
}

// answer is the command's answer: what happened, and the document before or after.
func (m modification) answer(done updated) (bson.D, error) {
	last := bson.D{{Key: "n", Value: int32(done.matched)}}
	if !m.remove {
		last = append(last, bson.E{Key: "updatedExisting", Value: done.matched > 0})
	}
	if done.inserted {
		last[0].Value = int32(1)
		last = append(last, bson.E{Key: "upserted", Value: done.upserted})
	}
	shown := done.before
	if m.new {
		shown = done.after
	}
	answer := bson.D{{Key: "lastErrorObject", Value: last}}
	if shown == nil {
		return append(answer, bson.E{Key: "value", Value: nil}), nil
	}
	if m.project != nil {
		var err error
		if shown, err = m.project.Apply(shown, m.vars, -1); err != nil {
			return nil, err
		}
	}
	return append(answer, bson.E{Key: "value", Value: shown}), nil
}
