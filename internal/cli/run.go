package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fwgen/fwgen/gen"
	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/output"
	"github.com/fwgen/fwgen/internal/resolve"
)

// pass is the way of a run through its packages.
type pass struct {
	inv     *invocation
	prog    *load.Program
	models  map[*load.Package]*model.Package
	files   map[string][]output.File // generated in this run, by directory
	faulty  map[string][]byte        // those of them that do not compile, by path
	changes map[*load.Package][]output.Change
}

// prepare goes all the way to the changes that the packages need, making none.
func prepare(inv *invocation) (*pass, error) {
	prog, err := inv.load(inv.patterns())
	if err != nil {
		return nil, err
	}
	p := newPass(inv, prog, prog.Packages)
	return p, p.plan()
}

// newPass resolves the packages and renders the files of those without problems.
func newPass(inv *invocation, prog *load.Program, packages []*load.Package) *pass {
	p := &pass{
		inv:     inv,
		prog:    &load.Program{},
		files:   map[string][]output.File{},
		faulty:  map[string][]byte{},
		changes: map[*load.Package][]output.Change{},
	}
	scope := *prog
	scope.Packages = packages
	p.prog = &scope
	p.models = resolve.Packages(prog, packages)
	for _, pkg := range packages {
		if m := p.models[pkg]; m != nil && pkg.Problems.Len() == 0 {
			for _, f := range m.Files {
				p.render(pkg, m, f)
			}
		}
	}
	return p
}

// render renders a file and type-checks it with its package, so that what is written compiles
// wherever the user's code does.
func (p *pass) render(pkg *load.Package, m *model.Package, f *model.File) {
	path := pkg.OutputPath(f.Name)
	text, err := gen.File(m, f)
	if err != nil {
		pkg.Problems.Addf(diag.Internal, diag.Pos{File: path}, "a bug in fwgen: %v", err)
		return
	}
	p.files[pkg.Dir] = append(p.files[pkg.Dir], output.File{Path: path, Text: text})
	for _, fault := range p.prog.Verify(pkg, path, text) {
		at := p.prog.Fset.PositionFor(fault.Pos, false)
		p.faulty[path] = text
		pkg.Problems.Add(diag.New(diag.Internal, diag.Pos{
			File: path, Line: at.Line, Col: at.Column,
		}, "a bug in fwgen: what it generates does not compile: %s", fault.Msg).
			Noted("nothing was written; please report it with the line above"))
	}
}

// plan compares the directories without problems with what is there.
func (p *pass) plan() error {
	var failures []error
	for _, pkg := range p.prog.Packages {
		if pkg.Variant != load.Main || pkg.Problems.Len() > 0 {
			continue
		}
		changes, err := output.Plan(output.Package{
			Dir:     pkg.Dir,
			Foreign: pkg.Foreign,
			Files:   p.files[pkg.Dir],
			Own: slices.DeleteFunc(slices.Clone(pkg.Own), func(name string) bool {
				return slices.Contains(pkg.Kept, name)
			}),
		}, pkg.Problems)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		p.changes[pkg] = changes
	}
	return errors.Join(failures...)
}

// generate writes what has changed.
func generate(inv *invocation) (int, error) {
	p, err := prepare(inv)
	if p == nil {
		return exitFailure, err
	}
	return p.write(err)
}

// write makes the changes, with a line for each, and reports the problems.
func (p *pass) write(failure error) (int, error) {
	said := p.inv.Stdout
	if p.inv.machine() {
		said = p.inv.Stderr
	}
	for _, pkg := range p.prog.Packages {
		for _, c := range p.changes[pkg] {
			if err := output.Write(c); err != nil {
				failure = errors.Join(failure, err)
				continue
			}
			word := "wrote"
			if c.Action == output.Remove {
				word = "removed"
			}
			fmt.Fprintf(said, "%s %s\n", word, p.renderer().Relative(c.Path))
		}
	}
	return p.report(failure)
}

// pattern names a package the way a user in the working directory would.
func (p *pass) pattern(pkg *load.Package) string {
	switch rel := p.renderer().Relative(pkg.Dir); {
	case rel == ".":
		return rel
	case filepath.IsAbs(rel), rel[0] == '.':
		return rel
	default:
		return "./" + rel
	}
}
