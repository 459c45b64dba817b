package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// extremes has what is an accumulator, too: over the operands here, or over the elements of the
// only operand if that is an array.
func extremes(name string) reader {
	switch name {
	case "$max":
		return over(true, func(values []any) any { return extreme(values, 1) })
	case "$min":
		return over(true, func(values []any) any { return extreme(values, -1) })
	case "$sum":
		return over(true, func(values []any) any {
			var sum Sum
			for _, val := range values {
				sum.Add(val)
			}
			return sum.Result()
		})
	case "$firstN", "$lastN", "$maxN", "$minN":
		return severalOf
	case "$avg":
		return over(false, func(values []any) any {
			var average Average
			for _, val := range values {
				average.Add(val)
			}
			return average.Result()
		})
	}
	return nil
}

// over reads operands, or one that is an array of them. Only several are associative, as an array
// among them is no list.
func over(associates bool, run func(values []any) any) reader {
	step := func(v *Vars, operands []Expr) (any, error) {
		values, err := evalAll(v, operands)
		if err != nil {
			return nil, err
		}
		if elements, ok := onlyArray(values); ok {
			return run(elements), nil
		}
		return run(values), nil
	}
	return func(c *compiler, name string, argument any) (Expr, error) {
		if list, ok := argument.(bson.A); ok && len(list) > 1 && associates {
			return associative(true, step)(c, name, argument)
		}
		return lazy(0, unlimited, step)(c, name, argument)
	}
}

func onlyArray(values []any) (bson.A, bool) {
	if len(values) != 1 {
		return nil, false
	}
	elements, ok := values[0].(bson.A)
	return elements, ok
}

// extreme returns the value that is first in an order, null if there is none.
func extreme(values []any, direction int) any {
	var found any
	for _, val := range values {
		if !nullish(val) && (found == nil || value.Compare(val, found)*direction > 0) {
			found = val
		}
	}
	return found
}

// Average is the mean of numbers; other values don't count.
type Average struct {
	sum   Sum
	count int64
}

// Add counts a number in.
func (a *Average) Add(val any) {
	if a.sum.Add(val) {
		a.count++
	}
}

// Result returns the mean, a decimal if a decimal was among the numbers and else a double, and null
// if there was no number.
func (a *Average) Result() any {
	switch {
	case a.count == 0:
		return nil
	case a.sum.width == decimals:
		return decimal.Quo(a.sum.Decimal(), decimal.FromInt64(a.count))
	}
	return a.sum.Float() / float64(a.count)
}
