package expr

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// named are the operands of an operator that gives them names.
type named struct {
	operands map[string]Expr
	unknown  string // the first field that the operator does not know
}

// named reads operands up to the first that has none of the names.
func (c *compiler) named(d bson.D, known ...string) (named, error) {
	n := named{operands: make(map[string]Expr, len(d))}
	for _, field := range d {
		if !slices.Contains(known, field.Key) {
			n.unknown = field.Key
			return n, nil
		}
		x, err := c.compile(field.Value)
		if err != nil {
			return n, err
		}
		n.operands[field.Key] = x
	}
	return n, nil
}

func (n named) has(name string) bool { return n.operands[name] != nil }

// get returns an operand, nil if it is not given.
func (n named) get(name string) Expr { return n.operands[name] }

// list returns operands in the order of the names, nil for those that are not given.
func (n named) list(names ...string) []Expr {
	operands := make([]Expr, len(names))
	for i, name := range names {
		operands[i] = n.operands[name]
	}
	return operands
}

// missing returns the first of the names that is not given, or "".
func (n named) missing(names ...string) string {
	for _, name := range names {
		if !n.has(name) {
			return name
		}
	}
	return ""
}

// evalNamed evaluates operands of which some may not be given: those are missing.
func evalNamed(v *Vars, operands []Expr, absent any) ([]any, error) {
	values := make([]any, len(operands))
	for i, operand := range operands {
		if operand == nil {
			values[i] = absent
			continue
		}
		val, err := operand.Eval(v)
		if err != nil {
			return nil, err
		}
		values[i] = val
	}
	return values, nil
}
