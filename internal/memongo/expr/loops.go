package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// loops has what evaluates an expression for each element of an array.
func loops(name string) reader {
	switch name {
	case "$filter":
		return filtering
	case "$map":
		return mapping
	case "$reduce":
		return reducing
	}
	return nil
}

// filter is a $filter.
type filter struct {
	input, condition, limit Expr
	as                      string
}

func filtering(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(28646, "$filter only supports an object as its argument")
	}
	l, err := readLoop(d, 28647, "$filter", "input", "cond", "limit")
	if err != nil {
		return nil, err
	}
	if _, given := l.arguments["input"]; !given {
		return nil, mongoerr.New(28648, "Missing 'input' parameter to $filter")
	}
	if _, given := l.arguments["cond"]; !given {
		return nil, mongoerr.New(28650, "Missing 'cond' parameter to $filter")
	}
	f := filter{as: l.as}
	if f.input, err = c.compile(l.arguments["input"]); err != nil {
		return nil, err
	}
	if f.condition, err = c.with(l.as).compile(l.arguments["cond"]); err != nil {
		return nil, err
	}
	if limit, given := l.arguments["limit"]; given {
		if f.limit, err = c.compile(limit); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f filter) Eval(v *Vars) (any, error) {
	input, err := f.input.Eval(v)
	if err != nil || nullish(input) {
		return nil, err
	}
	elements, ok := input.(bson.A)
	if !ok {
		return nil, mongoerr.New(28651, "input to $filter must be an array not %s",
			value.TypeName(input))
	}
	limit, err := f.most(v, len(elements))
	if err != nil {
		return nil, err
	}
	kept := bson.A{}
	for _, element := range elements {
		if len(kept) == limit {
			break
		}
		holds, err := f.condition.Eval(v.With(f.as, element))
		if err != nil {
			return nil, err
		}
		if value.Truthy(holds) {
			kept = append(kept, element)
		}
	}
	return kept, nil
}

func (f filter) most(v *Vars, all int) (int, error) {
	if f.limit == nil {
		return all, nil
	}
	limit, err := f.limit.Eval(v)
	if err != nil || nullish(limit) {
		return all, err
	}
	n, ok := integer(limit)
	if !ok {
		return 0, mongoerr.New(327391, "$filter: limit must be represented as a 32-bit integral "+
			"value: %s", value.ShowResult(limit))
	}
	if n <= 0 {
		return 0, mongoerr.New(327392, "$filter: limit must be greater than 0: %d", n)
	}
	return int(n), nil
}

// mapped is a $map.
type mapped struct {
	input, in Expr
	as        string
}

func mapping(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(16878, "$map only supports an object as its argument")
	}
	l, err := readLoop(d, 16879, "$map", "input", "in")
	if err != nil {
		return nil, err
	}
	if _, given := l.arguments["input"]; !given {
		return nil, mongoerr.New(16880, "Missing 'input' parameter to $map")
	}
	if _, given := l.arguments["in"]; !given {
		return nil, mongoerr.New(16882, "Missing 'in' parameter to $map")
	}
	m := mapped{as: l.as}
	if m.input, err = c.compile(l.arguments["input"]); err != nil {
		return nil, err
	}
	if m.in, err = c.with(l.as).compile(l.arguments["in"]); err != nil {
		return nil, err
	}
	return m, nil
}

func (m mapped) Eval(v *Vars) (any, error) {
	input, err := m.input.Eval(v)
	if err != nil || nullish(input) {
		return nil, err
	}
	elements, ok := input.(bson.A)
	if !ok {
		return nil, mongoerr.New(16883, "input to $map must be an array not %s",
			value.TypeName(input))
	}
	results := make(bson.A, len(elements))
	for i, element := range elements {
		result, err := m.in.Eval(v.With(m.as, element))
		if err != nil {
			return nil, err
		}
		results[i] = orNull(result)
	}
	return results, nil
}

// loop has the arguments of $filter and $map.
type loop struct {
	as        string
	arguments map[string]any
}

// readLoop tells the variable from the other arguments, of which it knows the names.
func readLoop(d bson.D, unknown int32, name string, known ...string) (loop, error) {
	l := loop{as: "this", arguments: map[string]any{}}
	for _, field := range d {
		given := false
		for _, k := range known {
			given = given || k == field.Key
		}
		switch {
		case given:
			l.arguments[field.Key] = field.Value
		case field.Key == "as":
			l.as, _ = field.Value.(string)
		default:
			return l, mongoerr.New(unknown, "Unrecognized parameter to %s: %s", name, field.Key)
		}
	}
	return l, CheckVariable(l.as)
}
