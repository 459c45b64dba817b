package token

import (
	"bytes"
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// element is one value of a KeyString: its kind and all its bytes.
type element struct {
	kind byte
	raw  []byte
}

// elementsOf takes a KeyString apart. What follows its end is ignored, as on a server.
func elementsOf(raw []byte) ([]element, error) {
	r := &reader{left: raw}
	var elements []element
	for len(r.left) > 0 && r.left[0] != end {
		if r.left[0] == 0x01 || r.left[0] == 0xFE { // marks before or after a value
			r.left = r.left[1:]
		}
		start := r.left
		kind, err := r.byte()
		if err != nil {
			return nil, err
		}
		if err := r.skip(kind, 0); err != nil {
			return nil, err
		}
		elements = append(elements, element{kind, start[:len(start)-len(r.left)]})
	}
	return elements, nil
}

func (e element) timestamp() (ts bson.Timestamp) {
	if e.kind == timestamp {
		ts.T = binary.BigEndian.Uint32(e.raw[1:])
		ts.I = binary.BigEndian.Uint32(e.raw[5:])
	}
	return ts
}

func (e element) uuid() (UUID, bool) {
	if e.kind != binData || len(e.raw) != 19 || e.raw[2] != bson.TypeBinaryUUID {
		return "", false
	}
	return UUID(e.raw[3:]), true
}

// int returns a whole number that fits 63 bits.
func (e element) int() (n int64, isNumber bool, err error) {
	if e.kind == zero {
		return 0, true, nil
	}
	size, negative := integerSize(e.kind)
	if size == 0 {
		return 0, false, nil
	}
	if len(e.raw) > size+1 {
		return 0, false, mongoerr.New(codeFraction,
			"KeyString format error: Expected type Decimal.")
	}
	var doubled uint64
	for _, b := range e.raw[1:] {
		if negative {
			b = ^b
		}
		doubled = doubled<<8 | uint64(b)
	}
	n = int64(doubled >> 1)
	if negative {
		n = -n
	}
	return n, true, nil
}

// integerSize is how many bytes of a number's integer part a kind announces.
func integerSize(kind byte) (size int, negative bool) {
	switch {
	case kind >= positive1 && kind <= positive8:
		return int(kind) - positive1 + 1, false
	case kind >= negative8 && kind <= negative1:
		return negative1 - int(kind) + 1, true
	}
	return 0, false
}

// maxDepth is how deep values can be nested: as deep as documents, and a little more.
const maxDepth = 220

// reader steps over values.
type reader struct {
	left []byte
}

func (r *reader) byte() (byte, error) {
	b, err := r.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (r *reader) take(n int) ([]byte, error) {
	if n > len(r.left) {
		return nil, mongoerr.New(mongoerr.Overflow,
			"Invalid advance (%d) past end of buffer[%d] at offset: 0", n, len(r.left))
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b, nil
}

// size reads the length of what follows.
func (r *reader) size(n int) (int, error) {
	b, err := r.take(n)
	if err != nil {
		return 0, err
	}
	size := 0
	for _, c := range b {
		size = size<<8 | int(c)
	}
	return size, nil
}

// skip steps over a value whose kind has been read.
func (r *reader) skip(kind byte, depth int) error {
	if depth > maxDepth {
		return mongoerr.New(mongoerr.Overflow, "KeyString is nested too deeply")
	}
	if size, fixed := fixedSize(kind); fixed {
		_, err := r.take(size)
		return err
	}
	if size, negative := integerSize(kind); size > 0 {
		return r.skipNumber(size, negative)
	}
	switch kind {
	case text, code:
		return r.skipText()
	case object:
		return r.skipFields(depth)
	case array:
		return r.skipArray(depth)
	case binData:
		return r.skipBinary()
	case regex:
		return r.both(r.skipCString, r.skipCString)
	case dbPointer:
		return r.skipDBPointer()
	case codeWithScope:
		return r.both(r.skipText, func() error { return r.skipFields(depth) })
	}
	return mongoerr.New(mongoerr.KeyStringFormat,
		"KeyString format error: Unknown type: %d", kind)
}

func fixedSize(kind byte) (size int, ok bool) {
	switch kind {
	case minKey, undefined, null, numeric, zero, boolFalse, boolTrue, maxKey:
		return 0, true
	case negativeLarge, negativeSmall, positiveSmall, positiveLarge, date, timestamp:
		return 8, true
	case objectID:
		return 12, true
	case decimal:
		return 16, true
	}
	return 0, false
}

func (r *reader) both(first, second func() error) error {
	if err := first(); err != nil {
		return err
	}
	return second()
}

// skipNumber steps over an integer part and, where its lowest bit says so, a fraction.
func (r *reader) skipNumber(size int, negative bool) error {
	part, err := r.take(size)
	if err != nil {
		return err
	}
	if fraction := part[size-1]&1 == 1; fraction != negative {
		_, err = r.take(8 - size)
	}
	return err
}

// skipText steps over text in which a zero followed by 0xFF is no end.
func (r *reader) skipText() error {
	for {
		if err := r.skipCString(); err != nil {
			return err
		}
		if len(r.left) == 0 || r.left[0] != 0xFF {
			return nil
		}
		r.left = r.left[1:]
	}
}

func (r *reader) skipCString() error {
	at := bytes.IndexByte(r.left, 0)
	if at < 0 {
		return mongoerr.New(mongoerr.KeyStringUnterminated,
			"KeyString format error: Failed to find null terminator in string.")
	}
	r.left = r.left[at+1:]
	return nil
}

func (r *reader) skipFields(depth int) error {
	for {
		generic, err := r.byte()
		if err != nil || generic == 0 {
			return err
		}
		if err := r.skipCString(); err != nil {
			return err
		}
		kind, err := r.byte()
		if err != nil {
			return err
		}
		if err := r.skip(kind, depth+1); err != nil {
			return err
		}
	}
}

func (r *reader) skipArray(depth int) error {
	for {
		kind, err := r.byte()
		if err != nil || kind == 0 {
			return err
		}
		if err := r.skip(kind, depth+1); err != nil {
			return err
		}
	}
}

func (r *reader) skipBinary() error {
	size, err := r.size(1)
	if err == nil && size == 0xFF {
		size, err = r.size(4)
	}
	if err != nil {
		return err
	}
	if _, err := r.take(1); err != nil { // the subtype
		return err
	}
	_, err = r.take(size)
	return err
}

func (r *reader) skipDBPointer() error {
	size, err := r.size(4)
	if err != nil {
		return err
	}
	_, err = r.take(size + len(bson.ObjectID{}))
	return err
}
