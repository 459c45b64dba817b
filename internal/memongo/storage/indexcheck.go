package storage

import (
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Codes for what a hashed index cannot do.
const (
	hashedIndexNotUnique int32 = 16764
	hashedIndexOfArray   int32 = 16766
)

// checkIDIndex reports whether the definition is that of the _id, which every collection has.
func checkIDIndex(x *index, spec bson.D) (bool, error) {
	if len(x.key) != 1 || x.key[0].Key != "_id" || !value.IsNumber(x.key[0].Value) {
		return false, nil
	}
	if n, _ := value.Float64(x.key[0].Value); n < 0 {
		return false, mongoerr.New(mongoerr.BadValue,
			"The field 'key' for an _id index must be {_id: 1}, but got %s", value.Show(x.key))
	}
	for _, field := range spec {
		switch field.Key {
		case "key", "name", "v", "ns", "collation":
		default:
			return false, mongoerr.New(mongoerr.InvalidIndexSpecification,
				"The field '%s' is not valid for an _id index specification. Specification: %s",
				field.Key, value.Show(value.Set(spec, "v", x.version)))
		}
	}
	return true, nil
}

// checkTTL takes the expiry, whose errors a server tells in another way than the others.
func checkTTL(x *index, spec bson.D) error {
	v, ok := value.Get(x.options, "expireAfterSeconds")
	if !ok {
		return nil
	}
	cannot := func(format string, args ...any) error {
		args = append(args, value.Show(spec))
		return mongoerr.New(mongoerr.CannotCreateIndex, format+" Index spec: %s", args...)
	}
	switch seconds, number := value.Float64(v); {
	case !number:
		return cannot("TTL index 'expireAfterSeconds' option must be numeric, "+
			"but received a type of '%s'.", value.TypeName(v))
	case seconds < 0:
		return cannot("TTL index 'expireAfterSeconds' option cannot be less than 0.")
	case math.IsNaN(seconds) || seconds > math.MaxInt32:
		return cannot("TTL index 'expireAfterSeconds' option must be within an acceptable range, " +
			"try a lower number.")
	case len(x.key) > 1:
		return cannot("TTL indexes are single-field indexes, compound indexes do not support TTL.")
	default:
		whole := int32(seconds)
		x.expires = &whole
		x.options = value.Set(x.options, "expireAfterSeconds", whole)
		return nil
	}
}

// check refuses what does not go together.
func (x *index) check() error {
	cannot := func(format string, args ...any) error {
		return mongoerr.New(mongoerr.CannotCreateIndex, format, args...)
	}
	if x.name == "" {
		return cannot("index name cannot be empty")
	}
	if x.sparse && x.filter != nil {
		return cannot("cannot mix \"partialFilterExpression\" and \"sparse\" options")
	}
	if operator := unsupportedInPartial(x.filter); operator != "" {
		return cannot("Expression not supported in partial index: %s", operator)
	}
	return nil
}

// unsupportedInPartial returns the first operator of a filter that a partial index may not have.
func unsupportedInPartial(filter bson.D) string {
	for _, field := range filter {
		switch field.Key {
		case "$and", "$or":
			for _, part := range arrayOf(field.Value) {
				part, _ := part.(bson.D)
				if operator := unsupportedInPartial(part); operator != "" {
					return operator
				}
			}
			continue
		}
		if field.Key != "" && field.Key[0] == '$' {
			return field.Key
		}
		condition, _ := field.Value.(bson.D)
		for _, operator := range condition {
			if operator.Key != "" && operator.Key[0] == '$' && !partialAllows(operator) {
				return operator.Key
			}
		}
	}
	return ""
}

func partialAllows(operator bson.E) bool {
	switch operator.Key {
	case "$eq", "$gt", "$gte", "$lt", "$lte", "$in", "$type":
		return true
	case "$exists":
		return value.Truthy(operator.Value)
	}
	return false
}

func arrayOf(v any) bson.A {
	a, _ := v.(bson.A)
	return a
}

// add finds out whether a new index is there already, and refuses it where another one stands in
// its way.
func (d *definition) add(x *index) (exists bool, err error) {
	if y := d.named(x.name); y != nil {
		switch {
		case !x.alike(y):
			return false, mongoerr.New(mongoerr.IndexKeySpecsConflict, "An existing index has "+
				"the same name as the requested index. When index names are not specified, they "+
				"are auto generated and can cause conflicts. Please refer to our documentation. "+
				"Requested index: %s, existing index: %s", value.Show(x.spec()), value.Show(y.spec()))
		case !x.identical(y):
			return false, optionsConflict("An equivalent index already exists with the same name "+
				"but different options. Requested index: %s, existing index: %s",
				value.Show(x.spec()), value.Show(y.spec()))
		}
		return true, nil
	}
	for _, y := range d.indexes {
		switch {
		case !x.alike(y):
		case !x.identical(y):
			return false, optionsConflict("An equivalent index already exists with a different "+
				"name and options. Requested index: %s, existing index: %s",
				value.Show(x.spec()), value.Show(y.spec()))
		default:
			return false, optionsConflict("Index already exists with a different name: %s", y.name)
		}
	}
	return false, nil
}

func optionsConflict(format string, args ...any) error {
	return mongoerr.New(mongoerr.IndexOptionsConflict, format, args...)
}
