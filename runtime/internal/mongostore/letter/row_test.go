package letter

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

func document(t *testing.T, size int) bson.RawValue {
	t.Helper()
	raw, err := bson.Marshal(bson.D{{Key: "s", Value: strings.Repeat("x", size)}})
	if err != nil {
		t.Fatal(err)
	}
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}
}

func truncated(row Row) []string {
	var names []string
	array, ok := row.Content.Lookup("truncated").ArrayOK()
	if !ok {
		return nil
	}
	values, _ := array.Values()
	for _, value := range values {
		names = append(names, value.StringValue())
	}
	return names
}

func TestWhatIsWorthMostForAReplayIsKept(t *testing.T) {
	const megabyte = 1 << 20
	for _, test := range []struct {
		name                           string
		key, full, before, description int
		want                           []string
	}{
		{"all fit", 1, 5 * megabyte, 5 * megabyte, 5 * megabyte, nil},
		{"the document before the change goes first",
			1, 10 * megabyte, 10 * megabyte, 1, []string{"fullDocumentBeforeChange"}},
		{"a field that fits is kept after one that does not",
			1, 16 * megabyte, 2 * megabyte, 1, []string{"fullDocument"}},
		{"the key is worth more than the document",
			10 * megabyte, 10 * megabyte, 1, 1, []string{"fullDocument"}},
	} {
		l := store.DeadLetter{
			DocumentKey:              document(t, test.key).Value,
			FullDocument:             document(t, test.full),
			FullDocumentBeforeChange: document(t, test.before),
			UpdateDescription:        document(t, test.description).Value,
		}
		if got := truncated(New(l)); !slices.Equal(got, test.want) {
			t.Errorf("%s: truncated = %v, want %v", test.name, got, test.want)
		}
	}
}

func TestARowAndAFullHistoryFitIntoADocument(t *testing.T) {
	l := store.DeadLetter{
		ID: strings.Repeat("i", maxName), Stream: strings.Repeat("s", 1<<20),
		Operation: "UPDATE", InstanceID: strings.Repeat("i", 1<<20),
		Error: store.DeadLetterError{
			Type: strings.Repeat("t", 1<<20), Kind: strings.Repeat("k", 1<<20),
			Message: strings.Repeat("m", 1<<20), StackTrace: strings.Repeat("s", 1<<20),
		},
	}
	l.FullDocument = document(t, maxContent-1000)
	row := New(l)
	if cut := truncated(row); cut != nil {
		t.Fatalf("truncated = %v: the test fills nothing", cut)
	}
	size := len(row.Content) + HistoryLength*(len(row.Attempt)+8) + len(l.ID) + 200
	if size > maxDocument {
		t.Errorf("%d bytes with a full history, %d too many", size, size-maxDocument)
	}
}

func TestABareRowIsSmall(t *testing.T) {
	l := store.DeadLetter{
		DocumentKey: document(t, 1).Value, FullDocument: document(t, 1<<20),
		ResumeToken: document(t, 1).Value,
	}
	row := Bare(l)
	if got := truncated(row); !slices.Equal(got, []string{"fullDocument"}) {
		t.Errorf("truncated = %v", got)
	}
	if row.Content.Lookup("documentKey").Type != bson.TypeEmbeddedDocument {
		t.Error("the key is gone")
	}
}

func TestMalformedPartsAreCut(t *testing.T) {
	l := store.DeadLetter{DocumentKey: bson.Raw{9, 0, 0, 0, 2, 'a', 0, 1, 0}}
	if got := truncated(New(l)); !slices.Equal(got, []string{"documentKey"}) {
		t.Errorf("truncated = %v", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("é\xff", 40)
	f.Add(strings.Repeat("€", 50), 64)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 2*len(cut) || limit > 1<<16 {
			t.Skip()
		}
		got := text(s, limit)
		if !utf8.ValidString(got) || len(got) > limit {
			t.Errorf("text(%q, %d) = %q", s, limit, got)
		}
		if len(s) <= limit && utf8.ValidString(s) && got != s {
			t.Errorf("text(%q, %d) = %q, want it unchanged", s, limit, got)
		}
	})
}
