package memongo

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// args are the fields of a command, or of a part of it, by the name that errors give it. Reading
// one of the wrong type is an error that [args.err] keeps: the first wins.
type args struct {
	of     string
	fields bson.D
	err    *error
}

func newArgs(of string, fields bson.D) args { return args{of, fields, new(error)} }

// failed returns the first problem that was met.
func (a args) failed() error { return *a.err }

func (a args) fail(err error) {
	if *a.err == nil {
		*a.err = err
	}
}

func (a args) get(name string) (any, bool) { return value.Get(a.fields, name) }

// only refuses fields that are not among the known ones, or are there twice.
func (a args) only(known ...string) {
	a.onlyIf(func(field string) bool { return slices.Contains(known, field) })
}

// onlyIf refuses fields that are not known, or are there twice.
func (a args) onlyIf(known func(field string) bool) {
	seen := make(map[string]bool, len(a.fields))
	for _, e := range a.fields {
		if seen[e.Key] {
			a.fail(mongoerr.New(mongoerr.DuplicateField,
				"BSON field '%s.%s' is a duplicate field", a.of, e.Key))
		}
		seen[e.Key] = true
		if !known(e.Key) {
			a.fail(mongoerr.New(mongoerr.UnknownField,
				"BSON field '%s.%s' is an unknown field.", a.of, e.Key))
		}
	}
}

// require returns a field that must be there.
func (a args) require(name string) any {
	v, ok := a.get(name)
	if !ok {
		a.fail(mongoerr.New(40414,
			"BSON field '%s.%s' is missing but a required field", a.of, name))
	}
	return v
}

func (a args) wrongType(name string, v any, want ...string) {
	expected := "expected type '" + want[0] + "'"
	if len(want) > 1 {
		expected = "expected types '[" + strings.Join(want, ", ") + "']"
	}
	a.fail(mongoerr.New(mongoerr.TypeMismatch, "BSON field '%s.%s' is the wrong type '%s', %s",
		a.of, name, value.TypeName(v), expected))
}

// typed returns a field of one type, and whether it is there. Null counts as absent.
func typed[T any](a args, name, typeName string) (T, bool) {
	var zero T
	v, ok := a.get(name)
	if !ok || v == nil {
		return zero, false
	}
	t, ok := v.(T)
	if !ok {
		a.wrongType(name, v, typeName)
	}
	return t, ok
}

func (a args) document(name string) (bson.D, bool) { return typed[bson.D](a, name, "object") }
func (a args) array(name string) (bson.A, bool)    { return typed[bson.A](a, name, "array") }
func (a args) str(name string) (string, bool)      { return typed[string](a, name, "string") }

// documents returns an array of documents.
func (a args) documents(name string) []bson.D {
	list, _ := a.array(name)
	docs := make([]bson.D, 0, len(list))
	for i, v := range list {
		doc, ok := v.(bson.D)
		if !ok {
			a.wrongType(name+"."+strconv.Itoa(i), v, "object")
			return nil
		}
		docs = append(docs, doc)
	}
	return docs
}

// int returns an integral number of any numeric type.
func (a args) int(name string) (int64, bool) {
	v, ok := a.get(name)
	if !ok || v == nil {
		return 0, false
	}
	switch n := v.(type) {
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case float64:
		if n >= math.MaxInt64 {
			return math.MaxInt64, true
		}
		return int64(n), true
	}
	n, ok := value.Int64(v)
	if !ok {
		a.wrongType(name, v, "long", "int", "decimal", "double")
	}
	return n, ok
}

// bool returns a flag; numbers count as one.
func (a args) bool(name string) (is, given bool) {
	v, ok := a.get(name)
	if !ok || v == nil {
		return false, false
	}
	switch b := v.(type) {
	case bool:
		return b, true
	case int32, int64, float64:
		return value.Truthy(b), true
	}
	a.wrongType(name, v, "bool")
	return false, false
}

// flag is bool with false for absent.
func (a args) flag(name string) bool { is, _ := a.bool(name); return is }

// unsupported refuses fields that the server has no use for, if they say anything.
func (a args) unsupported(names ...string) error {
	for _, name := range names {
		if v, ok := a.get(name); ok && v != nil && v != false {
			return mongoerr.Unsupported("the field %s of %s", name, a.of)
		}
	}
	return nil
}

// simpleCollation refuses to compare strings in any way but by their bytes.
func (a args) simpleCollation() error {
	collation, ok := a.document("collation")
	if locale := value.Lookup(collation, "locale"); ok && locale != "simple" {
		return mongoerr.Unsupported("collations other than simple")
	}
	return a.failed()
}

// objects refuses fields of find that are no documents.
func (a args) objects(names ...string) {
	for _, name := range names {
		v, ok := a.get(name)
		if _, isDocument := v.(bson.D); ok && !isDocument {
			a.fail(mongoerr.New(mongoerr.TypeMismatch, "Expected field %sto be of type object", name))
		}
	}
}
