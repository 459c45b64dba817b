package match

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// elemMatchFilter is $elemMatch with a filter: an element is a document that matches it, or an
// array, whose indices are its fields.
type elemMatchFilter struct{ filter node }

func (t elemMatchFilter) rank() rank { return rankElemMatch }
func (t elemMatchFilter) whole()     {}

func (t elemMatchFilter) holds(s *state, v any) bool {
	return someElement(s, v, func(s *state, element any) bool {
		d, ok := asDocument(element)
		return ok && t.filter.matches(s, d)
	})
}

// elemMatchOperators is $elemMatch with operators that are all true of an element.
type elemMatchOperators struct{ operators node }

func (t elemMatchOperators) rank() rank { return rankElemMatch }
func (t elemMatchOperators) whole()     {}

func (t elemMatchOperators) holds(s *state, v any) bool {
	return someElement(s, v, t.operators.holds)
}

// someElement looks for an element and makes it the position.
func someElement(s *state, v any, condition func(s *state, element any) bool) bool {
	a, ok := v.(bson.A)
	if !ok {
		return false
	}
	for i, element := range a {
		if s.quietly(func(s *state) bool { return condition(s, element) }) {
			s.record(i)
			return true
		}
	}
	return false
}

func asDocument(v any) (bson.D, bool) {
	switch v := v.(type) {
	case bson.D:
		return v, true
	case bson.A:
		d := make(bson.D, len(v))
		for i, element := range v {
			d[i] = bson.E{Key: strconv.Itoa(i), Value: element}
		}
		return d, true
	}
	return nil, false
}
