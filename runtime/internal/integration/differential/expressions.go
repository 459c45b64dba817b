package differential

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// Expression draws an aggregation expression of several operators. Where two of them would fail,
// which does so first is up to a server's optimizer.
func Expression(t *rapid.T) any { return expression(t, 2) }

// Operation draws an expression of one operator.
func Operation(t *rapid.T) any {
	if chance(t, "special", 2) {
		return special(t, 0)
	}
	return operation(t, 0)
}

// operators take a list of so many expressions.
var operators = map[string]int{
	"$eq": 2, "$ne": 2, "$gt": 2, "$gte": 2, "$lt": 2, "$lte": 2, "$cmp": 2, "$and": 2, "$or": 2,
	"$not": 1, "$cond": 3, "$ifNull": 2, "$add": 2, "$subtract": 2, "$multiply": 2, "$divide": 2,
	"$mod": 2, "$max": 2, "$min": 2, "$sum": 2, "$avg": 2, "$abs": 1, "$floor": 1, "$ceil": 1,
	"$trunc": 1, "$round": 1, "$concat": 2, "$concatArrays": 2, "$arrayElemAt": 2, "$slice": 2,
	"$size": 1, "$isArray": 1, "$in": 2, "$indexOfArray": 2, "$mergeObjects": 2, "$type": 1,
	"$toLong": 1, "$toInt": 1, "$toDouble": 1, "$toDecimal": 1, "$toString": 1, "$toBool": 1,
	"$toDate": 1, "$toUpper": 1, "$toLower": 1, "$strLenCP": 1, "$substrCP": 3, "$first": 1,
	"$last": 1, "$objectToArray": 1, "$arrayToObject": 1, "$setEquals": 2, "$setIsSubset": 2,
	"$allElementsTrue": 1, "$anyElementTrue": 1, "$reverseArray": 1, "$range": 2, "$split": 2,
	"$isNumber": 1, "$literal": 1,
}

// names are those of the operators, in an order that is the same in every run.
var names = []string{
	"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$cmp", "$and", "$or", "$not", "$cond", "$ifNull",
	"$add", "$subtract", "$multiply", "$divide", "$mod", "$max", "$min", "$sum", "$avg", "$abs",
	"$floor", "$ceil", "$trunc", "$round", "$concat", "$concatArrays", "$arrayElemAt", "$slice",
	"$size", "$isArray", "$in", "$indexOfArray", "$mergeObjects", "$type", "$toLong", "$toInt",
	"$toDouble", "$toDecimal", "$toString", "$toBool", "$toDate", "$toUpper", "$toLower",
	"$strLenCP", "$substrCP", "$first", "$last", "$objectToArray", "$arrayToObject", "$setEquals",
	"$setIsSubset", "$allElementsTrue", "$anyElementTrue", "$reverseArray", "$range", "$split",
	"$isNumber",
}

func expression(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 9).Draw(t, "expression"); {
	case depth == 0 || kind < 3:
		return leaf(t)
	case kind == 3:
		return special(t, depth-1)
	case kind == 4:
		return bson.A{expression(t, depth-1), expression(t, depth-1)}
	}
	return operation(t, depth-1)
}

func operation(t *rapid.T, depth int) bson.D {
	name := rapid.SampledFrom(names).Draw(t, "operator")
	switch name {
	case "$add", "$multiply", "$max", "$min":
		// A server's optimizer puts constants last where the order has no meaning. What comes
		// first decides between an error and null, and between equal numbers.
		return op(name, bson.A{"$" + path(t), leaf(t)})
	case "$range": // of anything it could be long
		from, to := rapid.Int32Range(0, 3), rapid.Int32Range(0, 5)
		return op(name, bson.A{from.Draw(t, "from"), to.Draw(t, "to")})
	}
	operands := bson.A{}
	for range operators[name] {
		operands = append(operands, expression(t, depth))
	}
	return op(name, operands)
}

// leaf draws a path, a variable or a constant.
func leaf(t *rapid.T) any {
	switch kind := rapid.IntRange(0, 9).Draw(t, "leaf"); {
	case kind < 5:
		return "$" + path(t)
	case kind == 5:
		return pick(t, "variable", "$$ROOT", "$$REMOVE", "$$CURRENT.a")
	case kind == 6:
		return op("$literal", value(t, 1))
	}
	return scalar(t)
}

// special draws an operator with named operands.
func special(t *rapid.T, depth int) any {
	switch pick(t, "special", "let", "map", "filter", "reduce", "switch", "document", "field") {
	case "let":
		return op("$let", bson.D{kv("vars", bson.D{kv("x", expression(t, depth))}),
			kv("in", op(pick(t, "in", "$add", "$eq", "$ifNull"),
				bson.A{"$$x", expression(t, depth)}))})
	case "map":
		return op("$map", bson.D{kv("input", expression(t, depth)),
			kv("in", pick[any](t, "of", "$$this", "$$this.b",
				op("$add", bson.A{"$$this", int32(1)})))})
	case "filter":
		return op("$filter", bson.D{kv("input", expression(t, depth)), kv("as", "x"),
			kv("cond", op("$gt", bson.A{"$$x", scalar(t)}))})
	case "reduce":
		return op("$reduce", bson.D{kv("input", expression(t, depth)),
			kv("initialValue", scalar(t)),
			kv("in", op(pick(t, "by", "$add", "$concat", "$max"), bson.A{"$$value", "$$this"}))})
	case "switch":
		return op("$switch", bson.D{kv("branches", bson.A{bson.D{
			kv("case", expression(t, depth)), kv("then", expression(t, depth))}}),
			kv("default", expression(t, depth))})
	case "field":
		return op("$getField", bson.D{kv("field", field(t)), kv("input", expression(t, depth))})
	}
	return bson.D{kv("x", expression(t, depth)), kv("y", expression(t, depth))}
}
