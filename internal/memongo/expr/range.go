package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// maxRangeBytes is how much memory a server allows to $range.
const maxRangeBytes = 100 * 1024 * 1024

// rangeBytes is what a server counts: each number is as large as the first.
func rangeBytes(first any, n int64) int64 {
	size := int64(16)
	if widthOf(first) == decimals {
		size = 48
	}
	return 24 + size*(n+1)
}

// rangeOf is $range: a start, an end that is not reached, perhaps a step.
func rangeOf(v *Vars, operands []Expr) (any, error) {
	bounds := [3]int64{0, 0, 1}
	values, err := evalAll(v, operands[:2])
	if err != nil {
		return nil, err
	}
	for i := range operands {
		if i == len(values) {
			val, err := operands[i].Eval(v)
			if err != nil {
				return nil, err
			}
			values = append(values, val)
		}
		if bounds[i], err = rangeBound(i, values[i]); err != nil {
			return nil, err
		}
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return nil, mongoerr.New(34449, "$range requires a non-zero step value")
	}
	if bytes := rangeBytes(values[0], (to-from)/step); bytes > maxRangeBytes {
		return nil, mongoerr.New(146, "$range would use too much memory (%d bytes) and cannot "+
			"spill to disk. Memory limit: %d bytes", bytes, maxRangeBytes)
	}
	numbers := bson.A{}
	for n := from; step > 0 && n < to || step < 0 && n > to; n += step {
		numbers = append(numbers, int32(n))
	}
	return numbers, nil
}

func rangeBound(i int, operand any) (int64, error) {
	what := []string{"starting value", "ending value", "step value"}[i]
	article := []string{"a", "an", "a"}[i]
	colon := []string{": ", ": ", ":"}[i]
	code := 34443 + 2*int32(i)
	if widthOf(operand) == notNumeric {
		return 0, mongoerr.New(code, "$range requires a numeric %s, found value of type%s%s", what,
			colon, value.TypeName(operand))
	}
	n, ok := integer(operand)
	if !ok {
		return 0, mongoerr.New(code+1, "$range requires %s %s that can be represented as a 32-bit "+
			"integer, found value: %s", article, what, value.ShowResult(operand))
	}
	return int64(n), nil
}
