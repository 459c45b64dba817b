package output

import (
	"path/filepath"

	"github.com/fwgen/fwgen/internal/diag"
)

// Check reports a change instead of making it. Pattern is how a user names the package.
func Check(c Change, pattern string, list *diag.List) {
	code, message := diag.Stale, "is out of date"
	switch c.Action {
	case Create:
		code, message = diag.Missing, "does not exist"
	case Remove:
		code, message = diag.Orphan, "is not needed any more"
	}
	list.Add(diag.New(code, diag.Pos{File: c.Path}, "%s %s", filepath.Base(c.Path), message).
		Noted("run: fwgen %s", pattern))
}
