package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// maxRange is how many numbers $range makes at most, in memory that a server allows it.
const maxRange = 100 * 1024 * 1024 / 16

// rangeOf is $range: a start, an end that is not reached, perhaps a step.
func rangeOf(operands []any) (any, error) {
	from, err := rangeBound(34443, "starting value", operands[0])
	if err != nil {
		return nil, err
	}
	to, err := rangeBound(34445, "ending value", operands[1])
	if err != nil {
		return nil, err
	}
	step := int64(1)
	if len(operands) > 2 {
		if step, err = rangeBound(34447, "step value", operands[2]); err != nil {
			return nil, err
		}
		if step == 0 {
			return nil, mongoerr.New(34449, "$range requires a non-zero step value")
		}
	}
	if (to-from)/step > maxRange {
		return nil, mongoerr.New(146, "$range would use too much memory and cannot spill")
	}
	numbers := bson.A{}
	for n := from; step > 0 && n < to || step < 0 && n > to; n += step {
		numbers = append(numbers, int32(n))
	}
	return numbers, nil
}

func rangeBound(code int32, what string, operand any) (int64, error) {
	article, colon := "a", ": "
	switch what {
	case "ending value":
		article = "an"
	case "step value":
		colon = ":"
	}
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
