package readertest

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/runtime/internal/change"
)

// Kinds of tokens, as they sort within one cluster time.
const (
	tokenPBRT       = "29"
	tokenEvent      = "46"
	tokenInvalidate = "6F"
)

// token makes the token of a cluster time in the server's form.
func token(at bson.Timestamp, kind string) bson.Raw {
	return marshal(bson.D{{Key: "_data", Value: fmt.Sprintf("82%08X%08X%s", at.T, at.I, kind)}})
}

// Token returns the token of the nth event of a made-up stream.
func Token(n int) change.Token { return parsed(token(bson.Timestamp{T: 1, I: uint32(n)}, tokenEvent)) }

// PBRT returns a post-batch resume token between the nth event of a made-up stream and the next.
func PBRT(n int) change.Token {
	return parsed(token(bson.Timestamp{T: 1, I: uint32(n)}, tokenInvalidate))
}

func parsed(raw bson.Raw) change.Token {
	t, err := change.ParseToken(raw)
	if err != nil {
		panic(err)
	}
	return t
}

// Event makes the nth event of a made-up stream. Fields may replace those that every event has.
func Event(n int, op string, fields ...bson.E) change.Event {
	e, err := change.Parse(raw(bson.Timestamp{T: 1, I: uint32(n)}, tokenEvent, op, fields))
	if err != nil {
		panic(err)
	}
	return e
}

// Insert makes the nth event of a made-up stream, an insert of the document {_id: n}.
func Insert(n int) change.Event { return Event(n, "insert", insertFields(n)...) }

func insertFields(id int) []bson.E {
	key := bson.D{{Key: "_id", Value: id}}
	return []bson.E{{Key: "documentKey", Value: key}, {Key: "fullDocument", Value: key}}
}

// raw makes a change event.
func raw(at bson.Timestamp, kind, op string, fields []bson.E) bson.Raw {
	d := bson.D{
		{Key: "_id", Value: token(at, kind)},
		{Key: "operationType", Value: op},
		{Key: "clusterTime", Value: at},
		{Key: "wallTime", Value: time.Unix(int64(at.T), 0)},
		{Key: "ns", Value: bson.D{{Key: "db", Value: "shop"}, {Key: "coll", Value: "orders"}}},
	}
	for _, f := range fields {
		replaced := false
		for i := range d {
			if d[i].Key == f.Key {
				d[i], replaced = f, true
			}
		}
		if !replaced {
			d = append(d, f)
		}
	}
	return marshal(d)
}

// marshal encodes a document. A bson.Raw is taken as it is, however broken it may be.
func marshal(d bson.D) bson.Raw {
	start, out := bsoncore.AppendDocumentStart(nil)
	for _, e := range d {
		value := bson.RawValue{Type: bson.TypeEmbeddedDocument}
		if raw, ok := e.Value.(bson.Raw); ok {
			value.Value = raw
		} else {
			whole, err := bson.Marshal(bson.D{{Key: "v", Value: e.Value}})
			if err != nil {
				panic(err)
			}
			value = bson.Raw(whole).Lookup("v")
		}
		out = bsoncore.AppendHeader(out, bsoncore.Type(value.Type), e.Key)
		out = append(out, value.Value...)
	}
	out, err := bsoncore.AppendDocumentEnd(out, start)
	if err != nil {
		panic(err)
	}
	return out
}
