package parse

import (
	"regexp"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// prefix begins every directive.
const prefix = "//fw:"

// nearly matches what people write instead of prefix: spaces, capitals, a plus, the tool's name, a
// block comment. Group 1 is the word behind it.
var nearly = regexp.MustCompile(`^(?:/\*|//)[ \t]*\+?[ \t]*(?i:fw|fwgen)[ \t]*:[ \t]*([\w-]*)`)

// Mentions tells whether src can contain a directive, or nearly one. It is a cheap test that spares
// most files of a large repository the parser.
func Mentions(src []byte) bool {
	for i := 1; i < len(src); i++ {
		if src[i]|0x20 == 'w' && src[i-1]|0x20 == 'f' && colonFollows(src[i+1:]) {
			return true
		}
	}
	return false
}

func colonFollows(src []byte) bool {
	if len(src) >= 3 && strings.EqualFold(string(src[:3]), "gen") {
		src = src[3:]
	}
	for _, b := range src {
		if b != ' ' && b != '\t' {
			return b == ':'
		}
	}
	return false
}

// isDirective tells whether a comment's text is a true directive, whatever its verb.
func isDirective(text string) bool { return strings.HasPrefix(text, prefix) }

// nearMiss returns the correction of a comment that is nearly a directive. The word behind the
// prefix decides: near enough to a verb it is a mistake, else it is prose.
func nearMiss(text string) (correction string, ok bool) {
	first, _, _ := strings.Cut(text, "\n")
	match := nearly.FindStringSubmatchIndex(first)
	if match == nil {
		return "", false
	}
	verb := meant(first[match[2]:match[3]])
	if verb == "" {
		return "", false
	}
	rest := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(first[match[3]:], " \t\r"), "*/"),
		" \t\r")
	return prefix + verb + rest, true
}

// decoration is what may stand before a line's text in a block comment.
var decoration = regexp.MustCompile(`^[ \t*]*(?://)?`)

// nearMissInBlock looks at a line inside a block comment. The bytes that precede its text are
// skipped. A line that only speaks of a directive has no arguments behind the verb.
func nearMissInBlock(line string) (correction string, skipped int, ok bool) {
	skipped = len(decoration.FindString(line))
	correction, ok = nearMiss("//" + line[skipped:])
	verb, arguments, _ := strings.Cut(correction, " ")
	meant := strings.Contains(arguments, "=") || arguments == "" && verb != "" ||
		strings.HasSuffix(line[:skipped], "//")
	return correction, skipped, ok && meant
}

// meant returns the verb that a word was meant to be: one within two edits of a verb of eight
// letters or more, within one of a verb of four to seven, and equal to a shorter one.
func meant(word string) string {
	word = strings.ToLower(word)
	best, bestDistance := "", 3
	for _, verb := range spec.Verbs {
		allowed := 0
		switch n := len(verb.Name); {
		case n >= 8:
			allowed = 2
		case n >= 4:
			allowed = 1
		}
		if d := diag.Distance(word, verb.Name); d <= allowed && d < bestDistance {
			best, bestDistance = verb.Name, d
		}
	}
	return best
}
