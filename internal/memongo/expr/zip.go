package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// zip is a $zip.
type zip struct {
	inputs, defaults []Expr
	longest          bool
}

func zipping(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(34460, "$zip only supports an object as an argument, found %s",
			value.TypeName(argument))
	}
	z := zip{}
	for _, field := range d {
		if err := z.read(c, field); err != nil {
			return nil, err
		}
	}
	switch {
	case len(z.inputs) == 0:
		return nil, mongoerr.New(34465, "$zip requires at least one input array")
	case len(z.defaults) > 0 && !z.longest:
		return nil, mongoerr.New(34466,
			"cannot specify defaults unless useLongestLength is true")
	case len(z.defaults) > 0 && len(z.defaults) != len(z.inputs):
		return nil, mongoerr.New(34467, "defaults and inputs must have the same length")
	}
	return z, nil
}

func (z *zip) read(c *compiler, field bson.E) (err error) {
	list, isList := field.Value.(bson.A)
	switch field.Key {
	case "inputs":
		if !isList {
			return mongoerr.New(34461, "inputs must be an array of expressions, found %s",
				value.TypeName(field.Value))
		}
		z.inputs, err = c.compileAll(list)
	case "defaults":
		if !isList {
			return mongoerr.New(34462, "defaults must be an array of expressions, found %s",
				value.TypeName(field.Value))
		}
		z.defaults, err = c.compileAll(list)
	case "useLongestLength":
		longest, ok := field.Value.(bool)
		if !ok { // the server names the type of what the option stands in
			return mongoerr.New(34463, "useLongestLength must be a bool, found object")
		}
		z.longest = longest
	default:
		return mongoerr.New(34464, "$zip found an unknown argument: %s", field.Key)
	}
	return err
}

func (z zip) Eval(v *Vars) (any, error) {
	inputs, rows, err := z.rows(v)
	if err != nil || inputs == nil {
		return nil, err
	}
	defaults, err := evalAll(v, z.defaults)
	if err != nil {
		return nil, err
	}
	zipped := make(bson.A, rows)
	for row := range zipped {
		zipped[row] = tuple(inputs, defaults, row)
	}
	return zipped, nil
}

// rows evaluates the inputs up to the first null, for which it returns none, and tells how many
// tuples there will be.
func (z zip) rows(v *Vars) (inputs []bson.A, rows int, err error) {
	rows = -1
	for _, x := range z.inputs {
		input, err := x.Eval(v)
		if err != nil || nullish(input) {
			return nil, 0, err
		}
		list, ok := input.(bson.A)
		if !ok {
			return nil, 0, mongoerr.New(34468, "$zip found a non-array expression in input: %s",
				value.ShowResult(input))
		}
		if rows < 0 || z.longest && len(list) > rows || !z.longest && len(list) < rows {
			rows = len(list)
		}
		inputs = append(inputs, list)
	}
	return inputs, rows, nil
}

func tuple(inputs []bson.A, defaults []any, row int) bson.A {
	t := make(bson.A, len(inputs))
	for i, list := range inputs {
		if row < len(list) {
			t[i] = list[row]
		} else if i < len(defaults) {
			t[i] = orNull(defaults[i])
		}
	}
	return t
}
