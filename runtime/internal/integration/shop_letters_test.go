package integration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The shape of the dead letter of an insert, and what one of an update within a transaction has
// besides.
const insertLetterShape = `
_id string
attempts int32
clusterTime timestamp
createdAt date
documentKey document
documentKey._id objectId
error document
error.kind string
error.message string
error.stackTrace string
error.type string
expiresAt date
firstAttemptAt date
fullDocument document
fullDocument._id objectId
fullDocument.status string
fullDocument.total decimal128
history array
history.at date
history.kind string
history.message string
instanceId string
lastAttemptAt date
metadata document
ns document
ns.coll string
ns.db string
operationType string
resumeToken document
resumeToken._data string
status string
streamName string
term int64
wallTime date
`

const updateLetterShape = insertLetterShape + `
metadata.changed bool
txn document
txn.lsid document
txn.lsid.id binary
txn.lsid.uid binary
txn.txnNumber int64
updateDescription document
updateDescription.removedFields array
updateDescription.truncatedArrays array
updateDescription.updatedFields document
updateDescription.updatedFields.status string
`

// letterCase is one kind of failure and its dead letter.
type letterCase struct {
	status, operation     string
	attempts              int
	kind, message, goType string
	stack                 bool
	shape                 string
}

var letterCases = []letterCase{
	{"failing", "INSERT", 5, "handler", "the bank is closed", "*errors.errorString", false,
		insertLetterShape},
	{"invalid", "INSERT", 1, "handler", "invalid order", "*errors.errorString", false,
		insertLetterShape},
	{"panicking", "INSERT", 5, "panic", "panic: no such customer", "*failure.PanicError", true,
		insertLetterShape},
	{"undecodable", "INSERT", 1, "decode", "decode fullDocument", "", false,
		strings.Replace(insertLetterShape, "total decimal128", "total string", 1)},
	{"disputed", "UPDATE", 5, "handler", "somebody disputes it", "*errors.errorString", false,
		updateLetterShape},
}

// checkDeadLetters has events fail in every way and looks at every field of their dead letters.
func (s *shop) checkDeadLetters(total any, leader string, known bson.ObjectID) {
	s.Helper()
	for _, status := range []string{"failing", "invalid", "panicking"} {
		s.insert(1, status, total)
	}
	s.insert(1, "undecodable", "12.34")
	s.dispute(known)
	after := s.insert(1, "new", total)

	s.expect(s.next(1), leader, "insert", after...) // the stream went on
	cursor, err := s.db.Collection("_fw_dlq").Find(s.Context(), bson.M{})
	must(s, err)
	var rows []bson.Raw
	must(s, cursor.All(s.Context(), &rows))
	if len(rows) != len(letterCases) {
		s.Errorf("%d dead letters, want %d", len(rows), len(letterCases))
	}
	for _, c := range letterCases {
		i := slices.IndexFunc(rows, func(r bson.Raw) bool {
			return r.Lookup("fullDocument", "status").StringValue() == c.status
		})
		if i < 0 {
			s.Errorf("there is no dead letter of the %s order", c.status)
			continue
		}
		s.checkLetter(c, rows[i], leader)
	}
}

// awaitSettled waits until the position is stored behind everything there is, so that whoever
// takes over has nothing to repeat.
func (s *shop) awaitSettled() {
	s.Helper()
	before := checkpointOf(s, s.db, "orders").Position.ClusterTime
	s.insert(1, "new", bson.Decimal128{})
	s.next(1)
	eventually(s, patience, func() error {
		if now := checkpointOf(s, s.db, "orders").Position; !now.ClusterTime.After(before) {
			return fmt.Errorf("the position is still at %v", now)
		}
		return nil
	})
}

// dispute changes an order within a transaction.
func (s *shop) dispute(id bson.ObjectID) {
	s.Helper()
	session, err := s.db.Client().StartSession()
	must(s, err)
	defer session.EndSession(s.Context())
	_, err = session.WithTransaction(s.Context(), func(ctx context.Context) (any, error) {
		return s.db.Collection("orders").UpdateByID(ctx, id,
			bson.M{"$set": bson.M{"status": "disputed"}})
	})
	must(s, err)
}

func (s *shop) checkLetter(want letterCase, row bson.Raw, leader string) {
	s.Helper()
	if got, want := shapeOf(row), lines(want.shape); !slices.Equal(got, want) {
		s.Errorf("dead letter of shape\n%s\nwant\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	field := func(path ...string) bson.RawValue { return row.Lookup(path...) }
	text := func(path ...string) string { return field(path...).StringValue() }
	t, i := field("clusterTime").Timestamp()
	sum := sha256.Sum256([]byte(text("resumeToken", "_data")))
	id := fmt.Sprintf("orders/%d.%d-%s", t, i, hex.EncodeToString(sum[:8]))
	for _, equal := range []struct{ name, got, want string }{
		{"_id", text("_id"), id},
		{"streamName", text("streamName"), "orders"},
		{"operationType", text("operationType"), want.operation},
		{"ns.db", text("ns", "db"), s.db.Name()},
		{"ns.coll", text("ns", "coll"), "orders"},
		{"status", text("status"), "PENDING"},
		{"error.kind", text("error", "kind"), want.kind},
		{"attempts", fmt.Sprint(field("attempts").Int32()), fmt.Sprint(want.attempts)},
		{"term", fmt.Sprint(field("term").Int64()), "1"},
		{"documentKey", field("documentKey", "_id").String(), field("fullDocument", "_id").String()},
		{"history", fmt.Sprint(len(values(field("history")))), fmt.Sprint(want.attempts)},
		{"history.0.message", text("history", "0", "message"), text("error", "message")},
		{"history.0.kind", text("history", "0", "kind"), want.kind},
	} {
		if equal.got != equal.want {
			s.Errorf("%s order: %s is %q, want %q", want.status, equal.name, equal.got, equal.want)
		}
	}
	for _, contains := range []struct{ name, got, want string }{
		{"error.message", text("error", "message"), want.message},
		{"error.type", text("error", "type"), want.goType},
		{"instanceId", text("instanceId"), leader + "/"},
	} {
		if !strings.HasPrefix(contains.got, contains.want) || contains.got == "" {
			s.Errorf("%s order: %s is %q, want it to begin with %q", want.status, contains.name,
				contains.got, contains.want)
		}
	}
	if stack := text("error", "stackTrace"); strings.Contains(stack, "bill") != want.stack {
		s.Errorf("%s order: stack trace %q, want one of the panic: %t", want.status, stack, want.stack)
	}
	s.checkTimes(want, row)
}

// checkTimes looks at the order of the times of a dead letter.
func (s *shop) checkTimes(want letterCase, row bson.Raw) {
	s.Helper()
	at := func(path ...string) time.Time { return row.Lookup(path...).Time() }
	const slack = time.Second // between the clocks of one machine, and of rounding
	times := []time.Time{at("wallTime"), at("firstAttemptAt"), at("lastAttemptAt"), at("createdAt")}
	if !slices.IsSortedFunc(times, func(a, b time.Time) int {
		return a.Round(slack).Compare(b.Round(slack))
	}) {
		s.Errorf("%s order: wallTime, firstAttemptAt, lastAttemptAt, createdAt are %v",
			want.status, times)
	}
	if apart := times[2].Sub(times[1]); want.attempts == 1 && apart != 0 ||
		want.attempts == 5 && apart < 2*time.Second { // 200 ms × (1 + 2 + 4 + 8), less 20 %
		s.Errorf("%s order: %d attempts within %s", want.status, want.attempts, apart)
	}
	if kept := at("expiresAt").Sub(at("createdAt")); kept != 30*24*time.Hour {
		s.Errorf("%s order: kept for %s, want 30 days", want.status, kept)
	}
}

func values(array bson.RawValue) []bson.RawValue {
	list, _ := array.Array().Values()
	return list
}

// shapeOf lists the paths of a document with their types, sorted. The elements of an array count
// as one.
func shapeOf(doc bson.Raw) []string {
	var shape []string
	var walk func(prefix string, doc bson.Raw, array bool)
	walk = func(prefix string, doc bson.Raw, array bool) {
		elements, _ := doc.Elements()
		for _, e := range elements {
			path := prefix + e.Key()
			if array {
				path = strings.TrimSuffix(prefix, ".")
			} else {
				shape = append(shape, path+" "+typeName(e.Value().Type))
			}
			switch e.Value().Type {
			case bson.TypeEmbeddedDocument:
				walk(path+".", e.Value().Document(), false)
			case bson.TypeArray:
				walk(path+".", bson.Raw(e.Value().Array()), true)
			}
		}
	}
	walk("", doc, false)
	slices.Sort(shape)
	return slices.Compact(shape)
}

func typeName(t bson.Type) string {
	names := map[bson.Type]string{
		bson.TypeString: "string", bson.TypeInt32: "int32", bson.TypeInt64: "int64",
		bson.TypeTimestamp: "timestamp", bson.TypeDateTime: "date", bson.TypeArray: "array",
		bson.TypeEmbeddedDocument: "document", bson.TypeObjectID: "objectId",
		bson.TypeDecimal128: "decimal128", bson.TypeBoolean: "bool", bson.TypeBinary: "binary",
		bson.TypeNull: "null",
	}
	return names[t]
}

// lines returns the lines of a text that are not empty, sorted.
func lines(text string) []string {
	all := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
	slices.Sort(all)
	return all
}
