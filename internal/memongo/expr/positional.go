package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// step works on operands that it evaluates itself, so that it can stop at the first null.
type step func(v *Vars, operands []Expr) (any, error)

// call is an operator with positional operands.
type call struct {
	name     string
	operands []Expr
	run      step
}

func (x call) Eval(v *Vars) (any, error) { return x.run(v, x.operands) }

// unlimited stands for any number of operands.
const unlimited = -1

// lazy reads between least and most operands.
func lazy(least, most int, run step) reader {
	return func(c *compiler, name string, argument any) (Expr, error) {
		list, ok := argument.(bson.A)
		if !ok {
			list = bson.A{argument}
		}
		operands, err := c.compileAll(list)
		if err != nil {
			return nil, err
		}
		if err := checkCount(name, len(operands), least, most); err != nil {
			return nil, err
		}
		return c.fold(call{name, operands, run}, operands...), nil
	}
}

// associative reads any number of operands of an operator that can begin anywhere: a server takes
// the operands of an inner one for its own, and constants together. If the operands commute, it
// puts all constants last.
func associative(commutes bool, run step) reader {
	return func(c *compiler, name string, argument any) (Expr, error) {
		x, err := lazy(0, unlimited, run)(c, name, argument)
		whole, ok := x.(call)
		if err != nil || !ok || c.asIs {
			return x, err
		}
		g := gathering{c: c, commutes: commutes, call: call{name: name, run: run}}
		g.add(whole.operands)
		g.flush()
		return g.call, nil
	}
}

// gathering puts the constants of an associative operator together.
type gathering struct {
	c         *compiler
	commutes  bool
	constants []Expr
	call      call
}

func (g *gathering) add(operands []Expr) {
	for _, operand := range operands {
		inner, same := operand.(call)
		switch _, constant := known(operand); {
		case constant:
			g.constants = append(g.constants, operand)
		case same && inner.name == g.call.name && inner.associates():
			g.add(inner.operands)
		default:
			if !g.commutes {
				g.flush()
			}
			g.call.operands = append(g.call.operands, operand)
		}
	}
}

// associates tells an array that is summed up from one that is among others.
func (x call) associates() bool {
	switch x.name {
	case "$max", "$min", "$sum":
		return len(x.operands) > 1
	}
	return true
}

// flush works the constants out, if there are several.
func (g *gathering) flush() {
	if len(g.constants) > 1 {
		together := g.c.fold(call{g.call.name, g.constants, g.call.run}, g.constants...)
		g.constants = []Expr{together}
	}
	g.call.operands = append(g.call.operands, g.constants...)
	g.constants = nil
}

func checkCount(name string, n, least, most int) error {
	switch {
	case n >= least && (n <= most || most == unlimited):
		return nil
	case least == most:
		return mongoerr.New(16020, "Expression %s takes exactly %d arguments. %d were passed in.",
			name, least, n)
	}
	return mongoerr.New(28667, "Expression %s takes at least %d arguments, and at most %d, "+
		"but %d were passed in.", name, least, most, n)
}

// eager reads operands that are all evaluated before the operator runs.
func eager(least, most int, run func(operands []any) (any, error)) reader {
	return lazy(least, most, func(v *Vars, operands []Expr) (any, error) {
		values, err := evalAll(v, operands)
		if err != nil {
			return nil, err
		}
		return run(values)
	})
}

func evalAll(v *Vars, operands []Expr) ([]any, error) {
	values := make([]any, len(operands))
	for i, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil {
			return nil, err
		}
		values[i] = val
	}
	return values, nil
}

// unary reads one operand.
func unary(run func(operand any) (any, error)) reader {
	return lazy(1, 1, func(v *Vars, operands []Expr) (any, error) {
		val, err := operands[0].Eval(v)
		if err != nil {
			return nil, err
		}
		return run(val)
	})
}

// strictUnary reads one operand; null gives null.
func strictUnary(run func(operand any) (any, error)) reader {
	return unary(func(operand any) (any, error) {
		if nullish(operand) {
			return nil, nil
		}
		return run(operand)
	})
}

// dyadic reads two operands.
func dyadic(run func(a, b any) (any, error)) reader {
	return lazy(2, 2, func(v *Vars, operands []Expr) (any, error) {
		a, err := operands[0].Eval(v)
		if err != nil {
			return nil, err
		}
		b, err := operands[1].Eval(v)
		if err != nil {
			return nil, err
		}
		return run(a, b)
	})
}

// strictBinary reads two operands; null beside whatever gives null.
func strictBinary(run func(a, b any) (any, error)) reader {
	return dyadic(func(a, b any) (any, error) {
		if nullish(a) || nullish(b) {
			return nil, nil
		}
		return run(a, b)
	})
}
