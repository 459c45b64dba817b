package change_test

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
)

// hostile is a document of 13 bytes with a binary of 2 GiB (B047).
var hostile = bson.Raw{13, 0, 0, 0, 5, 'x', 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0}

func seeds(f *testing.F) []bson.Raw {
	whole := readertest.Event(1, "update", bson.E{Key: "fullDocument", Value: hostile},
		bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: 1}}}).Raw
	seeds := []bson.Raw{
		nil, hostile, whole, readertest.Insert(1).Raw, readertest.Token(1).Raw,
		readertest.Event(1, "insert", bson.E{Key: "lsid", Value: hostile}).Raw,
		readertest.Event(1, "insert", bson.E{Key: "ns", Value: hostile}).Raw,
		readertest.Event(1, "insert", bson.E{Key: "documentKey", Value: hostile}).Raw,
	}
	for _, cut := range []int{5, 20, 40, 80} {
		seeds = append(seeds, whole[:cut])
	}
	return seeds
}

func TestB047HostileBytesNeverPanic(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"fullDocument", "documentKey", "ns", "updateDescription", "lsid"} {
		e := readertest.Event(1, "insert", bson.E{Key: field, Value: hostile})
		if e.Token.IsZero() {
			t.Errorf("%s: the event lost its token", field)
		}
	}
	if _, err := change.Parse(hostile); err == nil {
		t.Error("hostile bytes are an event")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		before, lent := bytes.Clone(input), bytes.Clone(input)
		e, err := change.Parse(lent)
		if !bytes.Equal(before, lent) {
			t.Fatal("Parse wrote into what the cursor lent")
		}
		if err != nil {
			return
		}
		if e.Operation == "" || e.Token.IsZero() || e.ID() == "" {
			t.Fatalf("an event without operation or token: %+v", e)
		}
		clear(lent)
		if !bytes.Equal(e.Raw, before) {
			t.Fatal("the event aliases what the cursor lent")
		}
		_ = e.Token.Time()
		if clone := e.Token.Clone(); clone.Compare(e.Token) != 0 {
			t.Fatalf("clone %v of %v", clone, e.Token)
		}
	})
}

func FuzzParseToken(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		token, err := change.ParseToken(raw)
		if err != nil {
			return
		}
		_ = token.Time()
		if clone := token.Clone(); clone.Compare(token) != 0 {
			t.Fatalf("clone %v of %v", clone, token)
		}
	})
}
