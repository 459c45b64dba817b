package pipeline

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// shaper is a stage that may take fields away and leave gaps: elements that are value.Missing. A
// server's documents have them from one stage to the next, so that a field that is taken away and
// set again keeps its place. The closed document is the one without gaps.
type shaper func(doc, closed bson.D, v *expr.Vars) (bson.D, error)

func (s shaper) run(in documents, v *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		for doc, err := range in {
			if err == nil {
				doc, err = s(doc, withoutGaps(doc), v)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// closing closes the gaps of documents.
func closing(in documents) documents {
	return func(yield func(bson.D, error) bool) {
		for doc, err := range in {
			if !yield(withoutGaps(doc), err) {
				return
			}
		}
	}
}

// withoutGaps returns the document itself if there are none.
func withoutGaps(doc bson.D) bson.D {
	closed, _ := closeGaps(doc).(bson.D)
	return closed
}

func closeGaps(val any) any {
	switch val := val.(type) {
	case bson.D:
		if !gapsIn(val) {
			return val
		}
		closed := make(bson.D, 0, len(val))
		for _, field := range val {
			if field.Value != value.Missing {
				closed = append(closed, bson.E{Key: field.Key, Value: closeGaps(field.Value)})
			}
		}
		return closed
	case bson.A:
		if !gapsIn(val) {
			return val
		}
		closed := make(bson.A, len(val))
		for i, element := range val {
			closed[i] = closeGaps(element)
		}
		return closed
	}
	return val
}

func gapsIn(val any) bool {
	switch val := val.(type) {
	case bson.D:
		for i := range val {
			if gapsIn(val[i].Value) {
				return true
			}
		}
	case bson.A:
		for _, element := range val {
			if gapsIn(element) {
				return true
			}
		}
	case value.MissingType:
		return true
	}
	return false
}
