package parse_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// FuzzRead feeds comments to the scanner. It must not panic, and every place that it names has to
// lie inside the comment, or just behind its end where something is missing.
func FuzzRead(f *testing.F) {
	for _, p := range problems {
		comment, _, _ := strings.Cut(p.src, "\n")
		f.Add(comment)
	}
	f.Add("//fw:changestream collection=orders retry=5 dlq description=\"a \\\" b\" zone=`x`")
	f.Add("//fw:on insert,update")
	f.Fuzz(func(t *testing.T, comment string) {
		if !strings.HasPrefix(comment, "//") || strings.ContainsAny(comment, "\r\n") {
			return
		}
		text := "package p\n\n" + comment + "\ntype H struct{}\n"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "/p/p.go", text, parser.ParseComments)
		if err != nil {
			return // NUL and the like
		}
		var list diag.List
		got := parse.Read(parse.Source{Fset: fset, File: file, Text: []byte(text)}, &list)
		inside := func(what string, p diag.Pos) {
			if p.Line != 3 || p.Col < 1 || p.Len < 0 || p.Col-1+p.Len > len(comment)+1 {
				t.Errorf("%s at %v is not inside %q", what, p, comment)
			}
		}
		for _, d := range list.Sorted() {
			inside(d.Message, d.Pos)
			for _, r := range d.Related {
				inside(r.Message, r.Pos)
			}
		}
		for _, typ := range got.Types {
			for _, d := range typ.Directives {
				inside("directive", d.Pos)
				for _, a := range d.Args {
					inside("key", a.Key)
					for _, v := range a.Values {
						inside("value", v.Pos)
					}
				}
			}
		}
	})
}
