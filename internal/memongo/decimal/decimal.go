// Package decimal computes with BSON's Decimal128, which the driver only stores.
//
// Results are those of IEEE 754-2008: rounded to 34 digits, half to even, with the exponent
// that the standard prefers, so that 1.10 + 1 is 2.10. Beyond the largest exponent they are
// infinite. There are no transcendental functions.
package decimal

import (
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The format's limits: significant digits, and exponents of the last one.
const (
	digits      = 34
	minExponent = -6176
	maxExponent = 6111
)

// finite is coef × 10^exp. A negative zero has neg and coef 0.
type finite struct {
	neg  bool
	coef *big.Int // its sign agrees with neg unless it is 0
	exp  int
}

// Negative reports whether the sign is set, as it is for -0.
func Negative(d bson.Decimal128) bool {
	h, _ := d.GetBytes()
	return h>>63 != 0
}

// open returns the parts of a number that is neither infinite nor NaN.
func open(d bson.Decimal128) finite {
	coef, exp, err := d.BigInt()
	if err != nil {
		coef, exp = new(big.Int), 0 // special values are dealt with before
	}
	return finite{Negative(d), coef, exp}
}

// infinity returns +∞ or -∞.
func infinity(neg bool) bson.Decimal128 {
	if neg {
		return bson.NewDecimal128(0xf800000000000000, 0)
	}
	return bson.NewDecimal128(0x7800000000000000, 0)
}

// NaN returns what no number is.
func NaN() bson.Decimal128 { return bson.NewDecimal128(0x7c00000000000000, 0) }

func special(d bson.Decimal128) bool { return d.IsNaN() || d.IsInf() != 0 }

// pow10 returns 10^n.
func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// length returns the number of decimal digits; that of 0 is 0.
func length(n *big.Int) int {
	if n.Sign() == 0 {
		return 0
	}
	return len(new(big.Int).Abs(n).Text(10))
}

// close rounds the parts to a number of the format.
func (f finite) close() bson.Decimal128 {
	if excess := length(f.coef) - digits; excess > 0 {
		f = f.shorten(excess, HalfEven)
		if length(f.coef) > digits { // 99…9 became 100…0
			f = f.shorten(1, HalfEven)
		}
	}
	if f.exp < minExponent {
		f = f.shorten(min(minExponent-f.exp, digits+1), HalfEven)
		f.exp = minExponent
	}
	if f.exp > maxExponent {
		if f.coef.Sign() == 0 {
			f.exp = maxExponent
		} else if pad := f.exp - maxExponent; pad+length(f.coef) <= digits {
			f.coef, f.exp = new(big.Int).Mul(f.coef, pow10(pad)), maxExponent
		} else {
			return infinity(f.neg)
		}
	}
	return f.pack()
}

// pack encodes parts that are within the limits.
func (f finite) pack() bson.Decimal128 {
	d, ok := bson.ParseDecimal128FromBigInt(new(big.Int).Abs(f.coef), f.exp)
	if !ok {
		return NaN()
	}
	if h, l := d.GetBytes(); f.neg {
		return bson.NewDecimal128(h|1<<63, l)
	}
	return d
}

// Rounding says what becomes of digits that are cut off.
type Rounding int

// The ways to round.
const (
	HalfEven Rounding = iota
	ToZero
	Up   // towards +∞
	Down // towards -∞
)

// shorten cuts n digits off.
func (f finite) shorten(n int, how Rounding) finite {
	unit := pow10(n)
	quo, rem := new(big.Int).QuoRem(f.coef, unit, new(big.Int))
	if away(quo, rem, unit, f.neg, how) {
		step := int64(1)
		if f.neg {
			step = -1
		}
		quo.Add(quo, big.NewInt(step))
	}
	return finite{f.neg, quo, f.exp + n}
}

// away reports whether a truncated quotient moves away from zero.
func away(quo, rem, unit *big.Int, neg bool, how Rounding) bool {
	switch {
	case rem.Sign() == 0 || how == ToZero:
		return false
	case how == Up:
		return !neg
	case how == Down:
		return neg
	}
	double := new(big.Int).Abs(rem)
	double.Lsh(double, 1)
	half := double.Cmp(unit)
	return half > 0 || half == 0 && quo.Bit(0) == 1
}
