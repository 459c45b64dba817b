package differential

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// Filter draws a query filter. An expression stands alone: which of several conditions is asked
// first, and so which of them fails, is the planner's choice.
func Filter(t *rapid.T) bson.D {
	if chance(t, "by an expression", 2) {
		return op("$expr", Operation(t))
	}
	return filter(t, 2)
}

func filter(t *rapid.T, depth int) bson.D {
	kind := rapid.IntRange(0, 9).Draw(t, "filter")
	switch {
	case depth > 0 && kind == 9:
		name := pick(t, "logic", "$and", "$or", "$nor")
		return op(name, bson.A{filter(t, depth-1), filter(t, depth-1)})
	case depth > 0 && kind == 8:
		return append(filter(t, depth-1), filter(t, depth-1)...)
	}
	return bson.D{kv(path(t), condition(t, depth))}
}

// condition draws what is asked of a field.
func condition(t *rapid.T, depth int) any {
	if chance(t, "equality", 2) {
		return value(t, 1)
	}
	name := pick(t, "operator", "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin",
		"$exists", "$type", "$size", "$mod", "$all", "$elemMatch", "$not", "$regex")
	d := op(name, operand(t, name, depth))
	if chance(t, "second", 1) {
		d = append(d, kv("$ne", scalar(t)))
	}
	return d
}

func operand(t *rapid.T, operator string, depth int) any {
	switch operator {
	case "$in", "$nin", "$all":
		return array(t, 1)
	case "$exists":
		return pick[any](t, "exists", true, false, int32(1), int32(0))
	case "$type":
		return pick[any](t, "type", "number", "string", "array", "object", "null", int32(16), "int",
			bson.A{"long", "double"}, "bool", "date")
	case "$size":
		return rapid.Int32Range(-1, 3).Draw(t, "size")
	case "$mod":
		return bson.A{pick[any](t, "divisor", int32(2), int64(3), 2.5), int32(1)}
	case "$regex":
		return pick(t, "regex", "a", "^a", "b$", "A")
	case "$elemMatch":
		if chance(t, "of documents", 5) {
			return filter(t, 0)
		}
		return op(pick(t, "of values", "$gt", "$lt", "$eq", "$ne", "$gte"), value(t, 1))
	case "$not":
		return op(pick(t, "not", "$gt", "$eq", "$in", "$exists"), value(t, 1))
	}
	return value(t, 1)
}
