package cli

import (
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
	"github.com/fwgen/fwgen/internal/spec"
)

// setting is one that holds for a stream, with the place that it comes from; none for a default.
type setting struct {
	name, value string
	at          diag.Pos
}

// settings are all that hold for the stream, in the order of the option table. Those of policies
// that the stream does not have are left out.
func (s stream) settings() []setting {
	var list []setting
	for _, v := range spec.Verbs {
		if v.Target != spec.OnType || !s.has(v.Name) {
			continue
		}
		for _, o := range v.Keys {
			if name := v.Name + "." + o.Name; !o.Missing && !s.toldElsewhere(name) {
				list = append(list, s.setting(name, o))
			}
		}
	}
	return list
}

// has tells whether the stream has what a verb is about.
func (s stream) has(verb string) bool {
	switch verb {
	case "retry":
		return s.Stream.Retry.Attempts > 1 || parse.Find(s.decl.Directives, verb) != nil
	case "dlq":
		return s.Stream.DLQ.Enabled
	case "lease":
		return s.mode() == "single_leader"
	default:
		return true
	}
}

// toldElsewhere is true for a key of //fw:changestream that another verb has the whole of, and for
// one that has no meaning beside it.
func (s stream) toldElsewhere(name string) bool {
	switch name {
	case "changestream.retry":
		return s.has("retry")
	case "changestream.dlq", "changestream.exhausted":
		return s.has("dlq")
	default:
		return false
	}
}

// sources are keys that say the same as another, where that is not written.
var sources = map[string]string{
	"changestream.name": "changestream.collection",
	"retry.attempts":    "changestream.retry",
	"dlq.collection":    "changestream.dlq",
}

// setting resolves one option.
func (s stream) setting(name string, o *spec.Option) setting {
	for _, source := range []string{name, sources[name]} {
		verb, key, _ := strings.Cut(source, ".")
		d := parse.Find(s.decl.Directives, verb)
		if d == nil || d.Arg(key) == nil {
			continue
		}
		if arg := d.Arg(key); len(arg.Values) > 0 {
			return setting{name, text(arg), arg.Key}
		} else if source == name {
			return setting{name, "yes", arg.Key}
		}
	}
	return setting{name: name, value: s.fallback(name, o)}
}

// text is an argument's value as it was written, without quotes.
func text(arg *parse.Arg) string {
	var values []string
	for _, v := range arg.Values {
		values = append(values, v.Text)
	}
	return strings.Join(values, ",")
}

// fallback is what holds where an option is not written.
func (s stream) fallback(name string, o *spec.Option) string {
	switch {
	case name == "changestream.database":
		return "(the application's)"
	case name == "changestream.doc":
		return "(as the methods show)"
	case name == "changestream.fulldocument" && s.Update == nil && s.Change == nil:
		return "off"
	case name == "retry.on":
		return "(all errors)"
	case o.Default == "":
		return "(none)"
	default:
		return o.Default
	}
}
