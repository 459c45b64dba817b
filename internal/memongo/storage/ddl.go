package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// IndexCounts is what createIndexes and dropIndexes answer.
type IndexCounts struct {
	Before, After int32
	Created       bool   // createIndexes: the collection was created for it
	Note          string // "all indexes already exist"
}

// Create makes a collection. Options are the command's fields without its name: validator,
// validationLevel, validationAction, changeStreamPreAndPostImages; others are refused by name.
// 48 where it exists with other options.
func (e *Engine) Create(ns Namespace, options bson.D) error { return nil }

// Drop removes a collection and returns how many indexes it had; 26 where there is none.
// A [*Busy] asks for a repetition, as it does for all functions that change definitions.
func (e *Engine) Drop(ns Namespace) (indexes int32, err error) { return 0, nil }

// DropDatabase drops each collection of a database and then the database. It reports whether
// there was one.
func (e *Engine) DropDatabase(db string) (bool, error) { return false, nil }

// Rename gives a collection another name. 26 without a source, 48 where the target exists and is
// not to be dropped.
func (e *Engine) Rename(from, to Namespace, dropTarget bool) error { return nil }

// CreateIndexes makes the indexes that do not exist, all or none, and the collection where there
// is none. Specs are the command's.
func (e *Engine) CreateIndexes(ns Namespace, specs []bson.D) (IndexCounts, error) {
	return IndexCounts{}, nil
}

// DropIndexes removes indexes: "*", a name, an array of names, or a key document.
func (e *Engine) DropIndexes(ns Namespace, index any) (IndexCounts, error) {
	return IndexCounts{}, nil
}

// CollMod changes a collection's options: validator, validationLevel, validationAction,
// changeStreamPreAndPostImages, and an index's expireAfterSeconds. The answer has the fields that
// the command's has beside ok, such as expireAfterSeconds_new.
func (e *Engine) CollMod(ns Namespace, changes bson.D) (answer bson.D, err error) {
	return nil, nil
}
