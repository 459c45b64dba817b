package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// fields has $let and what reads and sets fields of any name.
func fields(name string) reader {
	switch name {
	case "$let":
		return letting
	case "$getField":
		return gettingField
	case "$setField", "$unsetField":
		return settingField
	}
	return nil
}

// let is a $let.
type let struct {
	names  []string
	values []Expr
	in     Expr
}

func letting(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(16874, "$let only supports an object as its argument")
	}
	for _, field := range d {
		if field.Key != "vars" && field.Key != "in" {
			return nil, mongoerr.New(16875, "Unrecognized parameter to $let: %s", field.Key)
		}
	}
	vars, in := field(d, "vars"), field(d, "in")
	switch {
	case vars == value.Missing:
		return nil, mongoerr.New(16876, "Missing 'vars' parameter to $let")
	case in == value.Missing:
		return nil, mongoerr.New(16877, "Missing 'in' parameter to $let")
	}
	bound, ok := vars.(bson.D)
	if !ok {
		return nil, mongoerr.New(10065, "invalid parameter: expected an object (vars)")
	}
	return readLet(c, bound, in)
}

func readLet(c *compiler, vars bson.D, in any) (Expr, error) {
	l, inner := let{}, c
	for _, variable := range vars {
		if err := CheckVariable(variable.Key); err != nil {
			return nil, err
		}
		x, err := c.compile(variable.Value)
		if err != nil {
			return nil, err
		}
		l.names, l.values = append(l.names, variable.Key), append(l.values, x)
		inner = inner.with(variable.Key)
	}
	x, err := inner.compile(in)
	l.in = x
	return l, err
}

func (l let) Eval(v *Vars) (any, error) {
	inner := v
	for i, x := range l.values {
		val, err := x.Eval(v)
		if err != nil {
			return nil, err
		}
		inner = inner.With(l.names[i], val)
	}
	return l.in.Eval(inner)
}

// getField is a $getField; its field is constant.
type getField struct {
	name  string
	input Expr
}

func gettingField(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok || len(d) > 0 && strings.HasPrefix(d[0].Key, "$") {
		d = bson.D{{Key: "field", Value: argument}, {Key: "input", Value: "$$CURRENT"}}
	}
	var err error
	g, named := getField{}, false
	for _, field := range d {
		switch field.Key {
		case "field":
			g.name, err = c.constantField(name, field.Value, [3]int32{5654600, 5654601, 5654602})
			named = true
		case "input":
			g.input, err = c.compile(field.Value)
		default:
			err = mongoerr.New(3041701, "$getField found an unknown argument: %s", field.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case !named:
		return nil, mongoerr.New(3041702, "$getField requires 'field' to be specified")
	case g.input == nil:
		return nil, mongoerr.New(3041703, "$getField requires 'input' to be specified")
	}
	return g, nil
}

// constantField reads the name of a field: what may be a path has to be a literal. The codes are
// for a path, for what is worked out, and for what is no string.
func (c *compiler) constantField(name string, argument any, codes [3]int32) (string, error) {
	x, err := c.compile(argument)
	if err != nil {
		return "", err
	}
	if p, ok := x.(path); ok {
		shown := "$" + strings.Join(append([]string{p.variable}, p.names...), ".")
		return "", mongoerr.New(codes[0], "'%s' is a field path reference which is not allowed in "+
			"this context. Did you mean {$literal: '%s'}?", shown, shown)
	}
	val, constant := known(x)
	switch argument := argument.(type) {
	case bson.A:
		constant = false
	case bson.D:
		constant = constant && len(argument) > 0 &&
			(argument[0].Key == "$literal" || argument[0].Key == "$const")
	}
	if !constant {
		return "", mongoerr.New(codes[1], "%s requires 'field' to evaluate to a constant, but got "+
			"a non-constant argument", name)
	}
	field, ok := val.(string)
	if !ok {
		return "", mongoerr.New(codes[2], "%s requires 'field' to evaluate to type String, but got "+
			"%s", name, value.TypeName(val))
	}
	return field, nil
}

func (g getField) Eval(v *Vars) (any, error) {
	input, err := g.input.Eval(v)
	if err != nil {
		return nil, err
	}
	switch input := input.(type) {
	case bson.D:
		return field(input, g.name), nil
	case nil, bson.Undefined:
		return nil, nil
	}
	return value.Missing, nil
}

// setField is a $setField, or a $unsetField, whose value is missing.
type setField struct {
	operator, name string
	input, value   Expr
}

func settingField(c *compiler, operator string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(4161100, "%s only supports an object as its argument", operator)
	}
	var (
		err  error
		name any = value.Missing
	)
	c = c.apart() // a server does not optimize what is inside
	s := setField{operator: operator}
	if operator == "$unsetField" {
		s.value = constant{value.Missing}
	}
	for _, field := range d {
		switch {
		case field.Key == "field":
			name = field.Value
			_, err = c.compile(name)
		case field.Key == "input":
			s.input, err = c.compile(field.Value)
		case field.Key == "value" && operator == "$setField":
			s.value, err = c.compile(field.Value)
		default:
			err = mongoerr.New(4161101, "%s found an unknown argument: %s", operator, field.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.complete(name); err != nil {
		return nil, err
	}
	s.name, err = c.constantField(operator, name, [3]int32{4161108, 4161106, 4161107})
	return s, err
}

func (s setField) complete(name any) error {
	switch {
	case name == value.Missing:
		return mongoerr.New(4161102, "%s requires 'field' to be specified", s.operator)
	case s.value == nil:
		return mongoerr.New(4161103, "%s requires 'value' to be specified", s.operator)
	case s.input == nil:
		return mongoerr.New(4161109, "%s requires 'input' to be specified", s.operator)
	}
	return nil
}

func (s setField) Eval(v *Vars) (any, error) {
	input, err := s.input.Eval(v)
	if err != nil || nullish(input) {
		return nil, err
	}
	d, ok := input.(bson.D)
	if !ok {
		return nil, mongoerr.New(4161105, "%s requires 'input' to evaluate to type Object",
			s.operator)
	}
	val, err := s.value.Eval(v)
	if err != nil {
		return nil, err
	}
	if val == value.Missing {
		return value.Without(d, s.name), nil
	}
	return value.Set(d, s.name, val), nil
}
