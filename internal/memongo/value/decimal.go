package value

import (
	"math"
	"math/big"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Limits of a Decimal128.
const (
	decimalDigits  = 34
	decimalBias    = 6176
	minDecimalExp  = -decimalBias
	maxDecimalExp  = 6111
	coefficientTop = 49 // bits of the coefficient in the higher word
)

// decimal is a decimal number while it is calculated with: a coefficient of any length and a
// power of ten. Zeros and infinities have signs.
type decimal struct {
	nan, inf, negative bool
	coefficient        *big.Int // not negative
	exp                int
}

// Decimal returns a number of any numeric type as a decimal. Of a double it keeps 15 digits, as
// the server does where a double meets a decimal in arithmetic.
func Decimal(v any) (bson.Decimal128, bool) {
	if !IsNumber(v) {
		return bson.Decimal128{}, false
	}
	return decimalOf(v).encode(), true
}

// decimalOf converts any number.
func decimalOf(v any) decimal {
	switch v := v.(type) {
	case int32:
		return wholeDecimal(int64(v))
	case int64:
		return wholeDecimal(v)
	case float64:
		return doubleDecimal(v)
	}
	return decodeDecimal(v.(bson.Decimal128))
}

func wholeDecimal(i int64) decimal {
	coefficient := new(big.Int).SetUint64(magnitude(i))
	return decimal{negative: i < 0, coefficient: coefficient}
}

func doubleDecimal(f float64) decimal {
	const digits = 15
	d := decimal{negative: math.Signbit(f), coefficient: new(big.Int)}
	switch {
	case math.IsNaN(f):
		return decimal{nan: true}
	case math.IsInf(f, 0):
		d.inf = true
		return d
	case f == 0:
		return d
	}
	// As in 1.23456789012345e-07: one digit, the point, the others, the exponent.
	text := strconv.FormatFloat(math.Abs(f), 'e', digits-1, 64)
	exp, _ := strconv.Atoi(text[digits+2:])
	d.coefficient.SetString(text[:1]+text[2:digits+1], 10)
	d.exp = exp - (digits - 1)
	return d
}

func decodeDecimal(v bson.Decimal128) decimal {
	high, _ := v.GetBytes()
	d := decimal{nan: v.IsNaN(), inf: v.IsInf() != 0, negative: high>>63 == 1}
	if d.nan || d.inf {
		return d
	}
	coefficient, exp, _ := v.BigInt() // which fails for the special values alone
	d.coefficient, d.exp = coefficient.Abs(coefficient), exp
	return d
}

// encode rounds to what a Decimal128 can hold, to the even digit if in doubt.
func (d decimal) encode() bson.Decimal128 {
	const nanBits, infBits = 0x1f << 58, 0x1e << 58
	if d.nan {
		return bson.NewDecimal128(nanBits, 0)
	}
	if !d.inf {
		d = d.fitted()
	}
	var sign uint64
	if d.negative {
		sign = 1 << 63
	}
	if d.inf {
		return bson.NewDecimal128(sign|infBits, 0)
	}
	low := new(big.Int).And(d.coefficient, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	high := new(big.Int).Rsh(d.coefficient, 64).Uint64()
	return bson.NewDecimal128(sign|uint64(d.exp+decimalBias)<<coefficientTop|high, low)
}

// fitted brings the coefficient and the exponent into their ranges.
func (d decimal) fitted() decimal {
	drop := max(digitsOf(d.coefficient)-decimalDigits, minDecimalExp-d.exp)
	if drop > 0 {
		d = d.rounded(drop)
		if digitsOf(d.coefficient) > decimalDigits { // 99…9 has become 100…0
			d = d.rounded(1)
		}
	}
	over := d.exp - maxDecimalExp
	if over <= 0 {
		return d
	}
	if d.coefficient.Sign() == 0 {
		d.exp = maxDecimalExp
		return d
	}
	if digitsOf(d.coefficient)+over > decimalDigits {
		return decimal{inf: true, negative: d.negative}
	}
	d.coefficient = new(big.Int).Mul(d.coefficient, power10(over))
	d.exp = maxDecimalExp
	return d
}

// rounded drops digits from the end.
func (d decimal) rounded(digits int) decimal {
	d.exp += digits
	if digits > digitsOf(d.coefficient)+1 { // less than half of the last digit
		d.coefficient = new(big.Int)
		return d
	}
	unit := power10(digits)
	quotient, rest := new(big.Int).QuoRem(d.coefficient, unit, new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(unit)
	if half > 0 || half == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(1))
	}
	d.coefficient = quotient
	return d
}

func (d decimal) negated() decimal {
	d.negative = !d.negative
	return d
}

// addDecimals keeps the smaller exponent, so that 1.10 + 1 is 2.10.
func addDecimals(a, b decimal) decimal {
	switch {
	case a.nan || b.nan || a.inf && b.inf && a.negative != b.negative:
		return decimal{nan: true}
	case a.inf:
		return a
	case b.inf:
		return b
	}
	exp := min(a.exp, b.exp)
	sum := new(big.Int).Add(a.scaled(exp), b.scaled(exp))
	negative := sum.Sign() < 0 || sum.Sign() == 0 && a.negative && b.negative
	return decimal{negative: negative, coefficient: sum.Abs(sum), exp: exp}
}

// scaled returns the signed coefficient for a smaller exponent.
func (d decimal) scaled(exp int) *big.Int {
	scaled := new(big.Int).Mul(d.coefficient, power10(d.exp-exp))
	if d.negative {
		return scaled.Neg(scaled)
	}
	return scaled
}

func multiplyDecimals(a, b decimal) decimal {
	negative := a.negative != b.negative
	switch {
	case a.nan || b.nan || a.inf && b.isZero() || b.inf && a.isZero():
		return decimal{nan: true}
	case a.inf || b.inf:
		return decimal{inf: true, negative: negative}
	}
	product := new(big.Int).Mul(a.coefficient, b.coefficient)
	return decimal{negative: negative, coefficient: product, exp: a.exp + b.exp}
}

func (d decimal) isZero() bool { return !d.nan && !d.inf && d.coefficient.Sign() == 0 }

func digitsOf(i *big.Int) int { return len(i.String()) }

func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
