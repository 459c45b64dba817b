package cli

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"unicode"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/spec"
)

func initFlags(inv *invocation, flags *flag.FlagSet) {
	flags.StringVar(&inv.collection, "collection", inv.collection,
		"watch the collection of this `name`, instead of one that is named after the type")
}

// initialize writes the source of a new handler for a document type, and generates its package.
func initialize(inv *invocation) (int, error) {
	if len(inv.args) != 1 {
		return exitFailure, errors.New("name one document type, as in fwgen init ./orders.Order")
	}
	pattern, name := splitHandler(inv.args[0])
	if name == "" {
		return exitFailure, fmt.Errorf("%s names no type; write %s.Order", pattern,
			strings.TrimSuffix(pattern, "/"))
	}
	if err := inv.checkCollection(); err != nil {
		return exitFailure, err
	}
	done := inv.waiting()
	config := load.Config{Dir: inv.Dir, Env: inv.Env, Tags: inv.tags}
	prog, err := load.Scan(config, pattern)
	done()
	if err != nil {
		return exitFailure, err
	}
	if n := len(prog.Packages); n > 0 && prog.Packages[n-1].Dir != prog.Packages[0].Dir {
		return exitFailure, fmt.Errorf("%s matches several packages", pattern)
	}
	if prog.Packages[0].Name == "" {
		return exitFailure, fmt.Errorf("there is no Go package in %s", pattern)
	}
	s := &scaffold{inv: inv, prog: prog, pkg: prog.Packages[0], document: name, handler: name + "Handler"}
	path, err := s.write()
	if err != nil {
		return exitFailure, err
	}
	fmt.Fprintf(inv.Stdout, "wrote %s\n", diag.Renderer{Dir: inv.Dir}.Relative(path))
	inv.args = []string{pattern}
	return generate(inv)
}

// checkCollection refuses a name that the directive would not accept, before it is in a file.
func (inv *invocation) checkCollection() error {
	if inv.collection == "" {
		return nil
	}
	option := spec.Lookup("changestream").Lookup("collection")
	if _, problem := option.Parse(inv.collection); problem != nil {
		return errors.New(problem.Message)
	}
	if strings.ContainsFunc(inv.collection, unicode.IsSpace) ||
		strings.ContainsAny(inv.collection, "\"`,=") {
		return fmt.Errorf("the collection %q needs quotes in a directive; write it there by hand",
			inv.collection)
	}
	return nil
}
