package match

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Codes of upserts whose filter says too much, or too little.
const (
	notSingleValueField = 54
	notExactValueField  = 111
)

// Equalities returns the paths that can have one value only if a document matches, in order. An
// upsert sets them. It is an error if the filter has two values for one of them, or for a part of
// one.
func (m *Matcher) Equalities() (bson.D, error) {
	var fixed bson.D
	for _, e := range equalities(m.root) {
		for _, other := range fixed {
			if e.Key == other.Key {
				return nil, mongoerr.New(notSingleValueField,
					"cannot infer query fields to set, path '%s' is matched twice", e.Key)
			}
			if isPrefix(e.Key, other.Key) || isPrefix(other.Key, e.Key) {
				return nil, mongoerr.New(notSingleValueField, "cannot infer query fields to "+
					"set, both paths '%s' and '%s' are matched", e.Key, other.Key)
			}
		}
		fixed = append(fixed, e)
	}
	slices.SortFunc(fixed, func(a, b bson.E) int { return strings.Compare(a.Key, b.Key) })
	return fixed, nil
}

// IDEquality returns the _id that a document that matches must have, if there is one. An upsert
// by replacement sets it, and nothing else of the filter.
func (m *Matcher) IDEquality() (id any, found bool, err error) {
	for _, e := range equalities(m.root) {
		switch {
		case isPrefix("_id", e.Key):
			return nil, false, mongoerr.New(notExactValueField, "field at '_id' must be exactly "+
				"specified, field at sub-path '%s'found", e.Key)
		case e.Key != "_id":
			continue
		case found:
			return nil, false, mongoerr.New(notSingleValueField,
				"cannot infer query fields to set, path '_id' is matched twice")
		}
		id, found = e.Value, true
	}
	return id, found, nil
}

// equalities lists a tree's, twice if they are there twice.
func equalities(n node) (found bson.D) {
	if f, ok := equality(n); ok {
		name := strings.Join(f.path, ".")
		return bson.D{{Key: name, Value: f.test.(comparison).with}}
	}
	children, _ := n.(all)
	for _, child := range children {
		found = append(found, equalities(child)...)
	}
	return found
}

// isPrefix reports whether one path leads to a part of where the other leads.
func isPrefix(path, longer string) bool { return strings.HasPrefix(longer, path+".") }
