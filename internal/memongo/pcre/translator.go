package pcre

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// translator reads a pattern and writes it in Go's syntax. An error ends it by a panic with a
// stopped, which does not leave the package.
type translator struct {
	rest string
	out  strings.Builder

	flags  flags
	groups []flags // what is restored where a group ends

	repeatable bool // the last thing can have a quantifier
}

// flags are the options that the translation takes care of. i, s and U mean the same to Go.
type flags struct {
	multiline, extended bool
	ignoreCase, dotAll  bool
}

type stopped struct{ err error }

func (t *translator) fail(format string, args ...any) {
	panic(stopped{&SyntaxError{fmt.Sprintf(format, args...)}})
}

func (t *translator) unsupported(format string, args ...any) {
	panic(stopped{&UnsupportedError{fmt.Sprintf(format, args...)}})
}

func (t *translator) option(option rune, on bool) {
	switch option {
	case 'm':
		t.flags.multiline = on
	case 'x':
		t.flags.extended = on
	case 'i':
		t.flags.ignoreCase = on
	case 's':
		t.flags.dotAll = on
	}
}

func (t *translator) translate() (translated string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			stop, ok := reason.(stopped)
			if !ok {
				panic(reason)
			}
			err = stop.err
		}
	}()
	t.out.WriteString(t.flags.prefix())
	for t.take("(*UTF8)") || t.take("(*UTF)") {
		continue
	}
	for t.rest != "" {
		t.next()
	}
	if len(t.groups) > 0 {
		t.fail("missing )")
	}
	return t.out.String(), nil
}

func (f flags) prefix() string {
	set, clear := "", ""
	for _, flag := range []struct {
		name string
		on   bool
	}{{"i", f.ignoreCase}, {"s", f.dotAll}} {
		if flag.on {
			set += flag.name
		} else {
			clear += flag.name
		}
	}
	if clear != "" {
		clear = "-" + clear
	}
	return "(?" + set + clear + ")"
}

// next translates one thing.
func (t *translator) next() {
	switch c := t.rest[0]; c {
	case '\\':
		t.escape()
	case '[':
		t.class()
	case '(':
		t.open()
	case ')':
		t.close()
	case '|':
		t.skip(1)
		t.write("|", false)
	case '^':
		t.skip(1)
		t.write(t.either(`(?m:^)`, `\A`), false)
	case '$':
		t.skip(1)
		t.write(t.either(`(?m:$)`, atEnd), false)
	case '*', '+', '?':
		t.skip(1)
		t.quantify(string(c))
	case '{':
		t.brace()
	case '.':
		t.skip(1)
		t.write(".", true)
	default:
		t.literal()
	}
}

// either chooses by the option m.
func (t *translator) either(multiline, single string) string {
	if t.flags.multiline {
		return multiline
	}
	return single
}

// literal takes a character for itself, or skips it as space or a comment.
func (t *translator) literal() {
	r, size := utf8.DecodeRuneInString(t.rest)
	if t.flags.extended {
		if strings.ContainsRune(" \t\n\v\f\r", r) {
			t.skip(size)
			return
		}
		if r == '#' {
			t.comment()
			return
		}
	}
	t.skip(size)
	t.write(quote(r), true)
}

// comment skips to the end of the line. The server puts the pattern in parentheses, so that a
// comment at the end hides one.
func (t *translator) comment() {
	end := strings.IndexByte(t.rest, '\n')
	if end < 0 {
		t.fail("missing )")
	}
	t.skip(end + 1)
}

func quote(r rune) string {
	if r == utf8.RuneError {
		return `\x{fffd}`
	}
	return regexp.QuoteMeta(string(r))
}

func (t *translator) write(text string, repeatable bool) {
	t.out.WriteString(text)
	t.repeatable = repeatable
}

func (t *translator) skip(bytes int) { t.rest = t.rest[bytes:] }

// take skips a text if it comes next.
func (t *translator) take(text string) bool {
	rest, found := strings.CutPrefix(t.rest, text)
	t.rest = rest
	return found
}

// quantify writes a quantifier, which may be lazy.
func (t *translator) quantify(quantifier string) {
	if !t.repeatable {
		t.fail("nothing to repeat")
	}
	if t.take("?") {
		quantifier += "?"
	} else if strings.HasPrefix(t.rest, "+") {
		t.unsupported("a possessive quantifier (%s+)", quantifier)
	}
	t.write(quantifier, false)
}

var repetition = regexp.MustCompile(`^\{([0-9]+)(,([0-9]*))?\}`)

// brace is a quantifier if it looks like one, and a literal otherwise.
func (t *translator) brace() {
	parts := repetition.FindStringSubmatch(t.rest)
	if parts == nil {
		t.skip(1)
		t.write(`\{`, true)
		return
	}
	t.skip(len(parts[0]))
	low, high := strings.TrimLeft(parts[1], "0"), strings.TrimLeft(parts[3], "0")
	if parts[3] != "" && (len(low) > len(high) || len(low) == len(high) && low > high) {
		t.fail("numbers out of order in {} quantifier")
	}
	t.quantify(parts[0])
}
