package spec

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fwgen/fwgen/internal/diag"
)

// Limits of the server's names, in bytes.
const (
	maxDatabase   = 63
	maxCollection = 235 // leaves room for the database in a namespace of 255
)

// reference is a Go name, perhaps of another package: Order, models.Order, *pkg.ErrType.
var reference = regexp.MustCompile(`^\*?[\pL_][\pL_\p{Nd}]*(\.[\pL_][\pL_\p{Nd}]*)?$`)

func (o *Option) parseName(text string) (any, *diag.Diagnostic) {
	if !utf8.ValidString(text) {
		return nil, problem(diag.BadName, "%s is not valid UTF-8", o.what()).ptr()
	}
	if text == "" {
		return nil, problem(diag.BadName, "%s is empty", o.what()).ptr()
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' }); i >= 0 {
		return nil, problem(diag.BadName, "%s contains the control character %q",
			o.what(), text[i]).ptr()
	}
	check := map[Kind]func(string) *diag.Diagnostic{
		Stream: o.checkStream, Collection: o.checkCollection, Database: o.checkDatabase,
	}[o.Kind]
	if d := check(text); d != nil {
		return nil, d
	}
	return text, nil
}

// checkStream keeps the separators of stored ids ("stream#instance", "stream/event") out of names.
func (o *Option) checkStream(text string) *diag.Diagnostic {
	return StreamName(text)
}

// StreamName checks the name of a stream, which may also come from its collection.
func StreamName(text string) *diag.Diagnostic {
	if i := strings.IndexAny(text, "#/"); i >= 0 {
		return problem(diag.BadName, "the name of a stream cannot contain %q: %q",
			text[i:i+1], text).hint("give it a name of its own with name=").ptr()
	}
	return nil
}

func (o *Option) checkCollection(text string) *diag.Diagnostic {
	switch {
	case strings.HasPrefix(text, "system."):
		return problem(diag.BadName, "%q is a collection of the server's own", text).ptr()
	case strings.HasPrefix(text, "."):
		return problem(diag.BadName, "the name of a collection cannot begin with a dot: %q",
			text).ptr()
	case strings.Contains(text, "$"):
		return problem(diag.BadName, "the name of a collection cannot contain a $: %q", text).ptr()
	case len(text) > maxCollection:
		return problem(diag.BadName, "the name of a collection has at most %d bytes, this has %d",
			maxCollection, len(text)).ptr()
	}
	return nil
}

func (o *Option) checkDatabase(text string) *diag.Diagnostic {
	switch i := strings.IndexAny(text, `/\. "$*<>:|?`); {
	case i >= 0:
		return problem(diag.BadName, "the name of a database cannot contain %q: %q",
			text[i:i+1], text).ptr()
	case len(text) > maxDatabase:
		return problem(diag.BadName, "the name of a database has at most %d bytes, this has %d",
			maxDatabase, len(text)).ptr()
	case slices.Contains([]string{"admin", "config", "local"}, text):
		return problem(diag.BadName, "the server does not watch its own database %q", text).ptr()
	}
	return nil
}

func (o *Option) parseReference(text string) (any, *diag.Diagnostic) {
	if reference.MatchString(text) && (o.Kind == Error || text[0] != '*') {
		return text, nil
	}
	if o.Kind == Type {
		p := problem(diag.WrongKind, "%s is the name of a type, not %q", o.what(), text)
		if rest, ok := strings.CutPrefix(text, "*"); ok && reference.MatchString(rest) {
			p = p.hint("write %s without the *", rest)
		}
		return nil, p.ptr()
	}
	return nil, problem(diag.WrongKind, "%q is not the name of an error", text).
		hint("an error value or type: ErrName, pkg.ErrName, *TypeName").ptr()
}
