package storage

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// documentSize returns how many bytes a document takes, without encoding it.
func documentSize(d bson.D) int {
	size := 5
	for _, field := range d {
		size += 2 + len(field.Key) + valueSize(field.Value)
	}
	return size
}

func valueSize(v any) int {
	switch v := v.(type) {
	case string:
		return 5 + len(v)
	case bson.Symbol:
		return 5 + len(v)
	case bson.JavaScript:
		return 5 + len(v)
	case bson.D:
		return documentSize(v)
	case bson.A:
		size := 5
		for i, element := range v {
			size += 2 + len(strconv.Itoa(i)) + valueSize(element)
		}
		return size
	case bson.Binary:
		if v.Subtype == bson.TypeBinaryBinaryOld {
			return 9 + len(v.Data)
		}
		return 5 + len(v.Data)
	case bson.ObjectID:
		return len(v)
	case bool:
		return 1
	case int32:
		return 4
	case float64, int64, bson.DateTime, bson.Timestamp:
		return 8
	case bson.Decimal128:
		return 16
	}
	return rareSize(v)
}

func rareSize(v any) int {
	switch v := v.(type) {
	case bson.Regex:
		return 2 + len(v.Pattern) + len(v.Options)
	case bson.DBPointer:
		return 5 + len(v.DB) + len(v.Pointer)
	case bson.CodeWithScope:
		size := 9 + len(v.Code)
		if scope, ok := v.Scope.(bson.D); ok {
			return size + documentSize(scope)
		}
		return size + 5
	}
	return 0
}

// deeper reports whether documents and arrays lie deeper in one another than allowed.
func deeper(v any, allowed int) bool {
	switch v := v.(type) {
	case bson.D:
		if allowed == 0 {
			return true
		}
		for _, field := range v {
			if deeper(field.Value, allowed-1) {
				return true
			}
		}
	case bson.A:
		if allowed == 0 {
			return true
		}
		for _, element := range v {
			if deeper(element, allowed-1) {
				return true
			}
		}
	}
	return false
}
