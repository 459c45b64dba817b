package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestTurnsAreReadFromTheirLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]turn{
		"> {ping: 1}":                 {verb: "run", arg: "{ping: 1}"},
		"A> {a: {$gt: '>'}}":          {verb: "run", who: "A", arg: "{a: {$gt: '>'}}"},
		"A admin> {ping: 1}":          {verb: "run", who: "A", db: "admin", arg: "{ping: 1}"},
		"A exact> {ping: 1}":          {verb: "run", who: "A", exact: true, arg: "{ping: 1}"},
		"other w&> {ping: 1}":         {verb: "start", who: "w", db: "other", arg: "{ping: 1}"},
		"s open> {aggregate: 1}":      {verb: "open", who: "s", arg: "{aggregate: 1}"},
		"events s 2":                  {verb: "events", who: "s", arg: "2"},
		"more s exact {batchSize: 1}": {verb: "more", who: "s", exact: true, arg: "{batchSize: 1}"},
		"let p = s.token":             {verb: "let", who: "p", arg: "s.token"},
		"A begin> {a: 1}": {verb: "run", who: "A", arg: "{a: 1}",
			extra: doc(`{txnNumber: long(1), startTransaction: true, autocommit: false}`)},
		"A in12> {a: 1}": {verb: "run", who: "A", arg: "{a: 1}",
			extra: doc(`{txnNumber: long(12), autocommit: false}`)},
		"once2 A> {a: 1}": {verb: "run", who: "A", arg: "{a: 1}",
			extra: doc(`{txnNumber: long(2)}`)},
		"waits A":                       {verb: "waits", who: "A"},
		"await A":                       {verb: "await", who: "A"},
		"admin s open> {aggregate: 1} ": {verb: "open", who: "s", db: "admin", arg: "{aggregate: 1}"},
	} {
		want.source = line
		got, err := parseTurn(line)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(turn{})); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
}

func TestLinesThatAreNoDirectivesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"> {ping: 1}",                // before the first check
		"== a/b\n  {ok: 1.0}",        // answers nothing
		"== a/b\nnonsense",           // no directive
		"== a/b\nneeds wings",        // no feature
		"== a/b\nA B> {ping: 1}",     // two names
		"== a/b\nevents",             // of whom
		"== a/b\nlet p is s.token",   // no value
		"== a/b\nlet p = s.token ok", // too much
	} {
		if got, err := parseRecordings(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestAnswersNameWhatDiffersFromRunToRun(t *testing.T) {
	t.Parallel()
	n := &notation{db: "conformance_abc", passed: 7}
	const event = "826B0D9AF8000000032B022C0100296E5A100455F8E03C566D49688553436EB054E57C4664"
	const mark = "826B0D9AC7000000012B0229296E04"
	now := bson.Timestamp{T: 1796053703, I: 2}
	for _, test := range []struct {
		answer bson.D
		want   string
	}{
		{doc(`{ok: 1.0, n: 1, a: long(1), b: 1.0, c: 'x', d: null, e: true}`),
			`{a: long(1), b: 1.0, c: 'x', d: null, e: true, n: 1, ok: 1.0}`},
		{bson.D{{Key: "ok", Value: 1.0}, {Key: "_id", Value: bson.D{{Key: "_data", Value: event}}}},
			`{_id: {_data: <T1>}, ok: 1.0}`},
		{bson.D{{Key: "ok", Value: 1.0}, {Key: "_id", Value: bson.D{{Key: "_data", Value: mark}}}},
			`{_id: {_data: <H>}, ok: 1.0}`},
		{bson.D{{Key: "ok", Value: 1.0}, {Key: "t", Value: now}}, `{t: <C1>, ok: 1.0}`},
		{doc(`{ok: 1.0, count: 9, t: ts(1, 2), d: date(5), id: long(6600000000000000000)}`),
			`{count: 2, d: date(5), id: <cursor>, t: ts(1, 2), ok: 1.0}`},
		{doc(`{ok: 0.0, errmsg: 'in conformance_abc.c', code: 5, codeName: 'X', errorLabels: ['L']}`),
			`! 5 X [L]: in <db>.c`},
		{doc(`{ok: 0.0, errmsg: 'x', code: 5, codeName: 'X', keyValue: {a: 1}}`),
			`! 5 X {keyValue: {a: 1}}: x`},
		{doc(`{ok: 0.0, errmsg: 'x'}`), `! no code: x`},
		{bson.D{{Key: "ok", Value: 1.0}, {Key: "a", Value: strings.Repeat("x", 200)}},
			`{a: <x*200>, ok: 1.0}`},
	} {
		if got := n.answer(test.answer); got != test.want {
			t.Errorf("%s is written\n%s, want\n%s", show(test.answer), got, test.want)
		}
	}
}

func TestMessagesCountOnlyWhereTheyAreExact(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		got, want    string
		loose, exact bool
	}{
		{`{n: 1, ok: 1.0}`, `{n: 1, ok: 1.0}`, true, true},
		{`{n: 1, ok: 1.0}`, `{n: 2, ok: 1.0}`, false, false},
		{`! 5 X [L]: this`, `! 5 X [L]: that`, true, false},
		{`! 5 X [L]: this`, `! 5 X: this`, false, false},
		{`! 5 X {a: 1}: a: b`, `! 5 X {a: 1}: c: d`, true, false},
		{`! 5 X {a: 1}: a`, `! 5 X {a: 2}: a`, false, false},
		{`{e: [{code: 1, errmsg: 'a'}]}`, `{e: [{code: 1, errmsg: "b'"}]}`, true, false},
		{`{e: [{code: 1, errmsg: 'a'}]}`, `{e: [{code: 2, errmsg: 'a'}]}`, false, false},
	} {
		for exact, want := range map[bool]bool{false: test.loose, true: test.exact} {
			turn := turn{exact: exact, want: []string{test.want}}
			if got := turn.answersAsWanted([]string{test.got}); got != want {
				t.Errorf("exact %v: %s for %s: %v", exact, test.got, test.want, got)
			}
		}
	}
}

func TestRecordingReplacesAnswersAndNothingElse(t *testing.T) {
	t.Parallel()
	text := "# why\n\n== a/b\n> {ping: 1}\n  old\nlet p = s.token\nevents s 2\n\n" +
		"== a/c\n> {x: 1}\n  kept\n"
	heard := map[string][][]string{"a/b": {{"new"}, nil, {"one", "two"}}}
	want := "# why\n\n== a/b\n> {ping: 1}\n  new\nlet p = s.token\nevents s 2\n  one\n  two\n\n" +
		"== a/c\n> {x: 1}\n  kept\n"
	if diff := cmp.Diff(want, rewrite(text, heard)); diff != "" {
		t.Error(diff)
	}
}

func TestTokensThatGoBackAreNoticed(t *testing.T) {
	t.Parallel()
	batch := func(tokens ...string) bson.D {
		events := bson.A{}
		for _, token := range tokens {
			id := bson.D{{Key: "_data", Value: token}}
			events = append(events, bson.D{{Key: "_id", Value: id}})
		}
		return bson.D{{Key: "cursor", Value: bson.D{{Key: "nextBatch", Value: events}}}}
	}
	s := &followed{}
	s.take(batch("8201", "8202"), "nextBatch")
	s.take(batch("8203"), "nextBatch")
	if s.disorder != "" {
		t.Errorf("in order, but: %s", s.disorder)
	}
	if s.take(batch("8202"), "nextBatch"); s.disorder == "" {
		t.Error("8202 after 8203 is not noticed")
	}
}
