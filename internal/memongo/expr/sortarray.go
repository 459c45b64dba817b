package expr

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// arraySort is a $sortArray.
type arraySort struct {
	input   Expr
	compare func(a, b any) int
}

func sortingArray(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(2942500, "%s requires an object as an argument, found: %s", name,
			value.TypeName(argument))
	}
	s := arraySort{}
	for _, field := range d {
		var err error
		switch field.Key {
		case "input":
			s.input, err = c.compile(field.Value)
		case "sortBy":
			s.compare, err = sortBy(field.Value)
		default:
			err = mongoerr.New(2942501, "%s found an unknown argument: %s", name, field.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case s.input == nil:
		return nil, mongoerr.New(2942502, "%s requires 'input' to be specified", name)
	case s.compare == nil:
		return nil, mongoerr.New(2942503, "%s requires 'sortBy' to be specified", name)
	}
	return s, nil
}

// sortBy reads 1, -1 or a document of paths.
func sortBy(spec any) (func(a, b any) int, error) {
	if value.IsNumber(spec) {
		direction, ok := integer(spec)
		if !ok || direction != 1 && direction != -1 {
			return nil, mongoerr.New(2942506, "The $sort element value must be either 1 or -1")
		}
		return func(a, b any) int { return int(direction) * value.Compare(a, b) }, nil
	}
	d, ok := spec.(bson.D)
	switch {
	case !ok:
		return nil, mongoerr.New(2942507, "The $sort is invalid: use 1/-1 to sort the whole "+
			"element, or {field:1/-1} to sort embedded fields")
	case len(d) == 0:
		return nil, mongoerr.New(2942505,
			"BadValue: The sort pattern is empty when it should be a set of fields.")
	}
	return sortByPaths(d)
}

func sortByPaths(d bson.D) (func(a, b any) int, error) {
	paths, directions := make([][]string, len(d)), make([]int, len(d))
	for i, field := range d {
		direction, ok := integer(field.Value)
		if !ok || direction != 1 && direction != -1 {
			return nil, mongoerr.New(2942505, "BadValue: $sort key ordering must be 1 (for "+
				"ascending) or -1 (for descending)")
		}
		paths[i], directions[i] = strings.Split(field.Key, "."), int(direction)
	}
	return func(a, b any) int {
		for i, path := range paths {
			x, y := SortKey(a, path, directions[i]), SortKey(b, path, directions[i])
			if c := directions[i] * value.Compare(x, y); c != 0 {
				return c
			}
		}
		return 0
	}, nil
}

func (s arraySort) Eval(v *Vars) (any, error) {
	input, err := s.input.Eval(v)
	if err != nil || nullish(input) {
		return nil, err
	}
	elements, ok := input.(bson.A)
	if !ok {
		return nil, mongoerr.New(2942504, "The input argument to $sortArray must be an array, but "+
			"was of type: %s", value.TypeName(input))
	}
	ordered := append(bson.A{}, elements...)
	slices.SortStableFunc(ordered, s.compare)
	return ordered, nil
}

// SortKey returns what a document is sorted by: the least of the values that a path leads to,
// through arrays, or the greatest if the direction is negative. A missing value is null, an empty
// array is undefined.
func SortKey(v any, path []string, direction int) any {
	found := sortKeys(v, path, nil)
	if len(found) == 0 {
		return nil
	}
	best := found[0]
	for _, key := range found[1:] {
		if direction*value.Compare(key, best) < 0 {
			best = key
		}
	}
	return best
}

func sortKeys(v any, path []string, found []any) []any {
	list, isList := v.(bson.A)
	switch {
	case isList && len(path) == 0:
		if len(list) == 0 {
			return append(found, bson.Undefined{})
		}
		return append(found, list...)
	case len(path) == 0:
		return append(found, orNull(v))
	case isList:
		return sortKeysOfElements(list, path, found)
	}
	d, ok := v.(bson.D)
	if !ok {
		return append(found, nil)
	}
	return sortKeys(field(d, path[0]), path[1:], found)
}

// sortKeysOfElements looks into an array's documents, and at an element if a name is a number.
func sortKeysOfElements(list bson.A, path []string, found []any) []any {
	if i, ok := position(path[0]); ok {
		if i < len(list) {
			return sortKeys(list[i], path[1:], found)
		}
		return append(found, nil)
	}
	if len(list) == 0 {
		return append(found, nil)
	}
	for _, element := range list {
		if d, ok := element.(bson.D); ok {
			found = sortKeys(d, path, found)
		} else {
			found = append(found, nil)
		}
	}
	return found
}

// position reads a name that is an index, without leading zeros.
func position(name string) (int, bool) {
	if name == "" || len(name) > 9 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n := 0
	for i := range len(name) {
		if !digit(name[i]) {
			return 0, false
		}
		n = n*10 + int(name[i]-'0')
	}
	return n, true
}
