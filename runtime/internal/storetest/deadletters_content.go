package storetest

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/runtime/store"
)

var contentTests = []letterTest{
	{"ARowHasTheDocumentedFields", func(d *letters) {
		began := time.Now()
		letter := failed(3)
		d.write(d.lead(1), letter)
		row := d.row()
		d.mustHave(row, bson.D{
			{Key: "_id", Value: letterID},
			{Key: "streamName", Value: stream},
			{Key: "operationType", Value: "UPDATE"},
			{Key: "documentKey", Value: letter.DocumentKey},
			{Key: "fullDocument", Value: letter.FullDocument},
			{Key: "fullDocumentBeforeChange", Value: letter.FullDocumentBeforeChange},
			{Key: "updateDescription", Value: letter.UpdateDescription},
			{Key: "ns", Value: letter.Namespace},
			{Key: "clusterTime", Value: letter.ClusterTime},
			{Key: "wallTime", Value: letter.WallTime},
			{Key: "txn", Value: letter.Txn},
			{Key: "resumeToken", Value: letter.ResumeToken},
			{Key: "error", Value: bson.D{
				{Key: "type", Value: "*errors.errorString"}, {Key: "kind", Value: "handler"},
				{Key: "message", Value: "$no"}, {Key: "stackTrace", Value: "main.go:1"},
			}},
			{Key: "attempts", Value: int32(3)},
			{Key: "history", Value: bson.A{bson.D{
				{Key: "at", Value: letter.LastAttemptAt}, {Key: "kind", Value: "handler"},
				{Key: "message", Value: "$no"},
			}}},
			{Key: "status", Value: "PENDING"},
			{Key: "firstAttemptAt", Value: letter.FirstAttemptAt},
			{Key: "lastAttemptAt", Value: letter.LastAttemptAt},
			{Key: "term", Value: int64(1)},
			{Key: "instanceId", Value: "a/1"},
			{Key: "metadata", Value: letter.Metadata},
		})
		if n := len(elements(row)); n != 23 {
			d.Errorf("%d fields, want 23: %v", n, row)
		}
		created := row.Lookup("createdAt").Time()
		if created.Before(began.Add(-time.Minute)) || created.After(time.Now().Add(time.Minute)) {
			d.Errorf("createdAt = %v, want about %v", created, began)
		}
	}},

	{"ADeadLetterNeedsNothingButItsName", func(d *letters) {
		letter := store.DeadLetter{
			Collection: letterCollection, ID: letterID, Stream: stream, Operation: "DROP",
		}
		d.write(d.lead(1), letter)
		row := d.row()
		d.mustHave(row, bson.D{
			{Key: "documentKey", Value: nil}, {Key: "fullDocument", Value: nil},
			{Key: "clusterTime", Value: nil}, {Key: "wallTime", Value: nil},
			{Key: "metadata", Value: bson.D{}}, {Key: "status", Value: "PENDING"},
		})
		for _, key := range []string{
			"fullDocumentBeforeChange", "updateDescription", "txn", "truncated",
		} {
			if value, err := row.LookupErr(key); err == nil {
				d.Errorf("%s = %v, want none", key, value)
			}
		}
	}},

	{"DocumentsCanBeLeftOut", func(d *letters) {
		fence := d.lead(1)
		d.write(fence, failed(1))
		letter := failed(2)
		letter.OmitDocument = true
		d.write(fence, letter)
		row := d.row()
		d.mustHave(row, bson.D{
			{Key: "fullDocument", Value: nil},
			{Key: "documentKey", Value: letter.DocumentKey},
		})
		if value, err := row.LookupErr("fullDocumentBeforeChange"); err == nil {
			d.Errorf("fullDocumentBeforeChange = %v, want none", value)
		}
	}},

	{"TheBytesOfAnEventAreKept", func(d *letters) {
		letter := failed(1)
		odd := oddDocument()
		letter.FullDocument, letter.FullDocumentBeforeChange = embed(odd), embed(odd)
		letter.DocumentKey, letter.UpdateDescription, letter.Metadata = odd, odd, odd
		d.write(d.lead(1), letter)
		row := d.row()
		for _, key := range []string{
			"fullDocument", "fullDocumentBeforeChange", "documentKey", "updateDescription",
			"metadata",
		} {
			if got := row.Lookup(key).Value; !bytes.Equal(got, odd) {
				d.Errorf("%s has other bytes:\n got %x\nwant %x", key, got, odd)
			}
		}
	}},

	{"TextIsBoundedAndValid", func(d *letters) {
		letter := failed(1)
		letter.Error.Message = strings.Repeat("é\xff", 1<<20)
		letter.Error.StackTrace = "x" + strings.Repeat("é", 1<<20)
		letter.Error.Type = "\xff"
		d.write(d.lead(1), letter)
		row := d.row()
		for _, path := range [][]string{
			{"error", "message"}, {"error", "stackTrace"}, {"error", "type"},
			{"history", "0", "message"},
		} {
			text := row.Lookup(path...).StringValue()
			if !utf8.ValidString(text) || len(text) > 64<<10 || text == "" {
				d.Errorf("%v: %d bytes, valid: %v", path, len(text), utf8.ValidString(text))
			}
		}
	}},

	{"WhatDoesNotFitIsCutWithAMark", func(d *letters) {
		const limit = 16 << 20
		fence := d.lead(1)
		letter := failed(1)
		for _, test := range []struct {
			name         string
			full, before int
			truncated    []string
		}{
			{"both fit", 8<<20 - 500<<10, 8<<20 - 500<<10, nil},
			{"the document alone fits", 9 << 20, 9 << 20, []string{"fullDocumentBeforeChange"}},
			{"the document does not fit", limit, 1 << 20, []string{"fullDocument"}},
			{"none fits", limit, limit, []string{"fullDocument", "fullDocumentBeforeChange"}},
		} {
			letter.FullDocument = embed(sized(test.full))
			letter.FullDocumentBeforeChange = embed(sized(test.before))
			letter.Error.Message = strings.Repeat("m", 1<<20)
			letter.Error.StackTrace = strings.Repeat("s", 1<<20)
			letter.Attempts++
			letter.LastAttemptAt = letter.LastAttemptAt.Add(time.Second)
			d.write(fence, letter)
			d.mustBeCut(test.name, letter, test.truncated)
		}
		if n := len(d.history(d.row())); n != 4 {
			d.Errorf("%d attempts in the history, want 4", n)
		}
	}},

	{"WhatIsNestedTooDeeplyIsCutWithAMark", func(d *letters) {
		fence := d.lead(1)
		letter := failed(1)
		for _, test := range []struct {
			depth     int
			truncated []string
		}{
			{100, nil}, {150, nil}, {178, []string{"fullDocument"}}, {180, []string{"fullDocument"}},
		} {
			letter.FullDocument = embed(deep(test.depth))
			d.write(fence, letter)
			d.mustBeCut("nested", letter, test.truncated)
		}
	}},
}

// mustBeCut checks that the named fields are null and marked, and the others are whole.
func (d *letters) mustBeCut(name string, letter store.DeadLetter, truncated []string) {
	d.Helper()
	row := d.row()
	var marked []string
	if array, ok := row.Lookup("truncated").ArrayOK(); ok {
		values, err := array.Values()
		require(d.T, err)
		for _, value := range values {
			marked = append(marked, value.StringValue())
		}
	}
	if !slices.Equal(marked, truncated) {
		d.Errorf("%s: truncated = %v, want %v", name, marked, truncated)
	}
	for key, want := range map[string]bson.RawValue{
		"documentKey":              embed(letter.DocumentKey),
		"fullDocument":             letter.FullDocument,
		"fullDocumentBeforeChange": letter.FullDocumentBeforeChange,
		"resumeToken":              embed(letter.ResumeToken),
	} {
		if slices.Contains(truncated, key) {
			want = bson.RawValue{Type: bson.TypeNull}
		}
		if got := row.Lookup(key); got.Type != want.Type || !bytes.Equal(got.Value, want.Value) {
			d.Errorf("%s: %s has type %v and %d bytes, want %v and %d",
				name, key, got.Type, len(got.Value), want.Type, len(want.Value))
		}
	}
}

// oddDocument has what codecs are known to change.
func oddDocument() bson.Raw {
	payload := math.Float64frombits(0x7ff8_0000_dead_beef)
	at, dst := bsoncore.AppendDocumentStart(nil)
	dst = bsoncore.AppendDoubleElement(dst, "nan", payload)
	dst = bsoncore.AppendDoubleElement(dst, "negativeZero", math.Copysign(0, -1))
	dst = bsoncore.AppendStringElement(dst, "invalid\xffkey", "invalid\xff\x00value")
	dst = bsoncore.AppendUndefinedElement(dst, "undefined")
	dst = bsoncore.AppendSymbolElement(dst, "symbol", "$sym")
	dst = bsoncore.AppendDBPointerElement(dst, "pointer", "db.c", bson.ObjectID{1, 2})
	dst = bsoncore.AppendJavaScriptElement(dst, "code", "$code")
	dst = bsoncore.AppendRegexElement(dst, "regex", "^$", "i")
	dst = bsoncore.AppendMinKeyElement(dst, "min")
	dst = bsoncore.AppendMaxKeyElement(dst, "max")
	dst = bsoncore.AppendBinaryElement(dst, "old", 0x02, []byte{1, 2, 3})
	dst = bsoncore.AppendTimestampElement(dst, "zero", 0, 0)
	dst = bsoncore.AppendDecimal128Element(dst, "decimal", 0x7c00_0000_0000_0000, 5)
	dst = bsoncore.AppendInt32Element(dst, "", 1)
	dst = bsoncore.AppendStringElement(dst, "$expr", "$$NOW")
	dst = bsoncore.AppendStringElement(dst, "a.b", "$a.b")
	dst = bsoncore.AppendNullElement(dst, "_id")
	dst, _ = bsoncore.AppendDocumentEnd(dst, at)
	return dst
}

// sized returns a document of exactly size bytes.
func sized(size int) bson.Raw {
	empty := len(encode(bson.D{{Key: "s", Value: ""}}))
	return encode(bson.D{{Key: "s", Value: strings.Repeat("x", size-empty)}})
}

// deep returns a document of depth levels.
func deep(depth int) bson.Raw {
	raw := encode(bson.D{})
	for range depth - 1 {
		raw = encode(bson.D{{Key: "d", Value: raw}})
	}
	return raw
}
