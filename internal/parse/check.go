package parse

import (
	"regexp"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

var keyPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checker reads one directive and reports what is wrong with it.
type checker struct {
	text string   // the whole comment, from its slashes to the end of the line
	at   diag.Pos // of the comment
	list *diag.List
	d    *Directive
	// unknown is the verb that an unknown one was meant to be.
	unknown string
}

// place is the position of a range of the comment's text.
func (c *checker) place(start, end int) diag.Pos {
	p := c.at
	p.Col += start
	p.Len = end - start
	return p
}

func (c *checker) report(d diag.Diagnostic) {
	c.d.Broken = true
	c.list.Add(d)
}

// directive reads a true directive. It returns nil where the verb is unknown; any other fault
// leaves the directive Broken.
func (c *checker) directive() *Directive {
	l := &lexer{text: c.text, pos: len(prefix)}
	name := l.word("")
	c.d = &Directive{Pos: c.place(0, len(c.text))}
	c.d.Verb = spec.Lookup(name.text)
	if c.d.Verb == nil {
		c.unknownVerb(l, name)
		return nil
	}
	if c.d.Verb.Target == spec.OnMethod {
		c.value(l, name)
	} else {
		c.keys(l, name)
	}
	return c.d
}

func (c *checker) unknownVerb(l *lexer, name lexeme) {
	all := append(spec.Names(spec.OnType), spec.Names(spec.OnMethod)...)
	valid := "valid: " + strings.Join(all, ", ")
	if name.text == "" {
		l.skipSpace()
		next := l.word("")
		c.unknown = meant(next.text)
		d := diag.New(diag.UnknownVerb, c.place(0, len(c.text)), "a verb is missing behind //fw:")
		if c.unknown != "" {
			d = d.Hinted("write %s%s without the space", prefix, c.unknown)
			d.Fix = prefix + c.unknown + c.text[next.end:]
		}
		c.report(d.Noted("%s", valid))
		return
	}
	d := diag.New(diag.UnknownVerb, c.place(name.start, name.end),
		"unknown directive %s%s", prefix, name.text)
	if c.unknown = leading(name.text); c.unknown != "" {
		d = d.Hinted("write %s%s and separate arguments with spaces", prefix, c.unknown)
	} else if c.unknown = diag.Nearest(name.text, all); c.unknown != "" {
		d = d.Hinted("did you mean %s%s?", prefix, c.unknown)
		d.Fix = meant(name.text)
	}
	c.report(d.Noted("%s", valid))
}

// keys reads { KEY | KEY=VALUE }.
func (c *checker) keys(l *lexer, verb lexeme) {
	seen := map[string]diag.Pos{}
	previous := rawArg{}
	for l.skipSpace(); !l.done(); l.skipSpace() {
		raw, f := l.arg()
		if f != nil {
			c.fault(f, raw)
			c.remember(seen, raw)
			continue
		}
		c.key(raw, seen, previous)
		previous = raw
	}
	for _, o := range c.d.Verb.Keys {
		if _, ok := seen[o.Name]; o.Required && !ok && !c.d.Broken {
			c.report(diag.New(diag.MissingKey, c.place(0, verb.end),
				"%s%s needs %s=", prefix, c.d.Verb.Name, o.Name).
				Noted("as in %s%s %s=orders", prefix, c.d.Verb.Name, o.Name))
		}
	}
}

func (c *checker) remember(seen map[string]diag.Pos, raw rawArg) {
	if _, ok := seen[raw.key.text]; !ok && raw.key.text != "" {
		seen[raw.key.text] = c.place(raw.key.start, raw.key.end)
	}
}

func (c *checker) fault(f *fault, raw rawArg) {
	message := f.message
	if raw.key.text != "" {
		message = raw.key.text + ": " + message
	}
	d := diag.New(diag.BadSyntax, c.place(f.start, f.end), "%s", message)
	if f.hint != "" {
		d = d.Hinted("%s", f.hint)
	}
	c.report(d)
}

// key checks an argument. The one before it tells whether a stray word belongs to its value.
func (c *checker) key(raw rawArg, seen map[string]diag.Pos, previous rawArg) {
	at := c.place(raw.key.start, raw.key.end)
	first, repeated := seen[raw.key.text]
	c.remember(seen, raw)
	o := c.d.Verb.Lookup(raw.key.text)
	switch {
	case o == nil:
		c.unknownKey(raw, at, previous)
	case repeated:
		c.report(diag.New(diag.RepeatedKey, at, "%s is written twice", o.Name).
			With(first, "first here"))
	case o.Missing:
		c.report(diag.New(diag.UnavailableKey, at, "%s is not there yet in this release", o.Name).
			Noted("available: %s", strings.Join(c.d.Verb.Available(), ", ")))
	default:
		c.option(o, raw, at)
	}
}

func (c *checker) unknownKey(raw rawArg, at diag.Pos, previous rawArg) {
	valid := c.d.Verb.Available()
	d := diag.New(diag.UnknownKey, at, "unknown key %q in %s%s",
		raw.key.text, prefix, c.d.Verb.Name)
	if !keyPattern.MatchString(raw.key.text) && !raw.hasValue {
		d = diag.New(diag.BadSyntax, at, "%q is not a key", raw.key.text)
	}
	c.report(c.guessKey(d, raw, previous).Noted("valid: %s", strings.Join(valid, ", ")))
}

// option checks an argument whose key is known and available.
func (c *checker) option(o *spec.Option, raw rawArg, at diag.Pos) {
	arg := &Arg{Option: o, Key: at}
	switch {
	case !raw.hasValue && o.Kind != spec.Flag && !o.Bare:
		d := diag.New(diag.ValueExpected, at, "%s needs a value", o.Name)
		c.report(d.Hinted("%s", usage(o)))
		return
	case raw.hasValue && o.Kind == spec.Flag:
		c.report(diag.New(diag.ValueExpected, c.place(raw.values[0].start, raw.values[0].end),
			"%s takes no value", o.Name))
		return
	}
	if c.elements(arg, raw.values) {
		c.d.Args = append(c.d.Args, arg)
	}
}

func usage(o *spec.Option) string {
	if words := o.Words(); len(words) > 0 {
		return "write " + o.Name + "=" + strings.Join(words, " or "+o.Name+"=")
	}
	if o.Default != "" {
		return "write " + o.Name + "= and a value, such as " + o.Name + "=" + o.Default
	}
	return "write " + o.Name + "= and a value"
}

// elements checks the values of an argument and adds them to it.
func (c *checker) elements(arg *Arg, values []lexeme) (ok bool) {
	ok = true
	if !arg.Option.List && len(values) > 1 {
		d := diag.New(diag.OneValueOnly, c.place(values[0].start, values[len(values)-1].end),
			"%s takes one value, not a list", arg.Option.Name)
		if len(arg.Option.Values) == 0 {
			d = d.Hinted("quote a value that contains a comma")
		}
		c.report(d)
		return false
	}
	seen := map[string]diag.Pos{}
	for _, v := range values {
		at := c.place(v.start, v.end)
		if first, repeated := seen[v.text]; repeated {
			c.report(diag.New(diag.RepeatedElement, at, "%s is listed twice", v.text).
				With(first, "first here"))
			ok = false
			continue
		}
		seen[v.text] = at
		if hint, is := truth(arg.Option, v); is {
			c.report(diag.New(diag.ValueExpected, at, "%s is no switch", arg.Option.Name).
				Hinted("%s", hint))
			ok = false
			continue
		}
		parsed, problem := arg.Option.Parse(v.text)
		if problem != nil {
			problem.Pos = at
			c.report(*problem)
			ok = false
			continue
		}
		arg.Values = append(arg.Values, Value{v.text, parsed, at})
	}
	return ok && c.severalCollections(arg)
}

// severalCollections refuses what only a later release can watch.
func (c *checker) severalCollections(arg *Arg) bool {
	if arg.Option.Kind != spec.Collection || len(arg.Values) < 2 {
		return true
	}
	c.report(diag.New(diag.UnavailableValue, arg.Values[1].Pos,
		"several collections are not there yet in this release").
		Hinted("one handler for each collection"))
	return false
}

// value reads the [VALUE] of a method's verb.
func (c *checker) value(l *lexer, verb lexeme) {
	o := c.d.Verb.Arg
	at := c.place(0, verb.end)
	l.skipSpace()
	switch {
	case o == nil && !l.done():
		c.report(diag.New(diag.ValueExpected, c.place(l.pos, len(strings.TrimRight(l.text, " \t"))),
			"%s%s takes no value", prefix, c.d.Verb.Name))
		return
	case o == nil || l.done() && o.Bare:
		return
	case l.done():
		c.report(diag.New(diag.ValueExpected, at, "%s%s needs a value", prefix, c.d.Verb.Name).
			Noted("valid: %s", strings.Join(o.Words(), ", ")))
		return
	}
	values, f := l.values()
	if f != nil {
		c.fault(f, rawArg{})
		return
	}
	arg := &Arg{Option: o, Key: at}
	if l.skipSpace(); !l.done() {
		c.report(diag.New(diag.BadSyntax, c.place(l.pos, len(strings.TrimRight(l.text, " \t"))),
			"%s%s takes one list", prefix, c.d.Verb.Name).
			Hinted("separate the elements with a comma and no space"))
		return
	}
	if c.elements(arg, values) {
		c.d.Args = append(c.d.Args, arg)
	}
}
