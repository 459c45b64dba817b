package cli

import (
	"errors"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/output"
)

// check reports what generate would change.
func check(inv *invocation) (int, error) {
	p, err := prepare(inv)
	if p == nil {
		return exitFailure, err
	}
	for _, pkg := range p.prog.Packages {
		for _, c := range p.changes[pkg] {
			output.Check(c, p.pattern(pkg), p.places(pkg), pkg.Problems)
		}
	}
	return p.report(err)
}

// places finds the declarations of a directory's handlers.
func (p *pass) places(pkg *load.Package) output.Place {
	streams := p.streams() // before the first problem is added
	return func(handler, method string) diag.Pos {
		for _, s := range streams {
			if s.pkg.Dir != pkg.Dir || s.Type != handler {
				continue
			}
			if method == "" {
				return s.decl.Pos
			}
			return s.methodPlace(p.prog, method)
		}
		return diag.Pos{}
	}
}

// diff prints what generate would change, and changes nothing.
func diff(inv *invocation) (int, error) {
	p, err := prepare(inv)
	if p == nil {
		return exitFailure, err
	}
	differs := false
	for _, pkg := range p.prog.Packages {
		for _, c := range p.changes[pkg] {
			differs = true
			text := output.Diff(c, p.renderer().Relative(c.Path))
			if _, failed := inv.Stdout.Write(text); failed != nil {
				return exitFailure, errors.Join(err, failed)
			}
		}
	}
	code, err := p.report(err)
	if differs && code == exitFine {
		code = exitProblems
	}
	return code, err
}
