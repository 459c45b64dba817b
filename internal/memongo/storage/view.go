package storage

import (
	"iter"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// View is the data at a moment. It never changes and never blocks.
type View struct {
	state *state
}

// Record is a document with its identity, as a view saw it.
type Record struct {
	Doc bson.D

	record *record
}

// Latest returns a view of all that is committed.
func (e *Engine) Latest() View { return View{state: e.state.Load()} }

// At returns the cluster time of the view's data.
func (v View) At() bson.Timestamp { return v.state.at }

// Scan returns the documents of a collection in the order of their insertion. A collection that
// does not exist has none.
func (v View) Scan(ns Namespace) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		c := v.state.collection(ns)
		if c == nil {
			return
		}
		for _, r := range c.records.all() {
			if !yield(Record{Doc: r.doc, record: r}) {
				return
			}
		}
	}
}

// ByID finds a document by its _id, by the server's notion of equal values.
func (v View) ByID(ns Namespace, id any) (Record, bool) {
	c := v.state.collection(ns)
	if c == nil {
		return Record{}, false
	}
	r := c.record(value.Key(id))
	if r == nil {
		return Record{}, false
	}
	return Record{Doc: r.doc, record: r}, true
}

// Count returns the number of documents.
func (v View) Count(ns Namespace) int {
	if c := v.state.collection(ns); c != nil {
		return c.records.len()
	}
	return 0
}

// Exists reports whether there is such a collection.
func (v View) Exists(ns Namespace) bool { return v.state.collection(ns) != nil }

// UUID returns the collection's UUID.
func (v View) UUID(ns Namespace) (bson.Binary, bool) {
	if c := v.state.collection(ns); c != nil {
		return c.uuid, true
	}
	return bson.Binary{}, false
}

// Databases returns the names of databases that have collections, sorted.
func (v View) Databases() (names []string) {
	for _, c := range v.state.collections.all() {
		if len(names) == 0 || names[len(names)-1] != c.ns.DB {
			names = append(names, c.ns.DB)
		}
	}
	return names
}

// Collections describes a database's collections as listCollections does, sorted by name:
// {name, type, options, info: {readOnly, uuid}, idIndex}.
func (v View) Collections(db string) (all []bson.D) {
	for _, c := range v.state.database(db) {
		all = append(all, bson.D{
			{Key: "name", Value: c.ns.Collection},
			{Key: "type", Value: "collection"},
			{Key: "options", Value: c.definition.options},
			{Key: "info", Value: bson.D{
				{Key: "readOnly", Value: false},
				{Key: "uuid", Value: c.uuid},
			}},
			{Key: "idIndex", Value: idIndex()},
		})
	}
	return all
}

// Indexes describes a collection's indexes as listIndexes does; 26 where there is none.
func (v View) Indexes(ns Namespace) ([]bson.D, error) {
	c := v.state.collection(ns)
	if c == nil {
		return nil, mongoerr.New(mongoerr.NamespaceNotFound, "ns does not exist: %s", ns)
	}
	all := []bson.D{idIndex()}
	for _, x := range c.definition.indexes {
		all = append(all, x.listed())
	}
	return all, nil
}
