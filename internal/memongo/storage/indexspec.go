package storage

import (
	"math"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// parseIndex checks the definition of an index. The result is nil for that of the _id.
func parseIndex(spec bson.D) (*index, error) {
	x := &index{version: int32(2)}
	for _, field := range spec {
		if err := x.set(field, spec); err != nil {
			return nil, inSpec(spec, err)
		}
	}
	if x.key == nil {
		return nil, inSpec(spec, mongoerr.New(mongoerr.FailedToParse,
			"The 'key' field is a required property of an index specification"))
	}
	if _, ok := value.Get(spec, "name"); !ok {
		return nil, inSpec(spec, mongoerr.New(mongoerr.FailedToParse,
			"The 'name' field is a required property of an index specification"))
	}
	if ofID, err := checkIDIndex(x, spec); ofID || err != nil {
		return nil, err
	}
	if err := checkTTL(x, spec); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, inSpec(value.Set(spec, "v", x.version), err)
	}
	return x, nil
}

// inSpec says in which definition something is wrong.
func inSpec(spec bson.D, err error) error {
	if e, ok := err.(*mongoerr.Error); ok && e.Code != mongoerr.NotImplemented {
		return mongoerr.New(e.Code, "Error in specification %s :: caused by :: %s",
			value.Show(spec), e.Message)
	}
	return err
}

// set takes one field of a definition.
func (x *index) set(field bson.E, spec bson.D) (err error) {
	switch field.Key {
	case "v":
		return x.setVersion(field.Value, spec)
	case "key":
		return x.setKey(field.Value)
	case "name":
		name, ok := field.Value.(string)
		if !ok {
			return wrongSpecType("name", "a string", field.Value)
		}
		x.name = name
		return nil
	case "ns":
		return nil
	case "unique":
		x.unique, err = specBool(field)
		return err
	case "hidden":
		x.hidden, err = specBool(field)
		return err
	case "sparse":
		x.sparse, err = specBool(field)
	case "background":
		_, err = specBool(field)
	case "expireAfterSeconds": // see checkTTL
	case "partialFilterExpression":
		err = x.setFilter(field.Value)
	case "collation":
		return checkCollation(field.Value)
	default:
		return unknownIndexOption(field.Key, spec)
	}
	x.options = append(x.options, field)
	return err
}

func (x *index) setVersion(v any, spec bson.D) error {
	n, ok := value.Int64(v)
	if !ok || n != 1 && n != 2 {
		return mongoerr.New(mongoerr.CannotCreateIndex,
			"Invalid index specification %s; cannot create an index with v=%s",
			value.Show(spec), value.Show(v))
	}
	x.version = int32(n)
	return nil
}

func (x *index) setFilter(v any) error {
	filter, ok := v.(bson.D)
	if !ok {
		return wrongSpecType("partialFilterExpression", "an object", v)
	}
	m, err := match.Compile(filter)
	if err != nil {
		return err
	}
	if m.UsesExpr() {
		return mongoerr.New(mongoerr.QueryFeatureNotAllowed, "$expr is not allowed in this context")
	}
	x.filter, x.partial = filter, m
	return nil
}

func wrongSpecType(name, want string, got any) error {
	return mongoerr.New(mongoerr.TypeMismatch, "The field '%s' must be %s, but got %s",
		name, want, value.TypeName(got))
}

func specBool(field bson.E) (bool, error) {
	switch v := field.Value.(type) {
	case bool:
		return v, nil
	case int32, int64, float64, bson.Decimal128:
		return value.Truthy(v), nil
	}
	return false, mongoerr.New(mongoerr.TypeMismatch,
		"The field '%s has value %s: %s, which is not convertible to bool",
		field.Key, field.Key, value.Show(field.Value))
}

func checkCollation(v any) error {
	if value.Lookup(v, "locale") == "simple" {
		return nil
	}
	return mongoerr.Unsupported("the index option collation other than {locale: \"simple\"}")
}

// unknownIndexOption tells options that a server has from others.
func unknownIndexOption(name string, spec bson.D) error {
	switch name {
	case "weights", "default_language", "language_override", "textIndexVersion",
		"2dsphereIndexVersion", "bits", "min", "max", "wildcardProjection", "storageEngine",
		"clustered", "prepareUnique":
		return mongoerr.Unsupported("the index option %s", name)
	}
	return mongoerr.New(mongoerr.InvalidIndexSpecification,
		"The field '%s' is not valid for an index specification. Specification: %s",
		name, value.Show(spec))
}

// setKey checks the fields of the index and their kinds.
func (x *index) setKey(v any) error {
	key, ok := v.(bson.D)
	if !ok {
		return wrongSpecType("key", "an object", v)
	}
	cannot := func(format string, args ...any) error {
		return mongoerr.New(mongoerr.CannotCreateIndex, format, args...)
	}
	if len(key) == 0 {
		return cannot("Index keys cannot be empty.")
	}
	seen := map[string]bool{}
	for _, field := range key {
		if seen[field.Key] {
			return mongoerr.New(mongoerr.BadValue,
				"The field '%s' appears multiple times in the index key pattern %s",
				field.Key, value.Show(key))
		}
		seen[field.Key] = true
		if err := checkIndexKind(field, cannot); err != nil {
			return err
		}
		if err := checkIndexField(field.Key, cannot); err != nil {
			return err
		}
	}
	x.key, x.paths = key, pathsOf(key)
	return nil
}

func checkIndexKind(field bson.E, cannot func(string, ...any) error) error {
	switch v := field.Value.(type) {
	case string:
		switch v {
		case "hashed":
			return nil
		case "text", "2d", "2dsphere", "2dsphere_bucket", "geoHaystack", "wildcard", "columnstore":
			return mongoerr.Unsupported("%s indexes", v)
		}
		return cannot("Unknown index plugin '%s'", v)
	case int32, int64, float64, bson.Decimal128:
		switch n, _ := value.Float64(v); {
		case math.IsNaN(n):
			return cannot("Values in the index key pattern cannot be NaN.")
		case n == 0:
			return cannot("Values in the index key pattern cannot be 0.")
		}
		return nil
	default:
		return cannot("Values in v:2 index key pattern cannot be of type %s. Only numbers > 0, "+
			"numbers < 0, and strings are allowed.", value.TypeName(v))
	}
}

func checkIndexField(name string, cannot func(string, ...any) error) error {
	if name == "" {
		return cannot("Index keys cannot be an empty field.")
	}
	if name == "$**" || strings.HasSuffix(name, ".$**") {
		return mongoerr.Unsupported("wildcard indexes")
	}
	for i, part := range strings.Split(name, ".") {
		reference := part == "$id" || part == "$ref" || part == "$db"
		switch {
		case part == "":
			return cannot("Index keys cannot contain an empty field.")
		case strings.HasPrefix(part, "$") && (i == 0 || !reference):
			return cannot("Index key contains an illegal field name: field name starts with '$'.")
		}
	}
	return nil
}
