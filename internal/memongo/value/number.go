package value

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
)

// two63 is the first double that no int64 holds.
const two63 = 1 << 63

// compareNumbers returns the order of two numbers, without rounding either.
func compareNumbers(a, b any) int {
	if left, ok := Whole(a); ok {
		if right, ok := Whole(b); ok {
			return cmp.Compare(left, right)
		}
		if right, ok := b.(float64); ok {
			return compareWholeAndDouble(left, right)
		}
	}
	if left, ok := a.(float64); ok {
		if right, ok := b.(float64); ok {
			return cmp.Compare(left, right) // which has NaN below all others
		}
		if right, ok := Whole(b); ok {
			return -compareWholeAndDouble(right, left)
		}
	}
	return scientificOf(a).compare(scientificOf(b))
}

// Whole returns the value of the two types of integers; a double without a fraction is none.
func Whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

func compareWholeAndDouble(a int64, b float64) int {
	switch {
	case math.IsNaN(b) || b < -two63:
		return 1
	case b >= two63:
		return -1
	}
	integral, fraction := math.Modf(b)
	return cmp.Or(cmp.Compare(a, int64(integral)), cmp.Compare(0, fraction))
}

// Int64 returns an integral number of any numeric type, where an int64 holds it.
func Int64(v any) (int64, bool) {
	switch v := v.(type) {
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		integral := v >= -two63 && v < two63 && v == math.Trunc(v)
		if !integral {
			return 0, false
		}
		return int64(v), true
	case bson.Decimal128:
		return decimalInt64(v)
	}
	return 0, false
}

func decimalInt64(d bson.Decimal128) (int64, bool) {
	s := scientificOf(d)
	switch {
	case s.nan || len(s.digits) > s.exp || s.exp > 19:
		return 0, false
	case s.sign == 0:
		return 0, true
	}
	digits := s.digits + strings.Repeat("0", s.exp-len(s.digits))
	if s.sign < 0 {
		digits = "-" + digits
	}
	i, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}
	return i, true
}

// Float64 returns a number of any numeric type as a double, rounded where it has to be.
func Float64(v any) (float64, bool) {
	switch v := v.(type) {
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case bson.Decimal128:
		return decimal.Float64(v), true
	}
	return 0, false
}

// Decimal returns a number of any numeric type as a decimal. Of a double it keeps 15 digits, as
// the server does where a double meets a decimal in arithmetic.
func Decimal(v any) (bson.Decimal128, bool) {
	switch v := v.(type) {
	case int32:
		return decimal.FromInt64(int64(v)), true
	case int64:
		return decimal.FromInt64(v), true
	case float64:
		return decimal.FromFloat64(v), true
	case bson.Decimal128:
		return v, true
	}
	return bson.Decimal128{}, false
}

// scientific is a number as sign × 0.digits × 10^exp. The digits neither begin nor end with a
// zero, so that each number has one form, whatever its type.
type scientific struct {
	nan    bool
	sign   int // 0 for zero
	digits string
	exp    int // infinite for infinity, whose digits are empty
}

const infinite = math.MaxInt

func scientificOf(v any) scientific {
	switch v := v.(type) {
	case int32:
		return scientificText(strconv.FormatInt(int64(v), 10), 0)
	case int64:
		return scientificText(strconv.FormatInt(v, 10), 0)
	case float64:
		return scientificDouble(v)
	}
	return scientificDecimal(v.(bson.Decimal128))
}

func scientificDouble(f float64) scientific {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return special(math.IsNaN(f), math.Signbit(f))
	}
	if i, ok := Int64(f); ok {
		return scientificOf(i)
	}
	const all = 766 // digits after the first, which are enough for every double
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', all, 64), "e")
	exp, _ := strconv.Atoi(exponent)
	return scientificText(strings.Replace(mantissa, ".", "", 1), exp-all)
}

func scientificDecimal(d bson.Decimal128) scientific {
	if d.IsNaN() || d.IsInf() != 0 {
		return special(d.IsNaN(), d.IsInf() < 0)
	}
	coefficient, exp, _ := d.BigInt() // which fails for the special values alone
	return scientificText(coefficient.String(), exp)
}

func special(nan, negative bool) scientific {
	switch {
	case nan:
		return scientific{nan: true}
	case negative:
		return scientific{sign: -1, exp: infinite}
	}
	return scientific{sign: 1, exp: infinite}
}

// scientificText takes an integer's digits, perhaps after a minus, and the power of ten that it
// is multiplied with.
func scientificText(digits string, power int) scientific {
	s := scientific{sign: 1}
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		s.sign, digits = -1, rest
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return scientific{}
	}
	s.exp = len(digits) + power
	s.digits = strings.TrimRight(digits, "0")
	return s
}

func (s scientific) compare(other scientific) int {
	if s.nan || other.nan {
		return compareBooleans(other.nan, s.nan)
	}
	if c := cmp.Compare(s.sign, other.sign); c != 0 {
		return c
	}
	return s.sign * cmp.Or(cmp.Compare(s.exp, other.exp), cmp.Compare(s.digits, other.digits))
}
