package token

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// What a KeyString's values begin with. The numbers between are numeric values by size.
const (
	end           = 0x04
	minKey        = 0x0A
	undefined     = 0x0F
	null          = 0x14
	numeric       = 0x1E // any number, before a field's name; by itself NaN
	negativeLarge = 0x1F
	negative8     = 0x20 // a negative integer part of 8 bytes; 0x27 has one byte
	negative1     = 0x27
	negativeSmall = 0x28
	zero          = 0x29
	positiveSmall = 0x2A
	positive1     = 0x2B
	positive8     = 0x32
	positiveLarge = 0x33
	decimal       = 0x34 // our own, see the package's comment
	text          = 0x3C
	object        = 0x46
	array         = 0x50
	binData       = 0x5A
	objectID      = 0x64
	boolFalse     = 0x6E
	boolTrue      = 0x6F
	date          = 0x78
	timestamp     = 0x82
	regex         = 0x8C
	dbPointer     = 0x96
	code          = 0xA0
	codeWithScope = 0xAA
	maxKey        = 0xF0
)

// writer writes values as a KeyString.
type writer struct {
	buf  []byte
	bits bitWriter
}

func (w *writer) byte(b byte)       { w.buf = append(w.buf, b) }
func (w *writer) uint32(v uint32)   { w.buf = binary.BigEndian.AppendUint32(w.buf, v) }
func (w *writer) uint64(v uint64)   { w.buf = binary.BigEndian.AppendUint64(w.buf, v) }
func (w *writer) cString(s string)  { w.buf = append(append(w.buf, s...), 0) }
func (w *writer) bytes(data []byte) { w.buf = append(w.buf, data...) }

// value writes the value's kind and content.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case int32, int64, float64, bson.Decimal128:
		w.number(v)
	case string:
		w.bits.add("0")
		w.byte(text)
		w.text(v)
	case bson.Symbol:
		w.bits.add("1")
		w.byte(text)
		w.text(string(v))
	case bson.D:
		w.byte(object)
		w.fields(v)
	case bson.A:
		w.byte(array)
		for _, e := range v {
			w.value(e)
		}
		w.byte(0)
	default:
		w.scalar(v)
	}
}

func (w *writer) scalar(v any) {
	w.byte(kindOf(v))
	switch v := v.(type) {
	case bson.Binary:
		w.binary(v)
	case bson.ObjectID:
		w.bytes(v[:])
	case bson.DateTime:
		w.uint64(uint64(v) ^ 1<<63)
	case bson.Timestamp:
		w.uint32(v.T)
		w.uint32(v.I)
	case bson.Regex:
		w.cString(v.Pattern)
		w.cString(v.Options)
	case bson.DBPointer:
		w.uint32(uint32(len(v.DB)))
		w.bytes([]byte(v.DB))
		w.bytes(v.Pointer[:])
	case bson.JavaScript:
		w.text(string(v))
	case bson.CodeWithScope:
		w.text(string(v.Code))
		scope, _ := v.Scope.(bson.D)
		w.fields(scope)
	}
}

// fields writes a document: before each name the kind without details, so that documents sort
// by kinds first.
func (w *writer) fields(d bson.D) {
	for _, e := range d {
		w.byte(genericKind(e.Value))
		w.cString(e.Key)
		w.value(e.Value)
	}
	w.byte(0)
}

// text ends with a zero; a zero in it is followed by 0xFF.
func (w *writer) text(s string) {
	for i := range len(s) {
		w.byte(s[i])
		if s[i] == 0 {
			w.byte(0xFF)
		}
	}
	w.byte(0)
}

func (w *writer) binary(b bson.Binary) {
	if len(b.Data) < 0xFF {
		w.byte(byte(len(b.Data)))
	} else {
		w.byte(0xFF)
		w.uint32(uint32(len(b.Data)))
	}
	w.byte(b.Subtype)
	w.bytes(b.Data)
}

func kindOf(v any) byte {
	switch v := v.(type) {
	case bson.MinKey:
		return minKey
	case bson.Undefined:
		return undefined
	case bson.Binary:
		return binData
	case bson.ObjectID:
		return objectID
	case bool:
		if v {
			return boolTrue
		}
		return boolFalse
	case bson.DateTime:
		return date
	case bson.Timestamp:
		return timestamp
	}
	return rareKind(v)
}

func rareKind(v any) byte {
	switch v.(type) {
	case bson.Regex:
		return regex
	case bson.DBPointer:
		return dbPointer
	case bson.JavaScript:
		return code
	case bson.CodeWithScope:
		return codeWithScope
	case bson.MaxKey:
		return maxKey
	}
	return null
}

func genericKind(v any) byte {
	switch v.(type) {
	case int32, int64, float64, bson.Decimal128:
		return numeric
	case string, bson.Symbol:
		return text
	case bson.D:
		return object
	case bson.A:
		return array
	case bool:
		return boolFalse
	}
	return kindOf(v)
}
