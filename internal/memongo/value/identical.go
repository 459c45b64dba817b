package value

import (
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Identical reports whether two values have the same types and bytes throughout, which is what
// makes an update a no-op. 1 and 1.0 are equal, but not identical.
func Identical(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case bson.D:
		b, ok := b.(bson.D)
		return ok && slices.EqualFunc(a, b, identicalFields)
	case bson.A:
		b, ok := b.(bson.A)
		return ok && slices.EqualFunc(a, b, Identical)
	case bson.Binary:
		b, ok := b.(bson.Binary)
		return ok && compareBinaries(a, b) == 0
	case bson.CodeWithScope:
		b, ok := b.(bson.CodeWithScope)
		return ok && a.Code == b.Code && Identical(scope(a), scope(b))
	}
	return TypeCode(a) == TypeCode(b) && a == b
}

func identicalFields(a, b bson.E) bool { return a.Key == b.Key && Identical(a.Value, b.Value) }

// Truthy reports whether aggregation takes a value for true: all but false, numbers that are
// zero, null, undefined and missing.
func Truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case nil, bson.Undefined, MissingType:
		return false
	case int32, int64, float64, bson.Decimal128:
		return compareNumbers(v, int32(0)) != 0
	}
	return true
}
