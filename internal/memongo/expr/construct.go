package expr

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// object is a document whose fields are expressions. Missing ones are left out.
type object struct {
	names  []string
	fields []Expr
}

func (c *compiler) object(e bson.D) (Expr, error) {
	o := object{}
	for _, field := range e {
		if err := checkField(field.Key); err != nil {
			return nil, err
		}
		if slices.Contains(o.names, field.Key) {
			return nil, mongoerr.New(16406,
				"duplicate field name specified in object literal: %s", value.Show(e))
		}
		compiled, err := c.compile(field.Value)
		if err != nil {
			return nil, err
		}
		o.names, o.fields = append(o.names, field.Key), append(o.fields, compiled)
	}
	return c.fold(o, o.fields...), nil
}

func (o object) Eval(v *Vars) (any, error) {
	d := make(bson.D, 0, len(o.fields))
	for i, field := range o.fields {
		val, err := field.Eval(v)
		if err != nil {
			return nil, err
		}
		if val != value.Missing {
			d = append(d, bson.E{Key: o.names[i], Value: val})
		}
	}
	return d, nil
}

// array is an array of expressions. Missing elements are null.
type array []Expr

func (c *compiler) array(e bson.A) (Expr, error) {
	elements, err := c.compileAll(e)
	if err != nil {
		return nil, err
	}
	return c.fold(array(elements), elements...), nil
}

func (a array) Eval(v *Vars) (any, error) {
	out := make(bson.A, len(a))
	for i, element := range a {
		val, err := element.Eval(v)
		if err != nil {
			return nil, err
		}
		out[i] = orNull(val)
	}
	return out, nil
}

// orNull returns null for a missing value.
func orNull(val any) any {
	if val == value.Missing {
		return nil
	}
	return val
}

// nullish reports whether a value is null, undefined or missing.
func nullish(val any) bool {
	switch val.(type) {
	case nil, value.MissingType, bson.Undefined:
		return true
	}
	return false
}
