package diag_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
)

// declared reads the codes from the source, so that none can be left out of the catalog.
func declared(t *testing.T) map[diag.Code]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[diag.Code]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			number, err := strconv.Atoi(s.Values[0].(*ast.BasicLit).Value)
			if other, twice := codes[diag.Code(number)]; twice || err != nil {
				t.Errorf("%s has the number of %s, or none", s.Names[0], other)
			}
			codes[diag.Code(number)] = s.Names[0].Name
		}
		return true
	})
	return codes
}

func TestEveryCodeIsInTheCatalogOnce(t *testing.T) {
	t.Parallel()
	codes := declared(t)
	last := diag.Code(0)
	for _, e := range diag.Catalog() {
		if codes[e.Code] == "" || e.Title == "" || diag.Chapter(e.Code) == "" || e.Code <= last {
			t.Errorf("%v: not declared, without a title or chapter, repeated or out of order", e.Code)
		}
		delete(codes, e.Code)
		last = e.Code
	}
	for code, name := range codes {
		t.Errorf("%v (%s) is not in the catalog", code, name)
	}
}

// TestCodesKeepTheirNumbers fails when a code that users may have written down changes.
func TestCodesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	for code, want := range map[diag.Code]string{
		diag.NearMiss: "FW1001", diag.UnknownKey: "FW1102", diag.AttemptsTwice: "FW1201",
		diag.GenericHandler: "FW2001", diag.BadSignature: "FW2101", diag.Undeclared: "FW2201",
		diag.DuplicateStream: "FW2301", diag.Stale: "FW3001", diag.SyntaxError: "FW4001",
		diag.Internal: "FW9001",
	} {
		if code.String() != want {
			t.Errorf("got %v, want %s", code, want)
		}
	}
}
