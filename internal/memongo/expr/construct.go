package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

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
		compiled, err := c.compile(field.Value)
		if err != nil {
			return nil, err
		}
		o.names, o.fields = append(o.names, field.Key), append(o.fields, compiled)
	}
	return o, nil
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
	a := make(array, len(e))
	for i, element := range e {
		compiled, err := c.compile(element)
		if err != nil {
			return nil, err
		}
		a[i] = compiled
	}
	return a, nil
}

func (a array) Eval(v *Vars) (any, error) {
	out := make(bson.A, len(a))
	for i, element := range a {
		val, err := element.Eval(v)
		if err != nil {
			return nil, err
		}
		if val == value.Missing {
			val = nil
		}
		out[i] = val
	}
	return out, nil
}
