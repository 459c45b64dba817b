package pipeline

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// unwinding is a $unwind: one document for each element of an array.
type unwinding struct {
	path     []string
	index    []string // where the element's index goes; nil: nowhere
	preserve bool     // documents without elements stay
}

func unwind(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if path, single := spec.(string); single {
		d, ok = bson.D{{Key: "path", Value: path}}, true
	}
	if !ok {
		return nil, mongoerr.New(15981, "expected either a string or an object as specification "+
			"for $unwind stage, got %s", value.TypeName(spec))
	}
	var (
		u    unwinding
		path string
	)
	for _, field := range d {
		if err := u.read(field, &path); err != nil {
			return nil, err
		}
	}
	switch {
	case path == "":
		return nil, mongoerr.New(28812, "no path specified to $unwind stage")
	case path[0] != '$':
		return nil, mongoerr.New(28818,
			"path option to $unwind stage should be prefixed with a '$': %s", path)
	}
	u.path = strings.Split(path[1:], ".")
	return u, expr.CheckPath(path[1:])
}

func (u *unwinding) read(field bson.E, path *string) error {
	found := value.TypeName(field.Value)
	switch field.Key {
	case "path":
		text, ok := field.Value.(string)
		if !ok {
			return mongoerr.New(28808, "expected a string as the path for $unwind stage, got %s",
				found)
		}
		*path = text
	case "preserveNullAndEmptyArrays":
		preserve, ok := field.Value.(bool)
		if !ok {
			return mongoerr.New(28809, "expected a boolean for the preserveNullAndEmptyArrays "+
				"option to $unwind stage, got %s", found)
		}
		u.preserve = preserve
	case "includeArrayIndex":
		text, ok := field.Value.(string)
		if !ok || text == "" {
			return mongoerr.New(28810, "expected a non-empty string for the includeArrayIndex  "+
				"option to $unwind stage, got %s", found)
		}
		if text[0] == '$' {
			return mongoerr.New(28822, "includeArrayIndex option to $unwind stage should not be "+
				"prefixed with a '$': %s", text)
		}
		u.index = strings.Split(text, ".")
		return expr.CheckPath(text)
	default:
		return mongoerr.New(28811, "unrecognized option to $unwind stage: %s", field.Key)
	}
	return nil
}

func (u unwinding) run(in documents, _ *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		for doc, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, unwound := range u.each(doc) {
				if !yield(unwound, nil) {
					return
				}
			}
		}
	}
}

func (u unwinding) each(doc bson.D) []bson.D {
	at := value.Lookup(doc, u.path...)
	elements, isArray := at.(bson.A)
	switch {
	case isArray && len(elements) > 0:
		out := make([]bson.D, len(elements))
		for i, element := range elements {
			out[i] = u.indexed(setAt(doc, u.path, element), int64(i))
		}
		return out
	case isArray && u.preserve:
		return []bson.D{u.indexed(removeAt(doc, u.path), nil)}
	case isArray, isNothing(at) && !u.preserve:
		return nil
	}
	return []bson.D{u.indexed(doc, nil)}
}

func isNothing(val any) bool {
	switch val.(type) {
	case nil, value.MissingType, bson.Undefined:
		return true
	}
	return false
}

func (u unwinding) indexed(doc bson.D, i any) bson.D {
	if u.index == nil {
		return doc
	}
	return setAt(doc, u.index, i)
}

// setAt returns a copy in which a path has a value; documents are made on the way.
func setAt(d bson.D, path []string, val any) bson.D {
	if len(path) > 1 {
		below, _ := value.Get(d, path[0])
		inner, _ := below.(bson.D)
		val = setAt(inner, path[1:], val)
	}
	return value.Set(d, path[0], val)
}

// removeAt returns a copy without what a path leads to.
func removeAt(d bson.D, path []string) bson.D {
	if len(path) == 1 {
		return value.Without(d, path[0])
	}
	below, _ := value.Get(d, path[0])
	inner, ok := below.(bson.D)
	if !ok {
		return d
	}
	return value.Set(d, path[0], removeAt(inner, path[1:]))
}
