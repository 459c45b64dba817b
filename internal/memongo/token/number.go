package token

import (
	"encoding/binary"
	"math"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// number writes numbers of all types by their value, so that equal ones are the same bytes.
func (w *writer) number(v any) {
	switch v := v.(type) {
	case int32:
		w.bits.add(bitsInt)
		w.integer(int64(v))
	case int64:
		w.bits.add(bitsLong)
		w.integer(v)
	case float64:
		w.double(v)
	case bson.Decimal128:
		w.bits.add(bitsDecimal)
		w.byte(decimal)
		high, low := v.GetBytes()
		w.uint64(high)
		w.uint64(low)
	}
}

func (w *writer) integer(v int64) {
	switch {
	case v == 0:
		w.byte(zero)
	case v == math.MinInt64:
		w.large(float64(v))
	case v < 0:
		w.whole(uint64(-v), true)
	default:
		w.whole(uint64(v), false)
	}
}

// whole writes an integer's magnitude, doubled: the lowest bit says that no fraction follows.
func (w *writer) whole(magnitude uint64, negative bool) {
	doubled := magnitude << 1
	size := (bits.Len64(doubled) + 7) / 8
	w.sized(doubled, size, size, negative)
}

// sized writes the kind for an integer part of some bytes, and the lowest of value's bytes.
func (w *writer) sized(value uint64, part, size int, negative bool) {
	kind := byte(positive1 + part - 1)
	if negative {
		kind, value = byte(negative1-part+1), ^value
	}
	w.byte(kind)
	var all [8]byte
	binary.BigEndian.PutUint64(all[:], value)
	w.bytes(all[8-size:])
}

func (w *writer) double(v float64) {
	magnitude := math.Abs(v)
	if v == 0 && math.Signbit(v) {
		w.bits.add(bitsNegativeZero)
	} else {
		w.bits.add(bitsDouble)
	}
	switch {
	case math.IsNaN(v):
		w.byte(numeric)
	case v == 0:
		w.byte(zero)
	case magnitude < 1:
		w.small(v)
	case magnitude >= 1<<63:
		w.large(v)
	case magnitude == math.Trunc(magnitude):
		w.whole(uint64(magnitude), v < 0)
	default:
		w.fractional(magnitude, v < 0)
	}
}

// fractional writes the integer part, doubled and one more, and what is left of eight bytes of
// the fraction. A double's fraction leaves the two lowest bits free.
func (w *writer) fractional(magnitude float64, negative bool) {
	whole, fraction := math.Modf(magnitude)
	doubled := uint64(whole)<<1 | 1
	part := (bits.Len64(doubled) + 7) / 8
	rest := 8 * (8 - part)
	w.sized(doubled<<rest|uint64(math.Ldexp(fraction, rest)), part, 8, negative)
}

// small writes a number below one. Those too small for two free bits are scaled first.
func (w *writer) small(v float64) {
	magnitude := math.Abs(v)
	encoded := math.Float64bits(magnitude) << 2
	if magnitude < math.Ldexp(1, -255) {
		encoded = math.Float64bits(math.Ldexp(magnitude, 768)) << 1
	}
	w.signed(positiveSmall, negativeSmall, encoded, v < 0)
}

// large writes a number beyond the integers of 64 bits.
func (w *writer) large(v float64) {
	encoded := math.Float64bits(math.Abs(v)) << 1 &^ (1 << 63)
	if math.IsInf(v, 0) {
		encoded = math.MaxUint64
	}
	w.signed(positiveLarge, negativeLarge, encoded, v < 0)
}

func (w *writer) signed(positive, negative byte, encoded uint64, isNegative bool) {
	if isNegative {
		positive, encoded = negative, ^encoded
	}
	w.byte(positive)
	w.uint64(encoded)
}
