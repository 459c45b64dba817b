package pcre

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Ranges of characters, as they are written inside of a class.
const (
	spaces        = `\t-\r `
	notSpaces     = `\x00-\x08\x0e-\x1f!-\x{10ffff}`
	horizontals   = `\t \x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`
	verticals     = `\n-\r\x{85}\x{2028}\x{2029}`
	casedLetters  = `\p{Lu}\p{Ll}\p{Lt}`
	atEnd         = `(?:\n?\z)` // of the text, or before a newline that ends it
	noSuchEscapes = `PCRE does not support \L, \l, \N{name}, \U, or \u`
)

// assertions match no text, so that they can't be repeated.
var assertions = map[byte]string{
	'b': `\b`, 'B': `\B`, 'A': `\A`, 'z': `\z`, 'Z': atEnd,
}

// classes match one character or line end.
var classes = map[byte]string{
	's': "[" + spaces + "]",
	'S': "[^" + spaces + "]",
	'h': "[" + horizontals + "]",
	'H': "[^" + horizontals + "]",
	'v': "[" + verticals + "]",
	'V': "[^" + verticals + "]",
	'N': `[^\n]`,
	'R': `(?:\r\n|[` + verticals + `])`,
	'd': `\d`, 'D': `\D`, 'w': `\w`, 'W': `\W`,
}

// escape translates a backslash and what it applies to, outside of a class.
func (t *translator) escape() {
	if t.quoted() {
		return
	}
	letter := t.letter()
	assertion, isAssertion := assertions[letter]
	class, isClass := classes[letter]
	if isAssertion || isClass {
		t.checkName()
		t.skip(2)
		t.write(assertion+class, isClass)
		return
	}
	switch letter {
	case 'p', 'P':
		t.write("(?-i:"+t.property()+")", true)
	case 'k', 'g':
		t.unsupported(`a backreference \%c`, letter)
	case 'G', 'K', 'X', 'C':
		t.unsupported(`\%c`, letter)
	default:
		t.checkReference(letter)
		t.write(quote(t.character()), true)
	}
}

// checkName refuses \N{name}. \N{2} is a repetition.
func (t *translator) checkName() {
	name := strings.HasPrefix(t.rest, `\N{`) && !repetition.MatchString(t.rest[2:])
	if name {
		t.fail(noSuchEscapes)
	}
}

// letter returns what follows the backslash.
func (t *translator) letter() byte {
	if len(t.rest) < 2 {
		t.fail(`\ at end of pattern`)
	}
	return t.rest[1]
}

// quoted takes all of \Q…\E.
func (t *translator) quoted() bool {
	if t.take(`\E`) {
		return true
	}
	if !t.take(`\Q`) {
		return false
	}
	text, rest, _ := strings.Cut(t.rest, `\E`)
	t.rest = rest
	for _, r := range text {
		t.write(quote(r), true)
	}
	return true
}

// checkReference refuses \1 to \7, and what has two digits and is no octal number.
func (t *translator) checkReference(letter byte) {
	if letter < '1' || letter > '7' {
		return
	}
	if octal.FindString(t.rest[1:]) == "" || len(octal.FindString(t.rest[1:])) < 2 {
		t.unsupported(`a backreference \%c`, letter)
	}
}

var (
	octal      = regexp.MustCompile(`^[0-7]{1,3}`)
	hex        = regexp.MustCompile(`^(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{0,2}))`)
	bracedOct  = regexp.MustCompile(`^\{([0-7]+)\}`)
	unicodeSet = regexp.MustCompile(`^\\[pP](?:\{[^}]*\}|[A-Z])`)
)

// property passes a class of Unicode on.
func (t *translator) property() string {
	found := unicodeSet.FindString(t.rest)
	if found == "" {
		t.fail(`malformed \P or \p sequence`)
	}
	t.skip(len(found))
	switch found {
	case `\p{L&}`:
		return "[" + casedLetters + "]"
	case `\P{L&}`:
		return "[^" + casedLetters + "]"
	}
	return found
}

// control are the letters that stand for a character.
var control = map[byte]rune{
	'a': '\a', 'e': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// character reads an escape that stands for one character.
func (t *translator) character() rune {
	letter := t.letter()
	t.skip(1)
	if r, ok := control[letter]; ok {
		t.skip(1)
		return r
	}
	switch letter {
	case 'x':
		t.skip(1)
		parts := hex.FindStringSubmatch(t.rest)
		t.skip(len(parts[0]))
		return t.number(parts[1]+parts[2], 16)
	case 'o':
		t.skip(1)
		parts := bracedOct.FindStringSubmatch(t.rest)
		if parts == nil {
			t.fail(`missing opening brace after \o`)
		}
		t.skip(len(parts[0]))
		return t.number(parts[1], 8)
	case 'c':
		return t.controlled()
	case 'L', 'l', 'U', 'u':
		t.fail(noSuchEscapes)
	}
	if digits := octal.FindString(t.rest); digits != "" {
		t.skip(len(digits))
		return t.number(digits, 8)
	}
	r, size := utf8.DecodeRuneInString(t.rest)
	t.skip(size)
	return r
}

// controlled reads \cA.
func (t *translator) controlled() rune {
	if len(t.rest) < 2 {
		t.fail(`\c at end of pattern`)
	}
	c := strings.ToUpper(t.rest[1:2])[0]
	if c >= utf8.RuneSelf {
		t.fail(`\c must be followed by an ASCII character`)
	}
	t.skip(2)
	return rune(c ^ 0x40)
}

func (t *translator) number(digits string, base int) rune {
	if digits == "" {
		return 0
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		t.fail(`character value in \x{} or \o{} is too large`)
	}
	return rune(n)
}
