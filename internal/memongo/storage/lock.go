package storage

import (
	"maps"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// lock names what an open transaction has written: a document, or a key of a unique index.
type lock struct {
	collection string // its UUID
	index      string // empty for a document
	key        string
}

func lockOf(c *collection, index, key string) lock {
	return lock{collection: string(c.uuid.Data), index: index, key: key}
}

// remember keeps when a change frees a document's id or a unique key, as long as a transaction is
// open whose snapshot is older: such a key is not as it was, though it looks the same. The caller
// holds the mutex.
func (e *Engine) remember(c *change, was *collection, at bson.Timestamp) {
	if c.entry.Op == OpDelete {
		e.freed[lockOf(was, "", c.id)] = at
	}
	for _, x := range was.definition.indexes {
		if !x.unique {
			continue
		}
		old, _ := x.keys(c.entry.Before) // the error was told when it came
		for _, key := range old {
			e.freed[lockOf(was, x.name, key.text)] = at
		}
	}
}

// forget drops what is remembered for no open transaction any more. It looks through all of it
// only where that has doubled since the last time, and frees it at once where none is open.
func (e *Engine) forget() {
	if len(e.open) == 0 {
		clear(e.freed)
		e.remembered = 0
	}
	if len(e.freed) <= 2*e.remembered {
		return
	}
	oldest := e.clock.last
	for t := range e.open {
		if t.draft.base.at.Compare(oldest) < 0 {
			oldest = t.draft.base.at
		}
	}
	maps.DeleteFunc(e.freed, func(_ lock, at bson.Timestamp) bool { return at.Compare(oldest) <= 0 })
	e.remembered = len(e.freed)
}

// claim locks something for the writer. A statement only sees that nobody else has.
func (d *draft) claim(l lock) error {
	holder := d.engine.locks[l]
	switch {
	case holder != nil && holder == d.owner:
	case holder != nil:
		return d.conflict(holder)
	case d.engine.freed[l].Compare(d.base.at) > 0:
		return d.conflict(nil)
	case d.owner == nil:
	default:
		d.engine.locks[l] = d.owner
		d.owner.locks = append(d.owner.locks, l)
	}
	return nil
}

// claimKeys locks the unique keys that a record has and the old one, nil for an insertion, had
// not.
func (d *draft) claimKeys(c *collection, old, r *record) error {
	for i, x := range c.definition.indexes {
		keys, err := x.keys(r.doc)
		if err != nil {
			return err
		}
		if !x.unique {
			continue
		}
		for _, key := range keys {
			switch holder, taken := c.keys[i].get(key.text); {
			case taken && old != nil && holder == r.id:
				continue
			case taken:
				return duplicateKey(c.ns, x, key)
			}
			if err := d.claimKey(c, i, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimKey locks a key that is free in the writer's view. If it is taken in the committed data,
// it must be the writer itself who has freed it.
func (d *draft) claimKey(c *collection, i int, key indexKey) error {
	now, taken := d.committed(c).keys[i].get(key.text)
	if was, _ := d.before(c).keys[i].get(key.text); taken && now != was {
		return d.conflict(nil)
	}
	return d.claim(lockOf(c, c.definition.indexes[i].name, key.text))
}

// conflict is what a writer gets that met another's work: of an open transaction, or, where the
// holder is nil, of one that has committed since.
func (d *draft) conflict(holder *Txn) error {
	if d.owner != nil {
		return writeConflict()
	}
	if holder != nil {
		return &Busy{Done: holder.done}
	}
	return &Busy{Done: d.engine.over}
}

func writeConflict() error {
	return mongoerr.New(mongoerr.WriteConflict, "WriteConflict error: this operation conflicted "+
		"with another operation. Please retry your operation or multi-document transaction.")
}

func duplicateID(c *collection, id any) error {
	return duplicate(c.ns, "_id_", bson.D{{Key: "_id", Value: int32(1)}},
		bson.D{{Key: "_id", Value: id}})
}

func duplicateKey(ns Namespace, x *index, key indexKey) error {
	return duplicate(ns, x.name, x.key, x.keyValue(key))
}

func duplicate(ns Namespace, index string, pattern, key bson.D) error {
	err := mongoerr.New(mongoerr.DuplicateKey,
		"E11000 duplicate key error collection: %s index: %s dup key: %s",
		ns, index, value.Show(key))
	err.Fields = bson.D{{Key: "keyPattern", Value: pattern}, {Key: "keyValue", Value: key}}
	return err
}
