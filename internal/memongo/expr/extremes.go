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
		return over(func(values []any) (any, error) { return extreme(values, 1), nil })
	case "$min":
		return over(func(values []any) (any, error) { return extreme(values, -1), nil })
	case "$sum":
		return over(func(values []any) (any, error) {
			var sum Sum
			for _, val := range values {
				sum.Add(val)
			}
			return sum.Result(), nil
		})
	case "$avg":
		return over(func(values []any) (any, error) {
			var average Average
			for _, val := range values {
				average.Add(val)
			}
			return average.Result(), nil
		})
	}
	return nil
}

// over reads operands, or one that is an array of them.
func over(run func(values []any) (any, error)) reader {
	return eager(0, unlimited, func(operands []any) (any, error) {
		if len(operands) == 1 {
			if elements, ok := operands[0].(bson.A); ok {
				return run(elements)
			}
		}
		return run(operands)
	})
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
