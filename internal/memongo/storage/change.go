package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// change is an oplog entry that has no cluster time yet, with what applying it takes.
type change struct {
	entry      Entry
	id         string      // value.Key of the document's _id
	definition *definition // the new one, where the change is of a definition
}

// apply returns the state after a change, which has been checked against it.
func (s *state) apply(c *change, at bson.Timestamp) *state {
	entry, next := &c.entry, &state{at: at, collections: s.collections}
	switch was := s.collection(entry.NS); entry.Op {
	case OpInsert, OpUpdate, OpReplace:
		return next.with(was.withRecord(c.id, entry.After))
	case OpDelete:
		return next.with(was.withoutRecord(c.id))
	case OpCreate:
		created := newCollection(entry.NS, entry.UUID, c.definition)
		created.since = at
		return next.with(created)
	case OpCreateIndexes, OpDropIndexes, OpCollMod:
		return next.with(was.withDefinition(c.definition))
	case OpDrop:
		return next.without(entry.NS)
	case OpRename:
		renamed := *was
		renamed.ns, renamed.since = entry.To, at
		return next.without(entry.NS).with(&renamed)
	case OpNoop, OpDropDatabase:
	}
	return next
}

// commit makes changes visible and writes them to the oplog: together at one cluster time, as a
// transaction, or each at its own. It returns the last time. The caller holds the mutex.
func (e *Engine) commit(changes []change, together bool) (at bson.Timestamp) {
	next, wall := e.state.Load(), e.clock.wall()
	entries := make([]Entry, len(changes))
	for i := range changes {
		if i == 0 || !together {
			at = e.clock.tick()
		}
		if was := next.collection(changes[i].entry.NS); changes[i].entry.Before != nil &&
			len(e.open) > 0 {
			e.remember(&changes[i], was, at)
		}
		next = next.apply(&changes[i], at)
		entries[i] = changes[i].entry
		entries[i].TS, entries[i].Wall = at, wall
		if together {
			entries[i].InTxn, entries[i].TxnIndex = true, i
		}
	}
	e.state.Store(next)
	e.oplog.append(entries...)
	return at
}
