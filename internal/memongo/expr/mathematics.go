package expr

import (
	"math"
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// mathematics has the functions of one number, powers, and roundings.
func mathematics(name string) reader {
	switch name {
	case "$abs":
		return numeric(name, absolute)
	case "$ceil":
		return numeric(name, rounded(math.Ceil, decimal.Up))
	case "$floor":
		return numeric(name, rounded(math.Floor, decimal.Down))
	case "$sqrt":
		return numeric(name, squareRoot)
	case "$exp":
		return numeric(name, exponential)
	case "$ln":
		return numeric(name, logarithm(name, 28766, math.Log))
	case "$log10":
		return numeric(name, logarithm(name, 28761, log10))
	case "$log":
		return strictBinary(logarithmTo)
	case "$pow":
		return strictBinary(power)
	case "$round":
		return eager(1, 2, func(operands []any) (any, error) {
			return roundTo(name, operands, decimal.HalfEven)
		})
	case "$trunc":
		return eager(1, 2, func(operands []any) (any, error) {
			return roundTo(name, operands, decimal.ToZero)
		})
	}
	return nil
}

// numeric reads a function of one number; null gives null.
func numeric(name string, run func(n any) (any, error)) reader {
	return strictUnary(func(operand any) (any, error) {
		if widthOf(operand) == notNumeric {
			return nil, mongoerr.New(28765, "%s only supports numeric types, not %s", name,
				value.TypeName(operand))
		}
		return run(operand)
	})
}

func absolute(n any) (any, error) {
	switch n := n.(type) {
	case float64:
		return math.Abs(n), nil
	case bson.Decimal128:
		return decimal.Abs(n), nil
	}
	i := whole(n)
	if i == math.MinInt64 {
		return nil, mongoerr.New(28680, "can't take $abs of long long min")
	}
	return narrow(max(i, -i), widthOf(n)), nil
}

// rounded leaves integers alone. What a decimal cannot write without an exponent is NaN.
func rounded(double func(float64) float64, how decimal.Rounding) func(n any) (any, error) {
	return func(n any) (any, error) {
		switch n := n.(type) {
		case float64:
			return double(n), nil
		case bson.Decimal128:
			if n.IsInf() != 0 {
				return decimal.NaN(), nil
			}
			return decimal.Round(n, 0, how), nil
		}
		return n, nil
	}
}

func squareRoot(n any) (any, error) {
	d, isDecimal := n.(bson.Decimal128)
	f := float(n)
	switch {
	case f < 0:
		return nil, mongoerr.New(28714, "$sqrt's argument must be greater than or equal to 0")
	case isDecimal:
		return decimal.Sqrt(d), nil
	}
	return math.Sqrt(f), nil
}

func exponential(n any) (any, error) {
	if widthOf(n) == decimals {
		return nil, noDecimals("$exp")
	}
	return math.Exp(float(n)), nil
}

func noDecimals(name string) error { return mongoerr.Unsupported("%s of decimals", name) }

func logarithm(name string, code int32, log func(float64) float64) func(n any) (any, error) {
	return func(n any) (any, error) {
		f := float(n)
		switch {
		case f <= 0:
			return nil, mongoerr.New(code, "%s's argument must be a positive number, but is %s",
				name, value.ShowResult(n))
		case widthOf(n) == decimals:
			return nil, noDecimals(name)
		}
		return log(f), nil
	}
}

func logarithmTo(n, base any) (any, error) {
	switch {
	case widthOf(n) == notNumeric:
		return nil, mongoerr.New(28756, "$log's argument must be numeric, not %s",
			value.TypeName(n))
	case widthOf(base) == notNumeric:
		return nil, mongoerr.New(28757, "$log's base must be numeric, not %s",
			value.TypeName(base))
	case float(n) <= 0:
		return nil, mongoerr.New(28758, "$log's argument must be a positive number, but is %s",
			value.ShowResult(n))
	case float(base) <= 0 || float(base) == 1:
		return nil, mongoerr.New(28759,
			"$log's base must be a positive number not equal to 1, but is %s",
			value.ShowResult(base))
	case max(widthOf(n), widthOf(base)) == decimals:
		return nil, noDecimals("$log")
	}
	return math.Log(float(n)) / math.Log(float(base)), nil
}

func power(base, exponent any) (any, error) {
	w := max(widthOf(base), widthOf(exponent))
	switch {
	case widthOf(base) == notNumeric:
		return nil, mongoerr.New(28762, "$pow's base must be numeric, not %s",
			value.TypeName(base))
	case widthOf(exponent) == notNumeric:
		return nil, mongoerr.New(28763, "$pow's exponent must be numeric, not %s",
			value.TypeName(exponent))
	case float(base) == 0 && float(exponent) < 0:
		return nil, mongoerr.New(28764, "$pow cannot take a base of 0 and a negative exponent")
	case w == decimals:
		return nil, noDecimals("$pow")
	case w == doubles:
		return precisePower(float(base), float(exponent)), nil
	}
	if n, ok := wholePower(whole(base), whole(exponent)); ok {
		return narrow(n, w), nil
	}
	return precisePower(float(base), float(exponent)), nil
}

// log10 is exact for powers of ten, unlike [math.Log10].
func log10(f float64) float64 {
	l := math.Log10(f)
	if r := math.Round(l); math.Pow10(int(r)) == f {
		return r
	}
	return l
}

// precisePower rounds once for whole exponents, unlike [math.Pow].
func precisePower(base, exponent float64) float64 {
	const most = 1100 // beyond, all but numbers very close to 1 are infinite or 0
	if math.Trunc(exponent) != exponent || math.Abs(exponent) > most || base == 0 ||
		math.IsInf(base, 0) || math.IsNaN(base) {
		return math.Pow(base, exponent)
	}
	square := new(big.Float).SetPrec(256).SetFloat64(base)
	result := new(big.Float).SetPrec(256).SetInt64(1)
	for n := int(math.Abs(exponent)); n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	if exponent < 0 {
		result.Quo(big.NewFloat(1), result)
	}
	f, _ := result.Float64()
	return f
}

// wholePower reports false where the power is no int64.
func wholePower(base, exponent int64) (int64, bool) {
	switch {
	case base == 1 || base == -1 && exponent&1 == 0:
		return 1, true
	case base == -1:
		return -1, true
	case exponent < 0:
		return 0, false
	case base == 0 && exponent > 0:
		return 0, true
	case exponent > 63:
		return 0, false
	}
	result := int64(1)
	for range exponent {
		var overflow bool
		if result, overflow = multiplyWhole(result, base); overflow {
			return 0, false
		}
	}
	return result, true
}
