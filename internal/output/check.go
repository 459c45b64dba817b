package output

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
)

// Place finds where a handler, or a method of it, is declared; an invalid place where it is not.
type Place func(handler, method string) diag.Pos

// Check reports a change instead of making it, with what is different about the file. Pattern is
// how a user names the package.
func Check(c Change, pattern string, place Place, list *diag.List) {
	code, message := diag.Stale, "is out of date"
	switch c.Action {
	case Create:
		code, message = diag.Missing, "does not exist"
	case Remove:
		code, message = diag.Orphan, "is not needed any more"
	}
	d := diag.New(code, diag.Pos{File: c.Path}, "%s %s", filepath.Base(c.Path), message)
	if c.Action == Replace {
		d = differing(d, c, place)
	}
	list.Add(d.Noted("run: fwgen %s", pattern))
}

// excerptLines is how much of a difference is shown that has no better description.
const excerptLines = 8

// differing adds what is different: in words where that is possible, else as lines.
func differing(d diag.Diagnostic, c Change, place Place) diag.Diagnostic {
	found := Differences(c.Old, c.Text)
	for _, f := range found {
		if at := place(f.Type, f.Method); at.IsValid() {
			d = d.With(at, "%s", f.Text)
		} else {
			d = d.Noted("%s", f.Text)
		}
	}
	if len(found) > 0 {
		return d
	}
	var shown []string
	rest := 0
	for i, line := range bytes.Split(Unified("", c.Old, "", c.Text), []byte("\n")) {
		switch {
		case i < 2 || len(line) == 0 || line[0] != '+' && line[0] != '-': // names, places, context
		case len(shown) < excerptLines:
			shown = append(shown, string(line))
		default:
			rest++
		}
	}
	if len(shown) > 0 {
		d = d.Noted("%s", strings.Join(shown, "\n"))
	}
	if rest > 0 {
		d = d.Noted("and %d more lines; fwgen diff shows them", rest)
	}
	return d
}
