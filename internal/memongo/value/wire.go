package value

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// maxNesting is how many levels of documents and arrays a document can have below itself.
const maxNesting = 200

// Decode reads a document. One that is nested too deeply is 15, as a server answers; without the
// limit it would take all of the stack.
func Decode(raw bson.Raw) (bson.D, error) {
	if path := tooDeep(raw, 0); path != nil {
		return nil, mongoerr.New(mongoerr.Overflow, "BSONObj exceeds maximum nested object depth "+
			"in element with field name '%s' in object with unknown _id", strings.Join(path, "."))
	}
	d := bson.D{}
	if err := bson.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("decode document: %w", err)
	}
	return d, nil
}

// tooDeep returns the path to what is below the last level, or nil. What is no document is for
// the driver to refuse.
func tooDeep(raw []byte, level int) []string {
	const least = 7 // bytes of a level: a type, the end of a name, a length, an end
	if len(raw) <= least*(maxNesting-level) {
		return nil
	}
	_, rest, ok := bsoncore.ReadLength(raw)
	for ok && len(rest) > 1 {
		var element bsoncore.Element
		if element, rest, ok = bsoncore.ReadElement(rest); !ok {
			return nil
		}
		if inner := container(element); inner != nil {
			if level == maxNesting {
				return []string{element.Key()}
			}
			if path := tooDeep(inner, level+1); path != nil {
				return append([]string{element.Key()}, path...)
			}
		}
	}
	return nil
}

// container returns the bytes of an element that has others in it.
func container(element bsoncore.Element) []byte {
	switch v := element.Value(); v.Type {
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
		return v.Data
	case bsoncore.TypeCodeWithScope:
		_, scope, _, _ := bsoncore.ReadCodeWithScope(v.Data)
		return scope
	}
	return nil
}

// Encode writes a document. It must not have [Missing] in it.
func Encode(d bson.D) (bson.Raw, error) {
	if d == nil {
		d = bson.D{}
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode document: %w", err)
	}
	return raw, nil
}
