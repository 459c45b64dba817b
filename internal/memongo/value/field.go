package value

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Get returns the value of the first field of that name.
func Get(d bson.D, field string) (any, bool) {
	for i := range d {
		if d[i].Key == field {
			return d[i].Value, true
		}
	}
	return Missing, false
}

// Set returns a copy of the document in which a field is replaced, or appended if there is none.
func Set(d bson.D, field string, v any) bson.D {
	changed := make(bson.D, len(d), len(d)+1)
	copy(changed, d)
	if i := index(d, field); i >= 0 {
		changed[i].Value = v
		return changed
	}
	return append(changed, bson.E{Key: field, Value: v})
}

// Without returns a copy of the document without a field.
func Without(d bson.D, field string) bson.D {
	rest := make(bson.D, 0, len(d)) // not nil, which would be encoded as null
	i := index(d, field)
	if i < 0 {
		return append(rest, d...)
	}
	return append(append(rest, d[:i]...), d[i+1:]...)
}

// Lookup returns what a path of field names leads to, or [Missing]. It does not look into arrays.
func Lookup(v any, path ...string) any {
	for _, field := range path {
		d, ok := v.(bson.D)
		if !ok {
			return Missing
		}
		v, _ = Get(d, field)
	}
	return v
}

func index(d bson.D, field string) int {
	return slices.IndexFunc(d, func(e bson.E) bool { return e.Key == field })
}
