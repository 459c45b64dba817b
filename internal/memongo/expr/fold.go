package expr

import "github.com/fwgen/fwgen/internal/memongo/mongoerr"

// constant is a value that is known when the expression is read.
type constant struct{ value any }

func (c constant) Eval(*Vars) (any, error) { return c.value, nil }

// ConstantError is the error of an operator whose operands are constants: a server meets it while
// it optimizes, not while it reads, and says so.
type ConstantError struct{ Cause *mongoerr.Error }

// Error returns the cause's text.
func (e *ConstantError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *ConstantError) Unwrap() error { return e.Cause }

// folding remembers the first error of constants: what cannot be read at all comes before it.
type folding struct{ first *mongoerr.Error }

func (f *folding) err() error {
	if f.first == nil {
		return nil
	}
	return &ConstantError{f.first}
}

// fold replaces an expression whose operands are constants by its value.
func (c *compiler) fold(x Expr, operands ...Expr) Expr {
	for _, operand := range operands {
		if _, known := operand.(constant); operand != nil && !known {
			return x
		}
	}
	val, err := x.Eval(&Vars{})
	if err == nil {
		return constant{val}
	}
	if cause, ok := err.(*mongoerr.Error); ok && c.folding.first == nil && !c.asIs {
		c.folding.first = cause
	}
	return x
}

// apart returns a compiler whose errors of constants are met when they are evaluated.
func (c *compiler) apart() *compiler {
	inner := *c
	inner.folding = new(folding)
	return &inner
}

// known returns the value of a constant.
func known(x Expr) (any, bool) {
	c, ok := x.(constant)
	return c.value, ok
}
