package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// reduction is a $reduce.
type reduction struct{ input, initial, in Expr }

func reducing(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(40075, "$reduce requires an object as an argument, found: %s",
			value.TypeName(argument))
	}
	r := reduction{}
	for _, field := range d {
		var err error
		switch field.Key {
		case "input":
			r.input, err = c.compile(field.Value)
		case "initialValue":
			r.initial, err = c.compile(field.Value)
		case "in":
			r.in, err = c.with("this").with("value").compile(field.Value)
		default:
			err = mongoerr.New(40076, "$reduce found an unknown argument: %s", field.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case r.input == nil:
		return nil, mongoerr.New(40077, "$reduce requires 'input' to be specified")
	case r.initial == nil:
		return nil, mongoerr.New(40078, "$reduce requires 'initialValue' to be specified")
	case r.in == nil:
		return nil, mongoerr.New(40079, "$reduce requires 'in' to be specified")
	}
	return r, nil
}

func (r reduction) Eval(v *Vars) (any, error) {
	input, err := r.input.Eval(v)
	if err != nil || nullish(input) {
		return nil, err
	}
	elements, ok := input.(bson.A)
	if !ok {
		return nil, mongoerr.New(40080, "$reduce requires that 'input' be an array, found: %s",
			value.ShowResult(input))
	}
	result, err := r.initial.Eval(v)
	for _, element := range elements {
		if err != nil {
			return nil, err
		}
		result, err = r.in.Eval(v.With("this", element).With("value", result))
	}
	return result, err
}
