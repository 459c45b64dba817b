package diag_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/diag"
)

const source = "package p\n\n\t//fw:x\tkéy=wert\r\nlast"

func render(t *testing.T, problems ...diag.Diagnostic) string {
	t.Helper()
	var list diag.List
	for _, p := range problems {
		list.Add(p)
	}
	var b strings.Builder
	sources := func(file string) ([]byte, error) {
		if strings.HasSuffix(file, "gone.go") {
			return nil, errors.New("gone")
		}
		return []byte(source), nil
	}
	r := diag.Renderer{Dir: filepath.FromSlash("/w/orders"), Sources: sources}
	if err := r.Render(&b, &list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func at(file string, line, col, length int) diag.Pos {
	return diag.Pos{File: filepath.FromSlash(file), Line: line, Col: col, Len: length}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		d    diag.Diagnostic
		want string
	}{
		{"tabs and wide letters keep the mark in its place",
			diag.New(diag.WrongKind, at("/w/orders/a.go", 3, 14, 4), "bad %s", "wert").
				Hinted("write %s", "it").Noted("valid: %s", "x").
				With(at("/w/billing/b.go", 1, 2, 3), "see %s", "here"),
			"a.go:3:14: bad wert [FW1106]\n" +
				"    3 | \t//fw:x\tkéy=wert\n" +
				"      | \t      \t    ^^^^ write it\n" +
				"      = valid: x\n" +
				"   ../billing/b.go:1:2: see here\n"},
		{"a range behind the end of its line is one mark",
			diag.New(diag.BadSyntax, at("/w/orders/a.go", 4, 99, 5), "missing"),
			"a.go:4:99: missing [FW1101]\n    4 | last\n      |     ^\n"},
		{"a file without a line has no excerpt, and its hint is a note",
			diag.New(diag.Stale, at("/w/orders/a.go", 0, 0, 0), "stale").Hinted("run it"),
			"a.go: stale [FW3001]\n      = run it\n"},
		{"a source that is gone is left out",
			diag.New(diag.Stale, at("/w/orders/gone.go", 1, 1, 1), "stale"),
			"gone.go:1:1: stale [FW3001]\n"},
		{"a line that does not exist is left out",
			diag.New(diag.Stale, at("/w/orders/a.go", 77, 1, 1), "stale"),
			"a.go:77:1: stale [FW3001]\n"},
		{"a place without a column is a line",
			diag.New(diag.Stale, at("/w/orders/gone.go", 7, 0, 0), "stale"),
			"gone.go:7: stale [FW3001]\n"},
		{"a related place that is none is left out",
			diag.New(diag.Stale, at("/w/orders/gone.go", 7, 1, 1), "stale").With(diag.Pos{}, "x"),
			"gone.go:7:1: stale [FW3001]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, render(t, tt.d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProblemsAreSortedAndSaidOnce(t *testing.T) {
	t.Parallel()
	got := render(t,
		diag.New(diag.Stale, at("/w/orders/gone.go", 10, 1, 1), "ten"),
		diag.New(diag.Stale, at("/w/orders/gone.go", 9, 2, 1), "nine, two"),
		diag.New(diag.Stale, at("/w/orders/gone.go", 9, 1, 1), "nine, one"),
		diag.New(diag.Stale, at("/w/orders/gone.go", 9, 2, 1), "nine, two"),
		diag.New(diag.Stale, at("/w/a/gone.go", 99, 1, 1), "another file"),
	)
	want := "../a/gone.go:99:1: another file [FW3001]\n" +
		"gone.go:9:1: nine, one [FW3001]\n" +
		"gone.go:9:2: nine, two [FW3001]\n" +
		"gone.go:10:1: ten [FW3001]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWithDoesNotShare: diagnostics are values, and what is added to one must not show in another.
func TestWithDoesNotShare(t *testing.T) {
	t.Parallel()
	base := diag.New(diag.Stale, diag.Pos{}, "x").With(at("/a", 1, 1, 1), "a")
	one, two := base.With(at("/b", 1, 1, 1), "b"), base.With(at("/c", 1, 1, 1), "c")
	if one.Related[1].Message != "b" || two.Related[1].Message != "c" {
		t.Errorf("got %v and %v", one.Related, two.Related)
	}
}
