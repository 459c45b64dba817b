package match

import (
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// reason says what is wrong with a number, in the server's words. The code depends on the operator.
type reason string

func (r reason) Error() string { return string(r) }

// integer reads an operand that has to be an integer.
func integer(name string, v any) (int64, error) {
	shown := name + ": " + value.Show(v)
	if !value.IsNumber(v) {
		return 0, reason("Expected a number in: " + shown)
	}
	if i, ok := value.Int64(v); ok {
		return i, nil
	}
	f, double := v.(float64)
	switch {
	case double && math.IsNaN(f):
		return 0, reason("Expected an integer, but found NaN in: " + shown)
	case double && math.Abs(f) < math.MaxInt64:
		return 0, reason("Expected an integer: " + shown)
	}
	return 0, reason("Cannot represent as a 64-bit integer: " + shown)
}

// natural reads an operand that has to be an integer from 0.
func natural(name string, v any) (int64, error) {
	i, err := integer(name, v)
	if err == nil && i < 0 {
		err = reason("Expected a non-negative number in: " + name + ": " + value.Show(v))
	}
	return i, err
}

// smallNatural is for operands that the server keeps in an int.
func smallNatural(name string, v any) (int, error) {
	i, err := natural(name, v)
	if err == nil && i > math.MaxInt32 {
		err = reason("Cannot represent " + name + ": " + value.Show(v) + " in an int")
	}
	return int(i), err
}

// truncate drops a number's fraction.
func truncate(v any) (int64, error) {
	switch n := v.(type) {
	case float64:
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return 0, reason("Unable to coerce NaN/Inf to integral type")
		}
		v = math.Trunc(n)
	case bson.Decimal128:
		if n.IsNaN() || n.IsInf() != 0 {
			return 0, reason("Unable to coerce NaN/Inf to integral type")
		}
		v = decimal.Round(n, 0, decimal.ToZero)
	}
	i, ok := value.Int64(v)
	if !ok {
		return 0, reason("Out of bounds coercing to integral value")
	}
	return i, nil
}
