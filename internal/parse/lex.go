package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// lexeme is a piece of a directive's text with its place in it, in bytes.
type lexeme struct {
	text       string // a value's meaning, without quotes
	start, end int    // the range in the source, with quotes
}

// rawArg is an argument before it is checked: key, key=value or key=a,b,c. A method's value has no
// key.
type rawArg struct {
	key      lexeme
	hasValue bool
	values   []lexeme
}

// fault is a place where the text does not follow the grammar.
type fault struct {
	start, end int
	message    string
	hint       string
}

func (f *fault) with(hint string) *fault {
	f.hint = hint
	return f
}

// lexer cuts the text of a directive. Positions are byte offsets into text.
type lexer struct {
	text string
	pos  int
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' }

func (l *lexer) skipSpace() {
	for l.pos < len(l.text) && isSpace(l.text[l.pos]) {
		l.pos++
	}
}

func (l *lexer) done() bool { return l.pos >= len(l.text) }

// word reads up to a space or one of the stops.
func (l *lexer) word(stops string) lexeme {
	start := l.pos
	for !l.done() && !isSpace(l.text[l.pos]) && strings.IndexByte(stops, l.text[l.pos]) < 0 {
		l.pos++
	}
	return lexeme{l.text[start:l.pos], start, l.pos}
}

// recover goes on behind a fault, at the next space.
func (l *lexer) recover() { l.word("") }

// arg reads KEY or KEY=VALUE.
func (l *lexer) arg() (rawArg, *fault) {
	key := l.word("=")
	if key.text == "" {
		l.recover()
		return rawArg{}, (&fault{key.start, key.start + 1, "a key is missing before =", ""}).
			with("no spaces around =")
	}
	if strings.HasPrefix(key.text, "//") {
		l.pos = len(l.text)
		return rawArg{}, (&fault{key.start, l.pos, "a directive cannot have a comment", ""}).
			with("move it to a line of its own")
	}
	arg := rawArg{key: key}
	if l.done() || l.text[l.pos] != '=' {
		return arg, l.spacedEquals()
	}
	l.pos++
	arg.hasValue = true
	values, f := l.values()
	arg.values = values
	return arg, f
}

// spacedEquals reports and skips an equals sign that stands apart from its key.
func (l *lexer) spacedEquals() *fault {
	behindKey := l.pos
	l.skipSpace()
	if l.done() || l.text[l.pos] != '=' {
		l.pos = behindKey
		return nil
	}
	at := l.pos
	if l.pos++; !l.done() && isSpace(l.text[l.pos]) {
		l.skipSpace()
	}
	l.recover()
	return (&fault{at, at + 1, "a space before =", ""}).with("no spaces around =")
}

// values reads VALUE{,VALUE}. An empty value is a fault, at the place where it should be.
func (l *lexer) values() ([]lexeme, *fault) {
	var values []lexeme
	for {
		v, f := l.value()
		if f != nil {
			l.recover()
			return values, f
		}
		values = append(values, v)
		if l.done() || l.text[l.pos] != ',' {
			return values, nil
		}
		l.pos++
	}
}

func (l *lexer) value() (lexeme, *fault) {
	if l.done() || isSpace(l.text[l.pos]) || l.text[l.pos] == ',' {
		f := &fault{l.pos, l.pos, "a value is missing", ""}
		if l.pos+1 < len(l.text) && isSpace(l.text[l.pos]) {
			f.hint = "no spaces around = and between the elements of a list"
		}
		return lexeme{}, f
	}
	if c := l.text[l.pos]; c == '"' || c == '`' {
		return l.quoted(c)
	}
	v := l.word(",")
	if i := strings.IndexAny(v.text, "\"`"); i >= 0 {
		return lexeme{}, (&fault{v.start + i, v.start + i + 1, "a quote inside a bare word", ""}).
			with("quote the whole value")
	}
	if !utf8.ValidString(v.text) {
		return lexeme{}, &fault{v.start, v.end, "a value is not valid UTF-8", ""}
	}
	return v, l.suspect(v)
}

// quoted reads a Go string, which ends at its closing quote and nowhere else.
func (l *lexer) quoted(quote byte) (lexeme, *fault) {
	start := l.pos
	literal, err := strconv.QuotedPrefix(l.text[start:])
	if err != nil {
		return lexeme{}, l.badString(quote)
	}
	l.pos = start + len(literal)
	text, err := strconv.Unquote(literal)
	if err != nil {
		return lexeme{}, l.badString(quote)
	}
	if !l.done() && !isSpace(l.text[l.pos]) && l.text[l.pos] != ',' {
		return lexeme{}, (&fault{l.pos, l.pos + 1, "a value goes on behind its closing quote", ""}).
			with("separate arguments with a space")
	}
	return lexeme{text, start, l.pos}, nil
}

// badString tells an unclosed string from one with a bad escape, and skips it.
func (l *lexer) badString(quote byte) *fault {
	start := l.pos
	for i := start + 1; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\' && quote == '"':
			i++
		case l.text[i] == quote:
			l.pos = i + 1
			return &fault{start, l.pos, "a quoted value is not a Go string", ""}
		}
	}
	l.pos = len(l.text)
	return (&fault{start, l.pos, "a quoted value has no closing quote", ""}).
		with("close it with " + string(quote))
}
