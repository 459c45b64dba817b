package token

import (
	"math/bits"
	"slices"
)

// typeBits tell what a KeyString leaves out: which numeric type a number has, whether a string is
// a symbol. They are written from the lowest bit of the first byte on.
type typeBits string // one character for each bit, '0' or '1'

// The numeric types in type bits.
const (
	bitsInt     = "00"
	bitsDouble  = "10"
	bitsLong    = "01"
	bitsDecimal = "11"
)

// bitsNegativeZero tells -0.0 from 0.0, which have the same KeyString.
const bitsNegativeZero = "11000"

// bitWriter collects type bits.
type bitWriter []byte

func (b *bitWriter) add(bits string) { *b = append(*b, bits...) }

// pack fills the last byte up, so that bits that were read are those that were written. All zero
// is none.
func (b bitWriter) pack() typeBits {
	if !slices.Contains(b, '1') {
		return ""
	}
	for (headBits+len(b))%8 != 0 {
		b = append(b, '0')
	}
	return typeBits(b)
}

// headBits is how many type bits the numbers before the identifier take: two each, all zero.
const headBits = 6

// framed returns the bits as _typeBits has them: with their length before them, unless they are
// one byte below 0x80. It returns nil where all are zero: such a token has no _typeBits.
func (b typeBits) framed() []byte {
	if b == "" {
		return nil
	}
	packed := make([]byte, (headBits+len(b))/8)
	for i, bit := range b {
		at := headBits + i
		packed[at/8] |= byte(bit-'0') << (at % 8)
	}
	if len(packed) == 1 && packed[0] < 0x80 {
		return packed
	}
	if len(packed) < 0x80 {
		return append([]byte{0x80 | byte(len(packed))}, packed...)
	}
	size := len(packed)
	head := []byte{0x80, byte(size), byte(size >> 8), byte(size >> 16), byte(size >> 24)}
	return append(head, packed...)
}

// unpack reads _typeBits and drops those of the numbers before the identifier.
func unpack(framed []byte) typeBits {
	if len(framed) == 0 {
		return ""
	}
	packed := framed
	switch {
	case framed[0] == 0x80:
		packed = framed[min(5, len(framed)):]
	case framed[0] > 0x80:
		packed = framed[1:]
	}
	var all bitWriter
	for _, b := range packed {
		for i := range 8 {
			all = append(all, '0'+b>>i&1)
		}
	}
	if len(all) <= headBits || bits.OnesCount8(packed[0]&(1<<headBits-1)) > 0 {
		return ""
	}
	return all[headBits:].pack()
}
