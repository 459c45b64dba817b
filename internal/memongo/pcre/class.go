package pcre

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	posixClass = regexp.MustCompile(`^\[:(\^?)([a-z]*):\]`)
	posixNames = []string{
		"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
		"space", "upper", "word", "xdigit",
	}
)

// sets are the escapes that stand for several characters, as they are written inside of a class.
var sets = map[byte]string{
	'd': `\d`, 'D': `\D`, 'w': `\w`, 'W': `\W`,
	's': spaces, 'S': notSpaces, 'h': horizontals, 'v': verticals,
}

// class translates a class in brackets.
func (t *translator) class() {
	t.skip(1)
	start := "["
	if t.take("^") {
		start = "[^"
	}
	var items strings.Builder
	for first := true; first || !t.take("]"); first = false {
		if t.rest == "" {
			t.fail("missing terminating ] for character class")
		}
		t.item(&items)
	}
	if items.Len() == 0 { // of \E alone
		t.unsupported("an empty class")
	}
	t.write(start+items.String()+"]", true)
}

// item is a character, a range, or a set of them.
func (t *translator) item(items *strings.Builder) {
	if t.take(`\E`) {
		return
	}
	if text, rest, ok := t.quotedItems(); ok {
		items.WriteString(text)
		t.rest = rest
		return
	}
	if set, ok := t.set(); ok {
		items.WriteString(set)
		return
	}
	low := t.member()
	if !strings.HasPrefix(t.rest, "-") || strings.HasPrefix(t.rest, "-]") || t.rest == "-" {
		items.WriteString(member(low))
		return
	}
	t.skip(1)
	if _, ok := t.set(); ok {
		t.fail("invalid range in character class")
	}
	high := t.member()
	if low > high {
		t.fail("range out of order in character class")
	}
	items.WriteString(member(low) + "-" + member(high))
}

func (t *translator) quotedItems() (text, rest string, ok bool) {
	rest, ok = strings.CutPrefix(t.rest, `\Q`)
	if !ok {
		return "", "", false
	}
	quoted, rest, _ := strings.Cut(rest, `\E`)
	for _, r := range quoted {
		text += member(r)
	}
	return text, rest, true
}

// set reads what stands for several characters.
func (t *translator) set() (string, bool) {
	if parts := posixClass.FindStringSubmatch(t.rest); parts != nil {
		if !slices.Contains(posixNames, parts[2]) {
			t.fail("unknown POSIX class name")
		}
		t.skip(len(parts[0]))
		return parts[0], true
	}
	if t.rest[0] != '\\' {
		return "", false
	}
	letter := t.letter()
	if text, ok := sets[letter]; ok {
		t.skip(2)
		return text, true
	}
	switch letter {
	case 'p', 'P':
		return t.propertyItem(), true
	case 'H', 'V', 'N', 'R', 'X', 'B':
		t.unsupported(`\%c in a class`, letter)
	}
	return "", false
}

// propertyItem is a class of Unicode inside of another.
func (t *translator) propertyItem() string {
	if strings.HasPrefix(t.rest, `\P{L&}`) {
		t.unsupported(`\P{L&} in a class`)
	}
	property := strings.Trim(t.property(), "[]")
	if t.flags.ignoreCase {
		t.unsupported("%s in a class with the option i", property)
	}
	return property
}

// member reads one character.
func (t *translator) member() rune {
	if strings.HasPrefix(t.rest, `\b`) {
		t.skip(2)
		return '\b'
	}
	if t.rest[0] == '\\' {
		return t.character()
	}
	r, size := utf8.DecodeRuneInString(t.rest)
	t.skip(size)
	return r
}

func member(r rune) string { return fmt.Sprintf(`\x{%x}`, r) }
