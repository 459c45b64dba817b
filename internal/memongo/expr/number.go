package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// width orders the types of numbers: an operator answers with the widest of its operands.
type width int

const (
	notNumeric width = iota
	ints
	longs
	doubles
	decimals
)

func widthOf(val any) width {
	switch val.(type) {
	case int32:
		return ints
	case int64:
		return longs
	case float64:
		return doubles
	case bson.Decimal128:
		return decimals
	}
	return notNumeric
}

// whole returns an int or a long.
func whole(val any) int64 {
	switch n := val.(type) {
	case int32:
		return int64(n)
	case int64:
		return n
	}
	return 0
}

// float returns a number as a double.
func float(val any) float64 {
	f, _ := value.Float64(val)
	return f
}

// dec returns a number as a decimal; a double keeps 15 digits.
func dec(val any) bson.Decimal128 {
	switch n := val.(type) {
	case bson.Decimal128:
		return n
	case float64:
		return decimal.FromFloat64(n)
	}
	return decimal.FromInt64(whole(val))
}

// intOrLong returns an int where it holds the number.
func intOrLong(n int64) any {
	if int64(int32(n)) == n {
		return int32(n)
	}
	return n
}

// narrow returns an integer in a type that is as wide as w at least.
func narrow(n int64, w width) any {
	if w == ints {
		return intOrLong(n)
	}
	return n
}

// integer returns a number that has no fraction and fits an int32.
func integer(val any) (int32, bool) {
	n, ok := value.Int64(val)
	return int32(n), ok && int64(int32(n)) == n
}

// coerceLong cuts a fraction off, and refuses what is too large.
func coerceLong(val any) (int64, error) {
	switch n := val.(type) {
	case int32, int64:
		return whole(n), nil
	case float64:
		if n >= -0x1p63 && n < 0x1p63 {
			return int64(n), nil
		}
		return 0, mongoerr.New(31109, "Can't coerce out of range value %s to long",
			value.ShowResult(n))
	case bson.Decimal128:
		if i, ok := decimal.Int64(decimal.Round(n, 0, decimal.HalfEven)); ok {
			return i, nil
		}
		return 0, mongoerr.New(31109, "Can't coerce out of range value %s to long", n.String())
	}
	return 0, mongoerr.New(16004, "can't convert from BSON type %s to long", value.TypeName(val))
}
