package parse_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// read parses a file of package p that ends with src, which begins in line 3.
func read(t *testing.T, src string) (*parse.File, *diag.List) {
	t.Helper()
	text := "package p\n\n" + src
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "/p/p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	return parse.Read(parse.Source{Fset: fset, File: file, Text: []byte(text)}, &list), &list
}

// TestProblems has one row for every way a comment can be wrong. Each row ends in the position, the
// length and the code of the only problem.
func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range problems {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, list := read(t, tt.src)
			sorted := list.Sorted()
			if len(sorted) != 1 {
				t.Fatalf("got %d problems, want 1: %v", len(sorted), sorted)
			}
			d := sorted[0]
			lines := strings.Split("package p\n\n"+tt.src, "\n")
			got := ""
			if line := lines[d.Pos.Line-1]; d.Pos.Col-1+d.Pos.Len <= len(line) {
				got = line[d.Pos.Col-1 : d.Pos.Col-1+d.Pos.Len]
			}
			if d.Code != tt.code || got != tt.marked {
				t.Errorf("got %v at %q, want %v at %q\n%v", d.Code, got, tt.code, tt.marked, d)
			}
			if !strings.Contains(d.Message+" "+d.Hint, tt.says) {
				t.Errorf("%q %q does not say %q", d.Message, d.Hint, tt.says)
			}
		})
	}
}
