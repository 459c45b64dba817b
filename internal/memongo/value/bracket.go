package value

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// MissingType is the type of [Missing].
type MissingType struct{}

// Missing is the value of a field that is not there.
var Missing MissingType

// Bracket is a set of types whose values are ordered by what they say, such as all numbers.
// Values of different brackets are ordered by their brackets.
type Bracket int8

// The brackets, in BSON's order.
const (
	MinKeys Bracket = iota
	Absent          // missing and undefined
	Nulls
	Numbers
	Strings // and symbols
	Documents
	Arrays
	Binaries
	ObjectIDs
	Booleans
	Dates
	Timestamps
	Regexes
	DBPointers
	Scripts
	ScopedScripts
	MaxKeys
)

// kind is what there is to know of a type.
type kind struct {
	bracket Bracket
	code    int
	name    string
}

// kindOf returns the kind of a value.
func kindOf(v any) kind {
	switch v.(type) {
	case int32:
		return kind{Numbers, 16, "int"}
	case int64:
		return kind{Numbers, 18, "long"}
	case float64:
		return kind{Numbers, 1, "double"}
	case bson.Decimal128:
		return kind{Numbers, 19, "decimal"}
	case string:
		return kind{Strings, 2, "string"}
	case bson.D:
		return kind{Documents, 3, "object"}
	case bson.A:
		return kind{Arrays, 4, "array"}
	case bool:
		return kind{Booleans, 8, "bool"}
	case bson.DateTime:
		return kind{Dates, 9, "date"}
	case nil:
		return kind{Nulls, 10, "null"}
	case MissingType:
		return kind{Absent, 0, "missing"}
	}
	return rareKind(v)
}

func rareKind(v any) kind {
	switch v.(type) {
	case bson.Binary:
		return kind{Binaries, 5, "binData"}
	case bson.Undefined:
		return kind{Absent, 6, "undefined"}
	case bson.ObjectID:
		return kind{ObjectIDs, 7, "objectId"}
	case bson.Regex:
		return kind{Regexes, 11, "regex"}
	case bson.DBPointer:
		return kind{DBPointers, 12, "dbPointer"}
	case bson.JavaScript:
		return kind{Scripts, 13, "javascript"}
	case bson.Symbol:
		return kind{Strings, 14, "symbol"}
	case bson.CodeWithScope:
		return kind{ScopedScripts, 15, "javascriptWithScope"}
	case bson.Timestamp:
		return kind{Timestamps, 17, "timestamp"}
	case bson.MinKey:
		return kind{MinKeys, -1, "minKey"}
	case bson.MaxKey:
		return kind{MaxKeys, 127, "maxKey"}
	}
	panic(fmt.Sprintf("value: %T is not the type of a BSON value", v))
}

// BracketOf returns the bracket of a value.
func BracketOf(v any) Bracket { return kindOf(v).bracket }

// TypeName returns the type as $type gives it: "int", "string", "missing".
func TypeName(v any) string { return kindOf(v).name }

// TypeCode returns the type as a number: 16 for an int, 2 for a string, 0 for [Missing], -1 for
// MinKey.
func TypeCode(v any) int { return kindOf(v).code }

// IsNumber reports whether v is of one of the four numeric types.
func IsNumber(v any) bool { return kindOf(v).bracket == Numbers }
