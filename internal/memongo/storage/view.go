package storage

import (
	"iter"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// View is the data at a moment. It never changes and never blocks.
type View struct {
}

// Record is a document with its identity, as a view saw it.
type Record struct {
	Doc bson.D
}

// Latest returns a view of all that is committed.
func (e *Engine) Latest() View { return View{} }

// At returns the cluster time of the view's data.
func (v View) At() bson.Timestamp { return bson.Timestamp{} }

// Scan returns the documents of a collection in the order of their insertion. A collection that
// does not exist has none.
func (v View) Scan(ns Namespace) iter.Seq[Record] { return func(func(Record) bool) {} }

// ByID finds a document by its _id, by the server's notion of equal values.
func (v View) ByID(ns Namespace, id any) (Record, bool) { return Record{}, false }

// Count returns the number of documents.
func (v View) Count(ns Namespace) int { return 0 }

// Exists reports whether there is such a collection.
func (v View) Exists(ns Namespace) bool { return false }

// UUID returns the collection's UUID.
func (v View) UUID(ns Namespace) (bson.Binary, bool) { return bson.Binary{}, false }

// Databases returns the names of databases that have collections, sorted.
func (v View) Databases() []string { return nil }

// Collections describes a database's collections as listCollections does, sorted by name:
// {name, type, options, info: {readOnly, uuid}, idIndex}.
func (v View) Collections(db string) []bson.D { return nil }

// Indexes describes a collection's indexes as listIndexes does; 26 where there is none.
func (v View) Indexes(ns Namespace) ([]bson.D, error) { return nil, nil }
