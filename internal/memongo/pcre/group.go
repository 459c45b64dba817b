package pcre

import (
	"regexp"
	"strings"
)

// refused are beginnings of groups, longest first, that have no counterpart.
var refused = []struct{ start, construct string }{
	{"(?<=", "lookbehind (?<=…)"},
	{"(?<!", "lookbehind (?<!…)"},
	{"(?P=", "a backreference (?P=…)"},
	{"(?P>", "recursion (?P>…)"},
	{"(?=", "lookahead (?=…)"},
	{"(?!", "lookahead (?!…)"},
	{"(?>", "an atomic group (?>…)"},
	{"(?|", "a branch reset (?|…)"},
	{"(?(", "a condition (?(…)…)"},
	{"(?&", "recursion (?&…)"},
	{"(?R", "recursion (?R)"},
	{"(?C", "a callout (?C…)"},
}

var (
	namedGroup = regexp.MustCompile(`^\(\?(?:P?<([^>)]*)>|'([^')]*)')`)
	groupName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	recursion  = regexp.MustCompile(`^\(\?[+-]?[0-9]`)
	options    = regexp.MustCompile(`^\(\?([imsxU]*)(?:-([imsxU]*))?([:)])`)
	verb       = regexp.MustCompile(`^\(\*[A-Z]+[^)]*\)`)
)

// open begins a group, or does what is written like one.
func (t *translator) open() {
	switch {
	case strings.HasPrefix(t.rest, "(*"):
		t.verb()
	case !strings.HasPrefix(t.rest, "(?"):
		t.skip(1)
		t.begin("(")
	case t.take("(?#"):
		_, rest, closed := strings.Cut(t.rest, ")")
		if !closed {
			t.fail("missing ) after comment")
		}
		t.rest = rest
	default:
		t.special()
	}
}

func (t *translator) verb() {
	if found := verb.FindString(t.rest); found != "" {
		t.unsupported("the verb %s", found)
	}
	t.skip(1)
	t.begin("(")
}

func (t *translator) special() {
	for _, group := range refused {
		if strings.HasPrefix(t.rest, group.start) {
			t.unsupported("%s", group.construct)
		}
	}
	if recursion.MatchString(t.rest) {
		t.unsupported("recursion %s…)", recursion.FindString(t.rest))
	}
	if parts := options.FindStringSubmatch(t.rest); parts != nil {
		t.skip(len(parts[0]))
		t.options(parts[1], parts[2], parts[3] == ":")
		return
	}
	t.named()
}

func (t *translator) named() {
	parts := namedGroup.FindStringSubmatch(t.rest)
	if parts == nil {
		if strings.HasPrefix(t.rest, "(?<") || strings.HasPrefix(t.rest, "(?P<") {
			t.fail("syntax error in subpattern name (missing terminator)")
		}
		t.fail("unrecognized character after (? or (?-")
	}
	name := parts[1] + parts[2]
	if !groupName.MatchString(name) {
		t.fail("group name must start with a non-digit")
	}
	t.skip(len(parts[0]))
	t.begin("(?P<" + name + ">")
}

// options changes options up to the end of the group that they are in, or for their own group.
func (t *translator) options(set, clear string, group bool) {
	before := t.flags
	for _, option := range set {
		t.option(option, true)
	}
	for _, option := range clear {
		t.option(option, false)
	}
	start := t.flags.prefix()
	switch {
	case strings.Contains(set, "U"):
		start = strings.Replace(start, "(?", "(?U", 1)
	case strings.Contains(clear, "U"):
		t.unsupported("the option (?-U)")
	}
	if group {
		after := t.flags
		t.flags = before
		t.begin("(?:" + start)
		t.flags = after
		return
	}
	t.write(start, false)
}

func (t *translator) begin(start string) {
	t.groups = append(t.groups, t.flags)
	t.write(start, false)
}

func (t *translator) close() {
	if len(t.groups) == 0 {
		t.fail("unmatched parentheses")
	}
	last := len(t.groups) - 1
	t.flags, t.groups = t.groups[last], t.groups[:last]
	t.skip(1)
	t.write(")", true)
}
