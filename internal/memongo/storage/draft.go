package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// draft is what a writer has written and not committed: the changes, and the state with them.
// A statement's is used for one document, a transaction's for its life. All its methods need the
// engine's mutex.
type draft struct {
	engine  *Engine
	owner   *Txn // nil for a statement
	write   Write
	base    *state // what was committed when the writer began
	now     *state
	changes []change
}

// add takes a change into the draft. A statement sees nothing of it but the collection that it
// made: its one document is committed next.
func (d *draft) add(c change) {
	c.entry.LSID, c.entry.TxnNumber = d.write.LSID, d.write.TxnNumber
	c.entry.StmtID = d.write.StmtID
	d.changes = append(d.changes, c)
	if d.owner != nil || c.entry.Op == OpCreate {
		d.now = d.now.apply(&c, d.base.at)
	}
}

func (d *draft) insert(ns Namespace, doc bson.D) error {
	c, err := d.openOrCreate(ns)
	if err != nil {
		return err
	}
	if err := d.validate(c, nil, doc); err != nil {
		return err
	}
	id, _ := value.Get(doc, "_id")
	r := &record{id: value.Key(id), doc: doc}
	if c.record(r.id) != nil {
		return duplicateID(c, id)
	}
	if d.committed(c).record(r.id) != d.before(c).record(r.id) {
		return d.conflict(nil)
	}
	if err := d.claim(lockOf(c, "", r.id)); err != nil {
		return err
	}
	if err := d.claimKeys(c, nil, r); err != nil {
		return err
	}
	d.add(documentChange(c, OpInsert, r.id, nil, doc))
	return nil
}

func (d *draft) update(ns Namespace, rec Record, result update.Result) error {
	if !result.Changed {
		return nil
	}
	c, err := d.own(ns, rec)
	if err != nil {
		return err
	}
	if err := checkUpdated(result.Doc); err != nil {
		return err
	}
	if err := d.validate(c, rec.Doc, result.Doc); err != nil {
		return err
	}
	r := &record{id: rec.record.id, doc: result.Doc}
	if err := d.claimKeys(c, rec.record, r); err != nil {
		return err
	}
	op := OpUpdate
	if result.Kind == update.Replaced {
		op = OpReplace
	}
	updated := documentChange(c, op, r.id, rec.Doc, result.Doc)
	switch {
	case op == OpUpdate:
		updated.entry.Desc = result.Desc
	case result.Logged != nil:
		updated.entry.Doc = result.Logged
	}
	d.add(updated)
	return nil
}

func (d *draft) delete(ns Namespace, rec Record) error {
	c, err := d.own(ns, rec)
	if err != nil {
		return err
	}
	d.add(documentChange(c, OpDelete, rec.record.id, rec.Doc, nil))
	return nil
}

// own locks a document that is to be changed, if it still is what the writer found.
func (d *draft) own(ns Namespace, rec Record) (*collection, error) {
	c, err := d.open(ns)
	if err != nil {
		return nil, err
	}
	if c == nil || c.record(rec.record.id) != rec.record {
		return nil, d.conflict(nil)
	}
	if err := d.claim(lockOf(c, "", rec.record.id)); err != nil {
		return nil, err
	}
	if d.committed(c).record(rec.record.id) != d.before(c).record(rec.record.id) {
		return nil, d.conflict(nil)
	}
	return c, nil
}

// committed returns what everybody sees of the writer's collection now, an empty one where the
// writer made it.
func (d *draft) committed(c *collection) *collection { return sameIn(d.engine.state.Load(), c) }

// before returns the collection as it was when the writer began.
func (d *draft) before(c *collection) *collection { return sameIn(d.base, c) }

func sameIn(s *state, c *collection) *collection {
	other := s.collection(c.ns)
	if other == nil || string(other.uuid.Data) != string(c.uuid.Data) {
		return newCollection(c.ns, c.uuid, c.definition)
	}
	return other
}

func documentChange(c *collection, op Op, id string, before, after bson.D) change {
	doc := after
	if doc == nil {
		doc = before
	}
	key, _ := value.Get(doc, "_id")
	changed := change{id: id, entry: Entry{
		Op: op, NS: c.ns, UUID: c.uuid,
		DocumentKey: bson.D{{Key: "_id", Value: key}},
		Before:      before, After: after,
		HasImages: c.definition.images,
	}}
	if op == OpInsert || op == OpReplace {
		changed.entry.Doc = after
	}
	return changed
}
