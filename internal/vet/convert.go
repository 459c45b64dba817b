package vet

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fwgen/fwgen/internal/diag"
)

// convert makes a problem what go vet can print: the first line is the one that fwgen prints; the
// hint and what is valid follow, indented. Related places of the package are go vet's to print.
func convert(pass *analysis.Pass, d diag.Diagnostic) analysis.Diagnostic {
	var text strings.Builder
	fmt.Fprintf(&text, "%s [%s]", d.Message, d.Code)
	if d.Hint != "" {
		fmt.Fprintf(&text, "\n\t%s", d.Hint)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&text, "\n\t%s", note)
	}
	out := analysis.Diagnostic{Category: d.Code.String()}
	out.Pos, out.End = locate(pass, d.Pos)
	for _, r := range d.Related {
		from, to := locate(pass, r.Pos)
		if !from.IsValid() { // in a file of another package
			fmt.Fprintf(&text, "\n\t%s:%d: %s", filepath.Base(r.Pos.File), r.Pos.Line, r.Message)
			continue
		}
		out.Related = append(out.Related, analysis.RelatedInformation{
			Pos: from, End: to, Message: r.Message,
		})
	}
	out.Message = text.String()
	if d.Fix != "" {
		out.SuggestedFixes = []analysis.SuggestedFix{{
			Message: "write " + d.Fix,
			TextEdits: []analysis.TextEdit{{
				Pos: out.Pos, End: out.End, NewText: []byte(d.Fix),
			}},
		}}
	}
	return out
}

// locate finds a place in the files of the pass. One that is elsewhere has none.
func locate(pass *analysis.Pass, p diag.Pos) (from, to token.Pos) {
	pass.Fset.Iterate(func(f *token.File) bool {
		if f.Name() != p.File || p.Line > f.LineCount() {
			return true
		}
		from = f.Pos(0)
		if p.Line > 0 {
			from = min(f.LineStart(p.Line)+token.Pos(max(p.Col-1, 0)), f.Pos(f.Size()))
		}
		to = min(from+token.Pos(p.Len), f.Pos(f.Size()))
		return false
	})
	return from, to
}
