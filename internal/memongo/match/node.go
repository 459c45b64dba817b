package match

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// node is a condition.
type node interface {
	// matches puts the condition to a document.
	matches(s *state, doc bson.D) bool

	// holds puts the condition to one value, whatever its path, and without looking into it if
	// it is an array. This is how $elemMatch applies operators.
	holds(s *state, v any) bool
}

// all is $and, and a list of conditions.
type all []node

func (n all) matches(s *state, doc bson.D) bool {
	for _, child := range n {
		if !child.matches(s, doc) || s.err != nil {
			return false
		}
	}
	return true
}

func (n all) holds(s *state, v any) bool {
	for _, child := range n {
		if !child.holds(s, v) {
			return false
		}
	}
	return true
}

// either is $or. It sets no position.
type either []node

func (n either) matches(s *state, doc bson.D) bool {
	return s.quietly(func(s *state) bool {
		for _, child := range n {
			if child.matches(s, doc) || s.err != nil {
				return s.err == nil
			}
		}
		return false
	})
}

func (n either) holds(s *state, v any) bool {
	for _, child := range n {
		if child.holds(s, v) {
			return true
		}
	}
	return false
}

// not is $not and $ne, and with an either $nor.
type not struct{ child node }

func (n not) matches(s *state, doc bson.D) bool {
	return !s.quietly(func(s *state) bool { return n.child.matches(s, doc) })
}

func (n not) holds(s *state, v any) bool {
	return !s.quietly(func(s *state) bool { return n.child.holds(s, v) })
}

// constant is $alwaysTrue or $alwaysFalse.
type constant bool

func (n constant) matches(*state, bson.D) bool { return bool(n) }
func (n constant) holds(*state, any) bool      { return bool(n) }

// expression is $expr, which is for whole documents only.
type expression struct{ expr expr.Expr }

func (n expression) matches(s *state, doc bson.D) bool {
	vars := s.vars
	if vars == nil {
		vars = &expr.Vars{}
	}
	result, err := n.expr.Eval(vars.On(doc))
	if err != nil {
		s.err = err
		return false
	}
	return value.Truthy(result)
}

func (n expression) holds(*state, any) bool { return false }

// field is a test of what a path leads to.
type field struct {
	path path
	test test
}

// test is an operator of a field.
type test interface {
	// holds puts the test to a value, which may be value.Missing.
	holds(s *state, v any) bool

	// rank is the place among other tests, see rank.
	rank() rank
}

// whole is a test of arrays, so that it does not see their elements.
type whole interface{ whole() }

func (n field) matches(s *state, doc bson.D) bool {
	_, whole := n.test.(whole)
	w := walk{intoArrays: !whole, visit: func(v any, position int) bool {
		if !n.test.holds(s, v) {
			return false
		}
		s.record(position)
		return true
	}}
	return w.document(doc, n.path)
}

func (n field) holds(s *state, v any) bool { return n.test.holds(s, v) }
