package expr

import (
	"math"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
)

// Sum adds numbers without losing digits on the way: what is rounded is the result, which is why
// 0.1 + 0.2 + 0.3 is 0.6. The zero value is an int 0.
type Sum struct {
	width      width
	high       int64 // the integers, as a number of 128 bits
	low        uint64
	sum, rest  float64 // all but the decimals, as a double and what it lacks
	special    float64 // tells infinities from what they become when they are added
	decimals   bson.Decimal128
	anyDecimal bool
}

// Add adds a number; it reports false for what is none.
func (s *Sum) Add(val any) bool {
	w := widthOf(val)
	switch w {
	case notNumeric:
		return false
	case ints, longs:
		s.addWhole(whole(val))
	case doubles:
		s.addDouble(float(val))
	case decimals:
		s.addDecimal(val.(bson.Decimal128))
	}
	s.width = max(s.width, w)
	return true
}

func (s *Sum) addWhole(n int64) {
	low, carry := bits.Add64(s.low, uint64(n), 0)
	s.low, s.high = low, s.high+n>>63+int64(carry)
	upper := n &^ (1<<32 - 1)
	s.addDouble(float64(upper))
	s.addDouble(float64(n - upper))
}

// addDouble keeps what the addition rounds off.
func (s *Sum) addDouble(f float64) {
	s.special += f
	sum := s.sum + f
	part := sum - s.sum
	s.rest += (s.sum - (sum - part)) + (f - part)
	s.sum = sum
}

func (s *Sum) addDecimal(d bson.Decimal128) {
	if s.anyDecimal {
		d = decimal.Add(s.decimals, d)
	}
	s.decimals, s.anyDecimal = d, true
}

// Result returns the sum in the widest type that was added. Integers that are too large for a long
// give a double.
func (s *Sum) Result() any {
	switch s.width {
	case decimals:
		return s.Decimal()
	case doubles:
		return s.Float()
	}
	if n, ok := s.long(); ok {
		return narrow(n, max(s.width, ints))
	}
	return s.Float()
}

// long returns the sum of integers if it fits.
func (s *Sum) long() (int64, bool) {
	n := int64(s.low)
	return n, s.high == n>>63
}

// Float returns the sum of all but the decimals.
func (s *Sum) Float() float64 {
	if f := s.sum + s.rest; !math.IsNaN(f) {
		return f
	}
	return s.special
}

// Decimal returns the sum as a decimal. Doubles count with all digits that they have.
func (s *Sum) Decimal() bson.Decimal128 {
	if math.IsNaN(s.sum + s.rest) {
		return decimal.Add(s.decimalPart(), decimal.FromFloat64(s.special))
	}
	rest := decimal.Add(decimal.FromFloat64Exact(s.sum), decimal.FromFloat64Exact(s.rest))
	return decimal.Add(s.decimalPart(), rest)
}

func (s *Sum) decimalPart() bson.Decimal128 {
	if s.anyDecimal {
		return s.decimals
	}
	return decimal.FromInt64(0)
}

// milliseconds returns the sum rounded to a long; what is in the middle goes towards zero.
func (s *Sum) milliseconds() (int64, bool) {
	switch s.width {
	case decimals:
		return decimal.Int64(decimal.Round(s.Decimal(), 0, decimal.HalfEven))
	case doubles:
		whole, fraction := math.Modf(s.sum)
		if !(whole >= -0x1p63 && whole < 0x1p63) {
			return 0, false
		}
		fraction += s.rest
		rest := math.Copysign(math.Ceil(math.Abs(fraction)-0.5), fraction)
		total, overflow := addWhole(int64(whole), int64(rest))
		return total, !overflow
	}
	return s.long()
}
