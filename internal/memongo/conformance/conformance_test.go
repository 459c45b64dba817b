package conformance

import (
	"strings"
	"testing"
)

func TestNamesOfChecksAreUniqueAndHaveAnArea(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, check := range checks() {
		area, what, ok := strings.Cut(check.name, "/")
		if !ok || area == "" || what == "" || strings.Contains(what, "/") {
			t.Errorf("%q is not 'area/what'", check.name)
		}
		if seen[check.name] {
			t.Errorf("two checks are named %q", check.name)
		}
		seen[check.name] = true
	}
}

func TestThereAreHundredsOfChecks(t *testing.T) {
	t.Parallel()
	if n := len(checks()); n < 300 {
		t.Errorf("the suite has %d checks", n)
	}
}

func TestAWatchedCheckFailsByItselfAlone(t *testing.T) {
	t.Parallel()
	failure := observe(t, func(w T) {
		w.Errorf("one %d", 1)
		w.Fatalf("two")
		w.Errorf("never")
	})
	if failure != "one 1\ntwo" {
		t.Errorf("observed %q", failure)
	}
	if failure := observe(t, func(T) {}); failure != "" {
		t.Errorf("observed %q of a check that passes", failure)
	}
}

func TestCompareSeesWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer, want string
		equal        bool
	}{
		{`{n: 1, ok: 1.0}`, `{n: 1}`, true},
		{`{n: 1, ok: 1.0}`, `{n: 2}`, false},
		{`{n: 1, ok: 1.0}`, `{n: long(1)}`, false},
		{`{n: 1, ok: 1.0}`, `{m: 1}`, false},
		{`{ok: 0.0, code: 2, codeName: 'BadValue'}`, `{}`, false},
		{`{ok: 0.0, code: 2, codeName: 'BadValue'}`, `{code: 2}`, true},
		{`{ok: 1.0}`, `{code: 2}`, false},
		{`{n: 1, writeErrors: [{index: 0, code: 2}], ok: 1.0}`, `{n: 1}`, false},
		{`{writeErrors: [{index: 0, code: 2}], ok: 1.0}`, `{writeErrors: [{code: 2}]}`, true},
		{`{writeErrors: [{index: 0, code: 2}], ok: 1.0}`, `{writeErrors: [{code: 3}]}`, false},
		{`{writeErrors: [{index: 0, code: 2}], ok: 1.0}`, `{writeErrors: []}`, false},
		{`{cursor: {id: 0, firstBatch: [{a: 1}]}, ok: 1.0}`, `{cursor: {firstBatch: [{a: 1}]}}`,
			true},
		{`{cursor: {firstBatch: [{a: 1, b: 1}]}, ok: 1.0}`, `{cursor: {firstBatch: [{a: 1}]}}`,
			false},
		{`{cursor: {firstBatch: [{a: 1}]}, ok: 1.0}`, `{cursor: {firstBatch: [{a: 1.0}]}}`, false},
	} {
		differences := compare(doc(test.answer), doc(test.want))
		if (differences == "") != test.equal {
			t.Errorf("%s against %s: %q", test.answer, test.want, differences)
		}
	}
}

func TestShellNotation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{a.b: {$gt: 1}, c: ['x, y: z', 1.5, true, null]}`: `{"a.b":{"$gt":{"$numberInt":"1"}},` +
			`"c":["x, y: z",{"$numberDouble":"1.5"},true,null]}`,
		`[long(1), dec(1.50), date(5), ts(1, 2), NaN, -Infinity, -1, MinKey]`: `[` +
			`{"$numberLong":"1"},{"$numberDecimal":"1.50"},{"$date":{"$numberLong":"5"}},` +
			`{"$timestamp":{"t":1,"i":2}},{"$numberDouble":"NaN"},{"$numberDouble":"-Infinity"},` +
			`{"$numberInt":"-1"},{"$minKey":1}]`,
		`[bin(0, 'aGk='), regex('^a', 'i'), undefined, oid('507f1f77bcf86cd799439011')]`: `[` +
			`{"$binary":{"base64":"aGk=","subType":"00"}},` +
			`{"$regularExpression":{"pattern":"^a","options":"i"}},{"$undefined":true},` +
			`{"$oid":"507f1f77bcf86cd799439011"}]`,
	} {
		if got := show(val(text)); got != want {
			t.Errorf("%s is\n%s, want\n%s", text, got, want)
		}
	}
}

func TestQuotesInTexts(t *testing.T) {
	t.Parallel()
	if got := show(val(`['a "b" \'c\'', '\d']`)); got != `["a \"b\" 'c'","\\d"]` {
		t.Errorf("read %s", got)
	}
}
