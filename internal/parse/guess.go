package parse

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// leading returns the verb that a longer word begins with: people put a colon, a comma or a
// parenthesis between a verb and its arguments.
func leading(word string) string {
	end := strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && r != '_' && r != '-'
	})
	if end <= 0 {
		return ""
	}
	return meant(word[:end])
}

// guessKey adds what was probably meant by an argument that is no key of the verb.
func (c *checker) guessKey(d diag.Diagnostic, raw rawArg, previous rawArg) diag.Diagnostic {
	verb, key := c.d.Verb, raw.key.text
	name, value, colon := strings.Cut(key, ":")
	near, owner := diag.Nearest(key, verb.Available()), keyOwner(key)
	switch {
	case colon && verb.Lookup(name) != nil:
		return d.Hinted("write %s=%s", name, value)
	case near != "":
		return d.Hinted("did you mean %s?", near)
	case owner != "":
		return d.Hinted("it is a key of %s%s", prefix, owner)
	case !raw.hasValue && previous.hasValue:
		return d.Hinted("quote a value with spaces: %s=\"…\"", previous.key.text)
	case !raw.hasValue && previous.key.text == "" && required(verb) != "":
		return d.Hinted("did you mean %s=%s?", required(verb), key)
	}
	return d
}

// keyOwner finds another verb with this key.
func keyOwner(key string) string {
	for _, v := range spec.Verbs {
		if v.Lookup(key) != nil {
			return v.Name
		}
	}
	return ""
}

// required is the key that a verb cannot do without.
func required(v *spec.Verb) string {
	for _, o := range v.Keys {
		if o.Required {
			return o.Name
		}
	}
	return ""
}

// foreignQuotes are what other languages and word processors quote with.
const foreignQuotes = "'‘’“”«»"

// suspect finds what a bare word has by mistake: another kind of quotes at its ends, a separator of
// another language, a second =, or a space that is none to Go. Whoever means it can quote the value.
func (l *lexer) suspect(v lexeme) *fault {
	first, size := utf8.DecodeRuneInString(v.text)
	last, lastSize := utf8.DecodeLastRuneInString(v.text)
	switch {
	case strings.ContainsRune(foreignQuotes, first):
		if i := strings.IndexAny(l.text[v.start+size:], foreignQuotes); i >= 0 {
			l.pos = v.start + size + i // what lies between is part of the value
		}
		return (&fault{v.start, v.start + size, "a value begins with " + string(first), ""}).
			with("quote it with \" or `")
	case strings.ContainsRune(foreignQuotes, last):
		return (&fault{v.end - lastSize, v.end, "a value ends with " + string(last), ""}).
			with("quote it with \" or `")
	case last == ';':
		return (&fault{v.end - 1, v.end, "a value ends with ;", ""}).
			with("separate arguments with a space")
	}
	i := strings.IndexFunc(v.text, separates)
	if i < 0 {
		return nil
	}
	r, size := utf8.DecodeRuneInString(v.text[i:])
	what := "a bare word contains " + strconv.QuoteRuneToASCII(r)
	return (&fault{v.start + i, v.start + i + size, what, ""}).
		with("separate arguments with a space, or quote the value")
}

// separates tells whether a rune looks as if one argument ended there.
func separates(r rune) bool {
	return r == ';' || r == '=' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
}

// truth finds a truth value for a key that stands alone or names something: dlq=true would send the
// dead letters to a collection called true.
func truth(o *spec.Option, v lexeme) (hint string, ok bool) {
	if !o.Bare || o.Kind != spec.Collection || v.end-v.start != len(v.text) {
		return "", false
	}
	switch strings.ToLower(v.text) {
	case "true", "yes", "on", "1":
		return "write " + o.Name + " alone", true
	case "false", "no", "off", "0", "none":
		return "leave " + o.Name + " out", true
	}
	return "", false
}
