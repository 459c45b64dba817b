package token

import (
	"cmp"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Kind says what a token stands for. The numbers are the server's.
type Kind int

// The kinds of tokens.
const (
	// HighWaterMark is a time up to which a stream has seen everything. It belongs to no event.
	HighWaterMark Kind = 0
	// Event is the position right after an event.
	Event Kind = 128
)

// The versions of tokens.
const (
	// Plain is the version of ordinary streams.
	Plain = 1
	// Splitting is the version of streams that split large events.
	Splitting = 2
)

// Token is a position in the history of changes. Tokens can be compared with ==.
type Token struct {
	TS             bson.Timestamp
	Version        int
	Kind           Kind
	TxnIndex       int // place within a transaction, from 0
	FromInvalidate bool
	UUID           UUID
	ID             Identifier
	Fragment       int // 1 and up for the fragments of a split event, otherwise 0
}

// UUID is a collection's, or empty where an event belongs to none.
type UUID string

// Identifier is which event a token stands for, encoded; see [DocumentKey] and [Operation].
type Identifier struct {
	key  string
	bits typeBits
}

// HighWater is the position before everything that happened at a time.
func HighWater(ts bson.Timestamp) Token {
	return Token{TS: ts, Version: Plain, Kind: HighWaterMark}
}

// DocumentKey identifies an event of version 1 by its document key. Events about a collection
// have none.
func DocumentKey(key bson.D) Identifier {
	if key == nil {
		return Identifier{}
	}
	return identify(key)
}

// Operation identifies an event of version 2 by its type and, if it has one, its document key
// (the field documentKey) or what else describes it (operationDescription).
func Operation(name, field string, about bson.D) Identifier {
	id := bson.D{{Key: "operationType", Value: name}}
	if about != nil {
		id = append(id, bson.E{Key: field, Value: about})
	}
	return identify(id)
}

func identify(d bson.D) Identifier {
	w := &writer{}
	w.value(d)
	return Identifier{key: string(w.buf), bits: w.bits.pack()}
}

// Hex returns the token's _data. Tokens sort by it.
func (t Token) Hex() string {
	return upperHex(t.write().buf)
}

// Document returns the token as it stands in events and answers.
func (t Token) Document() bson.D {
	doc := bson.D{{Key: "_data", Value: t.Hex()}}
	if bits := t.ID.bits.framed(); bits != nil {
		doc = append(doc, bson.E{Key: "_typeBits", Value: bson.Binary{Data: bits}})
	}
	return doc
}

// String shows the token as the server's messages do.
func (t Token) String() string { return value.ShowResult(t.Document()) }

// Before reports whether a position is before another.
func (t Token) Before(other Token) bool { return t.Hex() < other.Hex() }

// ComparePlace orders the events that two tokens stand for, whatever the versions of the streams
// that made them. All fragments of an event are the same.
func (t Token) ComparePlace(other Token) int {
	return cmp.Or(t.TS.Compare(other.TS), cmp.Compare(t.Kind, other.Kind),
		cmp.Compare(t.TxnIndex, other.TxnIndex), compareFlags(t.FromInvalidate, other.FromInvalidate),
		cmp.Compare(t.UUID, other.UUID))
}

// compareFlags orders false before true.
func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (t Token) write() *writer {
	w := &writer{buf: make([]byte, 0, usualBytes)}
	w.scalar(t.TS)
	w.integer(int64(t.Version)) // without type bits: all zero, see headBits
	w.integer(int64(t.Kind))
	w.integer(int64(t.TxnIndex))
	w.scalar(t.FromInvalidate)
	switch {
	case t.UUID != "":
		w.scalar(bson.Binary{Subtype: bson.TypeBinaryUUID, Data: []byte(t.UUID)})
	case t.Version >= Splitting:
		w.scalar(nil)
	}
	w.buf = append(w.buf, t.ID.key...)
	if t.Fragment > 0 {
		w.integer(int64(t.Fragment - 1))
	}
	w.buf = append(w.buf, end)
	return w
}

// usualBytes is the size of most tokens.
const usualBytes = 96

func upperHex(raw []byte) string {
	const digits = "0123456789ABCDEF"
	text := make([]byte, 0, 2*len(raw))
	for _, b := range raw {
		text = append(text, digits[b>>4], digits[b&0xF])
	}
	return string(text)
}
