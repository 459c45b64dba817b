package letter

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/runtime/store"
)

// Status is where a dead letter stands.
type Status string

// The states, as they are stored.
const (
	Pending   Status = "PENDING"
	Replaying Status = "REPLAYING"
	Resolved  Status = "RESOLVED"
	Discarded Status = "DISCARDED"
)

// HistoryLength is how many attempts a dead letter remembers.
const HistoryLength = 10

// Row is what one dead letter says, without what depends on the stored row: _id, status,
// createdAt, expiresAt and history.
type Row struct {
	Content bson.Raw   // replaces what is stored, while that is pending
	Attempt bson.Raw   // {at, kind, message}, appended to the history
	Earlier []bson.Raw // the attempts before that: the rest of the history of a new row
	Absent  []string   // optional fields that Content does not have
}

// New lays a dead letter out, cut to what a document can hold.
func New(l store.DeadLetter) Row {
	return layOut(l, maxContent)
}

// Bare lays a dead letter out with nothing but its resume token, document key and namespace, for a
// store that has refused the whole one.
func Bare(l store.DeadLetter) Row {
	return layOut(l, bareContent)
}

func layOut(l store.DeadLetter, budget int) Row {
	fields, truncated := fit(fieldsOf(l), budget)
	row := Row{Attempt: attempt(last(l)), Earlier: earlier(l)}
	at, dst := bsoncore.AppendDocumentStart(nil)
	dst = bsoncore.AppendStringElement(dst, "streamName", text(l.Stream, maxName))
	dst = bsoncore.AppendStringElement(dst, "operationType", text(l.Operation, maxName))
	for _, f := range fields {
		if f.optional && !f.present() {
			row.Absent = append(row.Absent, f.key)
			continue
		}
		dst = f.append(dst)
	}
	dst = appendError(dst, l.Error)
	dst = bsoncore.AppendInt32Element(dst, "attempts", int32(l.Attempts))
	dst = appendTime(dst, "firstAttemptAt", l.FirstAttemptAt)
	dst = appendTime(dst, "lastAttemptAt", l.LastAttemptAt)
	dst = bsoncore.AppendInt64Element(dst, "term", l.Term)
	dst = bsoncore.AppendStringElement(dst, "instanceId", text(l.InstanceID, maxName))
	if len(truncated) > 0 {
		dst = appendStrings(dst, "truncated", truncated)
	} else {
		row.Absent = append(row.Absent, "truncated")
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, at)
	row.Content = dst
	return row
}

// last returns the attempt that made the event a dead letter.
func last(l store.DeadLetter) store.FailedAttempt {
	return store.FailedAttempt{
		At: l.LastAttemptAt, Kind: l.Error.Kind, Message: l.Error.Message,
	}
}

// earlier returns the attempts before the last one, as many as a history has room for.
func earlier(l store.DeadLetter) []bson.Raw {
	attempts := []bson.Raw{}
	for _, a := range l.History[:max(0, len(l.History)-1)] {
		attempts = append(attempts, attempt(a))
	}
	return attempts[max(0, len(attempts)-(HistoryLength-1)):]
}

func attempt(a store.FailedAttempt) bson.Raw {
	at, dst := bsoncore.AppendDocumentStart(nil)
	dst = appendTime(dst, "at", a.At)
	dst = bsoncore.AppendStringElement(dst, "kind", text(a.Kind, maxName))
	dst = bsoncore.AppendStringElement(dst, "message", text(a.Message, maxHistoryMessage))
	dst, _ = bsoncore.AppendDocumentEnd(dst, at)
	return dst
}

func appendError(dst []byte, e store.DeadLetterError) []byte {
	at, dst := bsoncore.AppendDocumentElementStart(dst, "error")
	dst = bsoncore.AppendStringElement(dst, "type", text(e.Type, maxName))
	dst = bsoncore.AppendStringElement(dst, "kind", text(e.Kind, maxName))
	dst = bsoncore.AppendStringElement(dst, "message", text(e.Message, maxMessage))
	dst = bsoncore.AppendStringElement(dst, "stackTrace", text(e.StackTrace, maxStack))
	dst, _ = bsoncore.AppendDocumentEnd(dst, at)
	return dst
}

func appendTime(dst []byte, key string, at time.Time) []byte {
	if at.IsZero() {
		return bsoncore.AppendNullElement(dst, key)
	}
	return bsoncore.AppendDateTimeElement(dst, key, at.UnixMilli())
}

func appendStrings(dst []byte, key string, values []string) []byte {
	array := bsoncore.NewArrayBuilder()
	for _, value := range values {
		array.AppendString(value)
	}
	return bsoncore.AppendArrayElement(dst, key, array.Build())
}
