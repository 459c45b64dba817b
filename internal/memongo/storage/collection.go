package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// state is all data at a moment. States never change; a write makes the next one.
type state struct {
	at          bson.Timestamp
	collections tree[string, *collection] // by catalogKey
}

// collection is one at a moment. Collections never change either.
type collection struct {
	ns         Namespace
	uuid       bson.Binary
	since      bson.Timestamp // snapshots before this do not know the collection by its name
	definition *definition    // compared by identity
	records    tree[int64, *record]
	byID       tree[string, *record]
	keys       []tree[string, string] // per index of the definition that is unique: key to id
	next       int64                  // the order of the next record
}

// record is a version of a document. It is the same pointer in all states until the document
// changes, by which transactions know that it did.
type record struct {
	order int64
	id    string // value.Key of the _id
	doc   bson.D
}

// catalogKey sorts collections by database, then by name.
func catalogKey(ns Namespace) string { return ns.DB + "\x00" + ns.Collection }

func (s *state) collection(ns Namespace) *collection {
	c, _ := s.collections.get(catalogKey(ns))
	return c
}

func (s *state) with(c *collection) *state {
	return &state{at: s.at, collections: s.collections.put(catalogKey(c.ns), c)}
}

func (s *state) without(ns Namespace) *state {
	return &state{at: s.at, collections: s.collections.remove(catalogKey(ns))}
}

// database returns the collections of a database by name.
func (s *state) database(db string) (all []*collection) {
	for _, c := range s.collections.from(catalogKey(Namespace{DB: db})) {
		if c.ns.DB != db {
			break
		}
		all = append(all, c)
	}
	return all
}

func newCollection(ns Namespace, uuid bson.Binary, d *definition) *collection {
	return &collection{
		ns: ns, uuid: uuid, definition: d, keys: make([]tree[string, string], len(d.indexes)),
	}
}

func (c *collection) record(id string) *record {
	r, _ := c.byID.get(id)
	return r
}

// withRecord puts a document in, anew at the end or in the place of the one with its id.
func (c *collection) withRecord(id string, doc bson.D) *collection {
	old, changed := c.record(id), *c
	r := &record{order: c.next, id: id, doc: doc}
	if old != nil {
		r.order = old.order
		changed.keys = c.unindexed(old)
	} else {
		changed.next++
	}
	changed.records = c.records.put(r.order, r)
	changed.byID = c.byID.put(id, r)
	changed.keys = changed.indexed(r)
	return &changed
}

func (c *collection) withoutRecord(id string) *collection {
	old, changed := c.record(id), *c
	if old == nil {
		return c
	}
	changed.records = c.records.remove(old.order)
	changed.byID = c.byID.remove(id)
	changed.keys = c.unindexed(old)
	return &changed
}

// withDefinition gives the collection another definition and builds the keys that it asks for.
// Of documents that share a unique key the last has it.
func (c *collection) withDefinition(d *definition) *collection {
	changed := *c
	changed.definition = d
	changed.keys = make([]tree[string, string], len(d.indexes))
	if d.unique() {
		for _, r := range c.records.all() {
			changed.keys = changed.indexed(r)
		}
	}
	return &changed
}

// indexed returns the collection's unique keys with those of a record.
func (c *collection) indexed(r *record) []tree[string, string] {
	return c.rekeyed(r, func(keys tree[string, string], key string) tree[string, string] {
		return keys.put(key, r.id)
	})
}

// unindexed returns the collection's unique keys without those of a record.
func (c *collection) unindexed(r *record) []tree[string, string] {
	return c.rekeyed(r, func(keys tree[string, string], key string) tree[string, string] {
		return keys.remove(key)
	})
}

func (c *collection) rekeyed(
	r *record, change func(tree[string, string], string) tree[string, string],
) []tree[string, string] {
	if !c.definition.unique() {
		return c.keys
	}
	changed := make([]tree[string, string], len(c.keys))
	for i, x := range c.definition.indexes {
		changed[i] = c.keys[i]
		if !x.unique {
			continue
		}
		keys, err := x.keys(r.doc)
		if err != nil {
			continue // it was refused before it came here
		}
		for _, key := range keys {
			changed[i] = change(changed[i], key.text)
		}
	}
	return changed
}
