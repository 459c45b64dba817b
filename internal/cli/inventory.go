package cli

import (
	"cmp"
	"go/types"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/parse"
)

// stream is a handler as commands tell of it: what was written, and what was understood.
type stream struct {
	*model.Handler
	pkg  *load.Package
	decl *parse.Type
}

// streams lists the handlers of all packages without problems, in the order of the source.
func (p *pass) streams() []stream {
	var list []stream
	for _, pkg := range p.prog.Packages {
		understood := p.models[pkg]
		if understood == nil || pkg.Problems.Len() > 0 {
			continue
		}
		for _, d := range pkg.Directives {
			for _, t := range d.Types {
				if h := understood.Handler(t.Spec.Name.Name); h != nil {
					list = append(list, stream{h, pkg, t})
				}
			}
		}
	}
	return list
}

// mode is the stream's, or the default.
func (s stream) mode() string { return cmp.Or(s.Stream.Mode, "all_instances") }

// route is an operation and the method that handles it.
type route struct {
	operation string
	method    *model.Method
}

// routes are the operations in the order of their directives' words, with their methods; nil where
// nobody handles one. The runtime routes by the same rules.
func (s stream) routes() []route {
	replace := cmp.Or(s.Replace, s.Change, s.Update)
	return []route{
		{"insert", cmp.Or(s.Insert, s.Change)},
		{"update", cmp.Or(s.Update, s.Change)},
		{"replace", replace},
		{"delete", cmp.Or(s.Delete, s.Change)},
		{"drop", s.Change}, {"rename", s.Change}, {"dropDatabase", s.Change},
	}
}

// methodPlace is where a method of the handler is declared: to the column, if the package declares
// it itself.
func (s stream) methodPlace(prog *load.Program, name string) diag.Pos {
	obj := s.pkg.Types.Scope().Lookup(s.Type)
	if obj == nil {
		return diag.Pos{}
	}
	method, _, _ := types.LookupFieldOrMethod(obj.Type(), true, s.pkg.Types, name)
	if method == nil {
		return diag.Pos{}
	}
	at := prog.Fset.PositionFor(method.Pos(), false)
	pos := diag.Pos{File: at.Filename, Line: at.Line}
	if method.Pkg() == s.pkg.Types {
		pos.Col, pos.Len = at.Column, len(name)
	}
	return pos
}
