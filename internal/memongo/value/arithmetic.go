package value

import (
	"errors"
	"fmt"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
)

var (
	// ErrOverflow says that a result needs more than an int64. The value beside it is the
	// double that aggregation answers with; update operators refuse.
	ErrOverflow = errors.New("integer overflow")

	// ErrNotNumeric says that an operand is no number.
	ErrNotNumeric = errors.New("not a number")
)

// operation is an arithmetic operation for all types of numbers.
type operation struct {
	whole   func(a, b int64) (sum int64, overflow bool)
	double  func(a, b float64) float64
	decimal func(a, b bson.Decimal128) bson.Decimal128
}

// Add returns a + b, as $inc does. The result has the widest type of the operands: int, long,
// double, decimal; two ints whose result is too large for one give a long. A double that meets a
// decimal is rounded to 15 digits before. ($add and $sum round nothing before the end.)
func Add(a, b any) (any, error) {
	return calculate(a, b, operation{
		whole:   addWhole,
		double:  func(a, b float64) float64 { return a + b },
		decimal: decimal.Add,
	})
}

// Sub returns a - b, with the types of [Add].
func Sub(a, b any) (any, error) {
	return calculate(a, b, operation{
		whole:   subtractWhole,
		double:  func(a, b float64) float64 { return a - b },
		decimal: decimal.Sub,
	})
}

// Mul returns a × b, with the types of [Add].
func Mul(a, b any) (any, error) {
	return calculate(a, b, operation{
		whole:   multiplyWhole,
		double:  func(a, b float64) float64 { return a * b },
		decimal: decimal.Mul,
	})
}

func calculate(a, b any, o operation) (any, error) {
	for _, v := range []any{a, b} {
		if !IsNumber(v) {
			return nil, fmt.Errorf("%w: %s", ErrNotNumeric, TypeName(v))
		}
	}
	if isDecimal(a) || isDecimal(b) {
		left, _ := Decimal(a)
		right, _ := Decimal(b)
		return o.decimal(left, right), nil
	}
	left, leftWhole := Whole(a)
	right, rightWhole := Whole(b)
	if !leftWhole || !rightWhole {
		return o.doubles(a, b), nil
	}
	result, overflow := o.whole(left, right)
	if overflow {
		return o.doubles(a, b), ErrOverflow
	}
	return narrow(result, a, b), nil
}

func (o operation) doubles(a, b any) float64 {
	left, _ := Float64(a)
	right, _ := Float64(b)
	return o.double(left, right)
}

// narrow returns an int where both operands are, and it is large enough.
func narrow(result int64, a, b any) any {
	_, left := a.(int32)
	_, right := b.(int32)
	if left && right && result == int64(int32(result)) {
		return int32(result)
	}
	return result
}

func isDecimal(v any) bool {
	_, ok := v.(bson.Decimal128)
	return ok
}

func addWhole(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) != (b > 0)
}

func subtractWhole(a, b int64) (int64, bool) {
	difference := a - b
	return difference, (difference < a) != (b > 0)
}

func multiplyWhole(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	limit := uint64(1<<63 - 1)
	if negative {
		limit = 1 << 63
	}
	if high != 0 || low > limit {
		return 0, true
	}
	if negative {
		return -int64(low), false
	}
	return int64(low), false
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
