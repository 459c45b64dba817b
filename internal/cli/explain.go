package cli

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/manual"
	"github.com/fwgen/fwgen/internal/spec"
)

// explain tells what a code, a directive, a key or a handler means.
func explain(inv *invocation) (int, error) {
	if len(inv.args) == 0 {
		return exitFailure, errors.New("name what to explain: a code as FW1102, " +
			"a directive as changestream, a key as changestream.mode, " +
			"or a handler as ./orders.OrderHandler")
	}
	worst := exitFine
	for i, what := range inv.args {
		if i > 0 {
			fmt.Fprintln(inv.Stdout)
		}
		code, err := inv.explain(what)
		if err != nil {
			return code, err
		}
		worst = max(worst, code)
	}
	return worst, nil
}

func (inv *invocation) explain(what string) (int, error) {
	if code, ok := diag.ParseCode(what); ok {
		_, err := io.WriteString(inv.Stdout, manual.Code(diag.Explain(code)))
		return exitFine, err
	}
	if text := directive(strings.TrimPrefix(strings.TrimPrefix(what, "//"), "fw:")); text != "" {
		_, err := io.WriteString(inv.Stdout, text)
		return exitFine, err
	}
	if strings.ContainsAny(what, `/\`) || strings.HasPrefix(what, ".") ||
		token.IsExported(what) && !codeLike.MatchString(what) {
		return inv.explainHandler(what)
	}
	return exitFailure, unknownTopic(what)
}

// directive explains a verb, a key of one, or a key of whichever verbs have it. It is empty where
// there is none.
func directive(what string) string {
	verb, key, qualified := strings.Cut(what, ".")
	if v := spec.Lookup(verb); v != nil && !qualified {
		return manual.Verb(v)
	} else if v != nil && v.Lookup(key) != nil {
		return manual.Option(v, v.Lookup(key))
	}
	var texts []string
	for _, v := range spec.Verbs {
		if o := v.Lookup(what); o != nil {
			texts = append(texts, manual.Option(v, o))
		}
	}
	return strings.Join(texts, "\n")
}

var codeLike = regexp.MustCompile(`^(?i:FW)\d+$`)

// unknownTopic says what there is instead.
func unknownTopic(what string) error {
	if codeLike.MatchString(what) {
		return fmt.Errorf("there is no code %s; docs/diagnostics.md lists them all", what)
	}
	var topics []string
	for _, v := range spec.Verbs {
		topics = append(topics, v.Name)
		for _, o := range v.Keys {
			topics = append(topics, v.Name+"."+o.Name, o.Name)
		}
	}
	verb, key, qualified := strings.Cut(what, ".")
	if v := spec.Lookup(verb); v != nil && qualified {
		var keys []string
		for _, o := range v.Keys {
			keys = append(keys, o.Name)
		}
		return fmt.Errorf("//fw:%s has no key %s%s", verb, key, nearest(key, keys))
	}
	return fmt.Errorf("nothing is called %q%s", what, nearest(what, topics))
}

// splitHandler divides ./orders.OrderHandler into a pattern and a type. Without a type, all
// handlers of the package are meant.
func splitHandler(what string) (pattern, name string) {
	slash := strings.LastIndexAny(what, `/\`)
	dot := strings.LastIndexByte(what, '.')
	if dot > slash && token.IsIdentifier(what[dot+1:]) {
		pattern, name = what[:dot], what[dot+1:]
		if pattern == "" {
			pattern = "."
		}
		return pattern, name
	}
	if token.IsExported(what) && token.IsIdentifier(what) {
		return ".", what
	}
	return what, ""
}

// explainHandler explains one handler, or all of a package.
func (inv *invocation) explainHandler(what string) (int, error) {
	pattern, name := splitHandler(what)
	run := *inv
	run.args = []string{pattern}
	p, err := prepare(&run)
	if err != nil {
		return exitFailure, err
	}
	all := p.streams()
	shown := 0
	for _, s := range all {
		if name != "" && s.Type != name {
			continue
		}
		if shown++; shown > 1 {
			fmt.Fprintln(inv.Stdout)
		}
		p.explainStream(s)
	}
	code, err := p.report(nil)
	if shown > 0 || code != exitFine || err != nil {
		return code, err
	}
	if name == "" {
		return exitFailure, fmt.Errorf("no handler in %s", pattern)
	}
	return exitFailure, fmt.Errorf("no handler %s in %s%s", name, pattern, nearest(name, names(all)))
}
