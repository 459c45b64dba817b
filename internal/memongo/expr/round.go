package expr

import (
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// roundTo is $round and $trunc: a number and, perhaps, how many decimal places to keep.
func roundTo(name string, operands []any, how decimal.Rounding) (any, error) {
	n, places := operands[0], int64(0)
	switch {
	case nullish(n):
		return nil, nil
	case widthOf(n) == notNumeric:
		return nil, mongoerr.New(51081, "%s only supports numeric types, not %s", name,
			value.TypeName(n))
	}
	if len(operands) > 1 {
		if nullish(operands[1]) {
			return nil, nil
		}
		p, err := precision(name, operands[1])
		if err != nil {
			return nil, err
		}
		places = p
	}
	switch n := n.(type) {
	case int32, int64:
		return roundWhole(name, n, int(places), how)
	case float64:
		return roundDouble(n, int(places), how), nil
	}
	return roundDecimal(dec(n), int(places), how), nil
}

func precision(name string, operand any) (int64, error) {
	places, err := coerceLong(operand)
	if err != nil {
		return 0, err
	}
	if n, integral := integer(operand); !integral || int64(n) != places {
		return 0, mongoerr.New(51082, "precision argument to  %s must be a integral value", name)
	}
	if places < -20 || places > 100 {
		return 0, mongoerr.New(51083,
			"cannot apply %s with precision value %d value must be in [-20, 100]", name, places)
	}
	return places, nil
}

func roundWhole(name string, n any, places int, how decimal.Rounding) (any, error) {
	if places >= 0 {
		return n, nil
	}
	result, ok := decimal.Int64(decimal.Round(dec(n), places, how))
	if !ok {
		return nil, mongoerr.New(51080, "invalid conversion from Decimal128 result in %s "+
			"resulting from arguments: [%d, %d]", name, whole(n), places)
	}
	return narrow(result, widthOf(n)), nil
}

// roundDouble rounds what a double is taken to mean, 15 digits, and truncates what it is.
func roundDouble(f float64, places int, how decimal.Rounding) float64 {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return f
	case places == 0 && how == decimal.ToZero:
		return math.Trunc(f)
	case places == 0:
		return math.RoundToEven(f)
	case how == decimal.ToZero:
		return decimal.Float64(roundDecimal(decimal.FromFloat64Exact(f), places, how))
	}
	return decimal.Float64(roundDecimal(decimal.FromFloat64(f), places, how))
}

// roundDecimal leaves a number with as many places as it has room for.
func roundDecimal(d bson.Decimal128, places int, how decimal.Rounding) bson.Decimal128 {
	if d.IsNaN() || d.IsInf() != 0 {
		return d
	}
	return decimal.Round(d, min(places, decimal.Room(d)), how)
}
