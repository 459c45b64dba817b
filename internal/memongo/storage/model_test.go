package storage_test

import (
	"maps"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// content is a document without its id: a unique key, 0 for none, and a number that makes each
// write different.
type content struct{ key, n int }

// table is what somebody sees: the documents, and when each id and each key was last written.
type table struct {
	docs    map[int]content
	written map[int]int
	keyed   map[int]int
}

func (s table) clone() table {
	return table{maps.Clone(s.docs), maps.Clone(s.written), maps.Clone(s.keyed)}
}

// write puts a document in, or nil to take it out.
func (s table) write(id int, c *content, step int) {
	s.keyed[s.docs[id].key] = step
	delete(s.docs, id)
	if c != nil {
		s.docs[id] = *c
		s.keyed[c.key] = step
	}
	s.written[id] = step
}

// holder returns the id of the document with a key, or 0.
func (s table) holder(key int) int {
	for id, c := range s.docs {
		if key != 0 && c.key == key {
			return id
		}
	}
	return 0
}

// actor writes: a transaction, or a statement, whose txn is nil.
type actor struct {
	writer
	txn    *storage.Txn
	before table // the snapshot
	view   table // with the own writes
	ids    map[int]bool
	keys   map[int]bool
}

type simulation struct {
	engine    *storage.Engine
	committed table
	actors    []*actor // open transactions
	steps     int
	last      bson.Timestamp
}

// claimID says what becomes of a write of a document.
func (s *simulation) claimID(a *actor, id int) string {
	if s.committed.written[id] != a.before.written[id] {
		return "conflict"
	}
	return s.claim(a, func(other *actor) bool { return other.ids[id] }, a.ids, id)
}

// claimKey says what becomes of a write that takes a key.
func (s *simulation) claimKey(a *actor, key int) string {
	if key == 0 {
		return ""
	}
	if a.view.holder(key) != 0 {
		return "duplicate"
	}
	if s.committed.keyed[key] != a.before.keyed[key] {
		return "conflict"
	}
	return s.claim(a, func(other *actor) bool { return other.keys[key] }, a.keys, key)
}

func (s *simulation) claim(a *actor, holds func(*actor) bool, own map[int]bool, what int) string {
	for _, other := range s.actors {
		if other != a && holds(other) {
			return "conflict"
		}
	}
	own[what] = true
	return ""
}
