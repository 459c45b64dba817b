package spec

import (
	"strings"
	"time"

	"github.com/fwgen/fwgen/internal/diag"
)

// Parse checks one value against the option and returns it as what its kind is in Go: bool, int,
// float64 (Percent as a share: 20% is 0.2), time.Duration, and string for all others. The problem,
// if there is one, has no position yet.
func (o *Option) Parse(text string) (any, *diag.Diagnostic) {
	if word := o.word(text); word != nil && word.Missing {
		return nil, o.unavailable(text)
	}
	switch o.Kind {
	case Bool:
		return o.parseBool(text)
	case Int:
		return o.parseInt(text)
	case Factor:
		return o.parseFactor(text)
	case Percent:
		return o.parsePercent(text)
	case Duration:
		return o.parseDuration(text)
	case Enum:
		return o.parseWord(text)
	case Instant:
		return o.parseInstant(text)
	case Stream, Collection, Database:
		return o.parseName(text)
	case Error, Type:
		return o.parseReference(text)
	default:
		return o.parseText(text)
	}
}

func (o *Option) word(text string) *Value {
	for i := range o.Values {
		if o.Values[i].Name == text {
			return &o.Values[i]
		}
	}
	return nil
}

// what names the option in a message. The one argument of a method's verb has no name.
func (o *Option) what() string {
	if o.Name == "" {
		return "operation"
	}
	return o.Name
}

func (o *Option) parseBool(text string) (any, *diag.Diagnostic) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, problem(diag.WrongKind, "%s is either true or false, not %q", o.what(), text).
		suggest(text, []string{"true", "false"}).ptr()
}

func (o *Option) parseWord(text string) (any, *diag.Diagnostic) {
	if o.word(text) != nil {
		return text, nil
	}
	return nil, o.unknownWord(text)
}

func (o *Option) unknownWord(text string) *diag.Diagnostic {
	words := o.Words()
	return problem(diag.UnknownValue, "unknown value %q for %s", text, o.what()).
		suggest(text, words).note("valid: %s", strings.Join(words, ", ")).ptr()
}

func (o *Option) unavailable(text string) *diag.Diagnostic {
	p := problem(diag.UnavailableValue, "%s=%s is not there yet in this release", o.what(), text)
	if words := o.Words(); len(words) > 0 {
		p = p.note("valid: %s", strings.Join(words, ", "))
	}
	return p.ptr()
}

// parseInstant knows times, so that a valid one is told apart from a typing error; the engine for
// them is still to come.
func (o *Option) parseInstant(text string) (any, *diag.Diagnostic) {
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return nil, o.unavailable(text)
	}
	return o.parseWord(text)
}

func (o *Option) parseText(text string) (any, *diag.Diagnostic) {
	for _, r := range text {
		if r < ' ' {
			return nil, problem(diag.BadName, "%s contains the control character %q",
				o.what(), r).ptr()
		}
	}
	return text, nil
}

// draft is a diagnostic while its parts are put together.
type draft struct{ d diag.Diagnostic }

func problem(code diag.Code, format string, args ...any) draft {
	return draft{diag.New(code, diag.Pos{}, format, args...)}
}

func (p draft) suggest(text string, candidates []string) draft {
	if near := diag.Nearest(text, candidates); near != "" {
		p.d = p.d.Hinted("did you mean %s?", near)
	}
	return p
}

func (p draft) hint(format string, args ...any) draft {
	p.d = p.d.Hinted(format, args...)
	return p
}

func (p draft) note(format string, args ...any) draft {
	p.d = p.d.Noted(format, args...)
	return p
}

func (p draft) ptr() *diag.Diagnostic { return &p.d }
