package value

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Size returns how many bytes a value has in BSON, without encoding it. A nil document or array is
// null, as the driver encodes it.
func Size(v any) int {
	switch v := v.(type) {
	case bson.D:
		if v == nil {
			return 0
		}
		size := 5 // the length and the end
		for _, field := range v {
			size += ElementSize(field.Key, field.Value)
		}
		return size
	case bson.A:
		if v == nil {
			return 0
		}
		size := 5
		for i, element := range v {
			size += ElementSize(strconv.Itoa(i), element)
		}
		return size
	case string:
		return 5 + len(v)
	case bool:
		return 1
	case int32:
		return 4
	case int64, float64, bson.DateTime, bson.Timestamp:
		return 8
	case bson.ObjectID:
		return len(v)
	}
	return rareSize(v)
}

// ElementSize returns how many bytes a field has: its type, its name and its value.
func ElementSize(name string, v any) int { return 2 + len(name) + Size(v) }

func rareSize(v any) int {
	switch v := v.(type) {
	case bson.Binary:
		if v.Subtype == bson.TypeBinaryBinaryOld {
			return 9 + len(v.Data)
		}
		return 5 + len(v.Data)
	case bson.Decimal128:
		return 16
	case bson.Regex:
		return 2 + len(v.Pattern) + len(v.Options)
	case bson.JavaScript:
		return 5 + len(v)
	case bson.Symbol:
		return 5 + len(v)
	case bson.DBPointer:
		return 5 + len(v.DB) + len(v.Pointer)
	case bson.CodeWithScope:
		scope, _ := v.Scope.(bson.D)
		return 9 + len(v.Code) + max(Size(scope), 5)
	}
	return 0 // null, undefined and the keys that sort first and last
}
