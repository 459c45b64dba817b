package mongostore

import "go.mongodb.org/mongo-driver/v2/bson"

// What update pipelines are made of. A value that comes from outside is always a literal: text
// that begins with a dollar sign would be an expression otherwise.

func kv(key string, value any) bson.E { return bson.E{Key: key, Value: value} }

func op(name string, operands ...any) bson.D { return bson.D{kv(name, bson.A(operands))} }

func literal(value any) bson.D { return bson.D{kv("$literal", value)} }

func and(operands ...any) bson.D     { return op("$and", operands...) }
func or(operands ...any) bson.D      { return op("$or", operands...) }
func not(operand any) bson.D         { return op("$not", operand) }
func eq(a, b any) bson.D             { return op("$eq", a, b) }
func gt(a, b any) bson.D             { return op("$gt", a, b) }
func lt(a, b any) bson.D             { return op("$lt", a, b) }
func lte(a, b any) bson.D            { return op("$lte", a, b) }
func orElse(a, otherwise any) bson.D { return op("$ifNull", a, otherwise) }
func cond(when, then, otherwise any) bson.D {
	return op("$cond", when, then, otherwise)
}

// whole is a number without fractions, 0 where it is none.
func whole(value any) bson.D {
	return bson.D{kv("$convert", bson.D{
		kv("input", value), kv("to", "long"), kv("onError", int64(0)), kv("onNull", int64(0)),
	})}
}

// The clock of the server: constant within a command.
const now = "$$NOW"

// remove as the value of a field leaves the field out.
const remove = "$$REMOVE"

// when returns a pipeline that sets fields if a condition holds on the document as it was, and
// otherwise leaves the document exactly as it is, which the server then does not write.
func when(condition bson.D, set ...bson.E) bson.A {
	const mark = "conditionHolds"
	fields := make(bson.D, 0, len(set))
	for _, field := range set {
		fields = append(fields, kv(field.Key, cond("$"+mark, field.Value, "$"+field.Key)))
	}
	return bson.A{
		bson.D{kv("$set", bson.D{kv(mark, condition)})},
		bson.D{kv("$set", fields)},
		bson.D{kv("$unset", mark)},
	}
}

// pipeline returns a pipeline that sets fields.
func pipeline(set ...bson.E) bson.A {
	return bson.A{bson.D{kv("$set", bson.D(set))}}
}
