package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// step works on operands that it evaluates itself, so that it can stop at the first null.
type step func(v *Vars, operands []Expr) (any, error)

// call is an operator with positional operands.
type call struct {
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
		return c.fold(call{operands, run}, operands...), nil
	}
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
