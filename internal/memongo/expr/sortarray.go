package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// arraySort is a $sortArray.
type arraySort struct {
	input Expr
	by    *Order
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
			s.by, err = sortBy(field.Value)
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
	case s.by == nil:
		return nil, mongoerr.New(2942503, "%s requires 'sortBy' to be specified", name)
	}
	return s, nil
}

// sortBy reads 1, -1 or a document of paths.
func sortBy(spec any) (*Order, error) {
	if value.IsNumber(spec) {
		direction, ok := integer(spec)
		if !ok || direction != 1 && direction != -1 {
			return nil, mongoerr.New(2942506, "The $sort element value must be either 1 or -1")
		}
		return &Order{whole: int(direction)}, nil
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

func sortByPaths(d bson.D) (*Order, error) {
	o := &Order{}
	for _, field := range d {
		direction, ok := integer(field.Value)
		if !ok || direction != 1 && direction != -1 {
			return nil, mongoerr.New(2942505, "BadValue: $sort key ordering must be 1 (for "+
				"ascending) or -1 (for descending)")
		}
		o.Add(field.Key, int(direction))
	}
	return o, nil
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
	return Sorted(s.by, append(bson.A{}, elements...))
}
