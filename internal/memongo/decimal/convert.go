package decimal

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// FromInt64 returns the integer.
func FromInt64(n int64) bson.Decimal128 {
	return finite{n < 0, big.NewInt(n), 0}.close()
}

// FromFloat64 keeps 15 digits, which is what the server takes a double to mean.
func FromFloat64(f float64) bson.Decimal128 {
	if d, ok := fromSpecial(f); ok {
		return d
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', 14, 64), "e")
	exp, _ := strconv.Atoi(exponent) // FormatFloat wrote it
	coef, ok := new(big.Int).SetString(strings.Replace(mantissa, ".", "", 1), 10)
	if !ok {
		return NaN()
	}
	return finite{f < 0, coef, exp - 14}.close()
}

// FromFloat64Exact keeps all 34 digits that a double has in binary.
func FromFloat64Exact(f float64) bson.Decimal128 {
	if d, ok := fromSpecial(f); ok {
		return d
	}
	r := new(big.Rat)
	r.SetFloat64(f)
	return reduce(divide(finite{f < 0, r.Num(), 0}, finite{false, r.Denom(), 0}, f < 0), 0).close()
}

func fromSpecial(f float64) (bson.Decimal128, bool) {
	switch {
	case math.IsNaN(f):
		return NaN(), true
	case math.IsInf(f, 0):
		return infinity(f < 0), true
	case f == 0:
		return finite{math.Signbit(f), new(big.Int), 0}.close(), true
	}
	return bson.Decimal128{}, false
}

// Float64 returns the nearest double.
func Float64(d bson.Decimal128) float64 {
	f, _ := strconv.ParseFloat(d.String(), 64) // out of range it is infinite, which is right
	return f
}

// Int64 cuts the fraction off. It reports false beyond the range of an int64.
func Int64(d bson.Decimal128) (int64, bool) {
	if special(d) {
		return 0, false
	}
	f := open(d)
	if f.exp > 0 && length(f.coef)+f.exp > 19 && f.coef.Sign() != 0 {
		return 0, false
	}
	if f.exp < 0 {
		f = f.shorten(min(-f.exp, 2*digits), ToZero)
	} else {
		f.coef = new(big.Int).Mul(f.coef, pow10(min(f.exp, 19)))
	}
	return f.coef.Int64(), f.coef.IsInt64()
}

// Integral reports whether there is no fraction. Infinite numbers and NaN have none and are not.
func Integral(d bson.Decimal128) bool {
	return !special(d) && Cmp(d, Round(d, 0, ToZero)) == 0
}

// Round leaves places digits after the point; fewer than none makes tens and hundreds of it. What
// has not that many digits gets zeros. NaN is what cannot be written so.
func Round(d bson.Decimal128, places int, how Rounding) bson.Decimal128 {
	if special(d) {
		return d
	}
	f := open(d)
	if cut := -places - f.exp; cut > 0 {
		f = f.shorten(min(cut, digits+1), how)
	} else if cut < 0 && f.coef.Sign() != 0 {
		if length(f.coef)-cut > digits {
			return NaN()
		}
		f.coef = new(big.Int).Mul(f.coef, pow10(-cut))
	}
	f.exp = -places
	return f.close()
}

// Room returns how many places after the point a finite number can be written with; it is negative
// for one that is too large for its last digits.
func Room(d bson.Decimal128) int {
	if special(d) {
		return 0
	}
	f := open(d)
	return digits - length(f.coef) - f.exp
}

// Cmp compares by value; NaN is less than all others and equal to itself.
func Cmp(a, b bson.Decimal128) int {
	switch {
	case a.IsNaN() || b.IsNaN():
		return truth(b.IsNaN()) - truth(a.IsNaN())
	case special(a) || special(b):
		return sign(a.IsInf() - b.IsInf())
	}
	x, y := open(a), open(b)
	if x.coef.Sign() != y.coef.Sign() {
		return sign(x.coef.Sign() - y.coef.Sign())
	}
	x, y = align(x, y)
	return x.coef.Cmp(y.coef)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// Zero reports whether a number is 0, of whatever sign and exponent.
func Zero(d bson.Decimal128) bool { return !special(d) && open(d).coef.Sign() == 0 }
