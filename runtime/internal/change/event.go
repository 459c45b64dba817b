package change

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Event is one change event. Its slices point into Raw, which belongs to the event.
type Event struct {
	Raw         bson.Raw
	Token       Token
	Operation   string
	Database    string
	Collection  string
	Namespace   bson.Raw
	Key         bson.Raw      // documentKey
	Doc         bson.RawValue // fullDocument; zero: absent
	Before      bson.RawValue // fullDocumentBeforeChange
	Update      bson.Raw      // updateDescription
	ClusterTime bson.Timestamp
	WallTime    time.Time
	Session     bson.Raw // lsid
	TxnNumber   int64
}

// Token is a resume token. Tokens of one deployment sort as their hex strings do, also within a
// transaction.
type Token struct {
	Raw  bson.Raw // the document {_data: "…"}
	Data []byte   // the hex string
}

// ParseToken reads a resume token document.
func ParseToken(raw bson.Raw) (Token, error) {
	value, err := bsoncore.Document(raw).LookupErr("_data")
	if err != nil {
		return Token{}, fmt.Errorf("read resume token: %w", err)
	}
	data, ok := stringBytes(value)
	if !ok {
		return Token{}, errors.New("read resume token: _data is not a string")
	}
	return Token{Raw: raw, Data: data}, nil
}

// Clone returns a token with bytes of its own.
func (t Token) Clone() Token {
	clone, err := ParseToken(bytes.Clone(t.Raw))
	if err != nil {
		return Token{}
	}
	return clone
}

// Compare orders tokens as the stream delivers them.
func (t Token) Compare(other Token) int { return bytes.Compare(t.Data, other.Data) }

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return len(t.Data) == 0 }

// Time returns the cluster time that a token carries, which the server writes into its first nine
// bytes; zero if the token is of a form that is not known.
func (t Token) Time() bson.Timestamp {
	const timestampType = "82" // KeyString type byte of a timestamp
	if len(t.Data) < 18 || string(t.Data[:2]) != timestampType {
		return bson.Timestamp{}
	}
	seconds, err1 := strconv.ParseUint(string(t.Data[2:10]), 16, 32)
	increment, err2 := strconv.ParseUint(string(t.Data[10:18]), 16, 32)
	if err1 != nil || err2 != nil {
		return bson.Timestamp{}
	}
	return bson.Timestamp{T: uint32(seconds), I: uint32(increment)}
}

// ID returns the identity of the event, the same for every delivery of it: its cluster time, and
// 16 hex digits of the SHA-256 of its token.
func (e *Event) ID() string { return EventID(e.Token, e.ClusterTime) }

// EventID returns the identity of the event with this token and cluster time.
func EventID(token Token, at bson.Timestamp) string {
	sum := sha256.Sum256(token.Data)
	id := make([]byte, 0, 48)
	id = strconv.AppendUint(id, uint64(at.T), 10)
	id = append(id, '.')
	id = strconv.AppendUint(id, uint64(at.I), 10)
	id = append(id, '-')
	id = hex.AppendEncode(id, sum[:8])
	return string(id)
}

// HasDoc reports whether the event carries a document. The server sends null where the document
// of an update was deleted before it was looked up.
func (e *Event) HasDoc() bool { return e.Doc.Type == bson.TypeEmbeddedDocument }

// Lifecycle reports whether the event is about a collection or database, not a document.
func (e *Event) Lifecycle() bool {
	switch e.Operation {
	case "insert", "update", "replace", "delete":
		return false
	}
	return true
}

// Parse copies what the cursor lends and reads the envelope of a change event, in one pass. It
// returns an error for bytes that are no change event; it never panics.
func Parse(lent bson.Raw) (Event, error) {
	e := Event{Raw: bytes.Clone(lent)}
	_, rest, ok := bsoncore.ReadLength(e.Raw)
	if !ok || len(rest) == 0 {
		return Event{}, errors.New("read change event: not a document")
	}
	for len(rest) > 0 && rest[0] != 0 {
		element, next, ok := bsoncore.ReadElement(rest)
		if !ok {
			return Event{}, errors.New("read change event: broken document")
		}
		if err := e.take(element); err != nil {
			return Event{}, err
		}
		rest = next
	}
	if e.Token.IsZero() || e.Operation == "" {
		return Event{}, errors.New("read change event: no _id or no operationType; " +
			"a pipeline must keep both")
	}
	return e, nil
}

// take reads one element. Elements that are not known are left in Raw.
func (e *Event) take(element bsoncore.Element) error {
	key, err := element.KeyBytesErr()
	if err != nil {
		return fmt.Errorf("read change event: %w", err)
	}
	value, err := element.ValueErr()
	if err != nil {
		return fmt.Errorf("read change event field %s: %w", key, err)
	}
	switch string(key) {
	case "_id":
		document, _ := value.DocumentOK()
		if e.Token, err = ParseToken(bson.Raw(document)); err != nil {
			return err
		}
	case "operationType":
		e.Operation = operation(value)
	case "ns":
		e.takeNamespace(value)
	case "documentKey":
		e.Key = document(value)
	case "fullDocument":
		e.Doc = bson.RawValue{Type: bson.Type(value.Type), Value: value.Data}
	case "fullDocumentBeforeChange":
		e.Before = bson.RawValue{Type: bson.Type(value.Type), Value: value.Data}
	case "updateDescription":
		e.Update = document(value)
	case "clusterTime":
		e.ClusterTime.T, e.ClusterTime.I, _ = value.TimestampOK()
	case "wallTime":
		if ms, ok := value.DateTimeOK(); ok {
			e.WallTime = time.UnixMilli(ms)
		}
	case "lsid":
		e.Session = document(value)
	case "txnNumber":
		e.TxnNumber, _ = value.AsInt64OK()
	}
	return nil
}

func (e *Event) takeNamespace(value bsoncore.Value) {
	e.Namespace = document(value)
	ns := bsoncore.Document(e.Namespace)
	e.Database, _ = ns.Lookup("db").StringValueOK()
	e.Collection, _ = ns.Lookup("coll").StringValueOK()
}

func document(value bsoncore.Value) bson.Raw {
	d, ok := value.DocumentOK()
	if !ok {
		return nil
	}
	return bson.Raw(d)
}

// operation avoids an allocation for the operations that every event has.
func operation(value bsoncore.Value) string {
	data, _ := stringBytes(value)
	for _, known := range [...]string{"insert", "update", "replace", "delete"} {
		if string(data) == known {
			return known
		}
	}
	return string(data)
}

// stringBytes returns the bytes of a BSON string without copying them.
func stringBytes(value bsoncore.Value) ([]byte, bool) {
	if value.Type != bsoncore.TypeString || len(value.Data) < 5 {
		return nil, false
	}
	length, rest, ok := bsoncore.ReadLength(value.Data)
	if !ok || length < 1 || int(length) > len(rest) {
		return nil, false
	}
	return rest[:length-1], true
}
