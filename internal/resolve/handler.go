package resolve

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/parse"
)

// pkg resolves one package.
type pkg struct {
	*load.Package
	prog  *load.Program
	decls map[*types.Func]*ast.FuncDecl
	// methods are the directives of methods, used those that some handler has.
	methods map[*ast.FuncDecl]*parse.Method
	used    map[*ast.FuncDecl]bool
	// predeclared are names of the universe that the handlers' types are written with.
	predeclared map[string]bool
	streams     []Stream
}

// handler resolves one handler.
type handler struct {
	*pkg
	decl  *parse.Type
	file  *load.Directives
	named *types.Named
	out   *model.Handler
	// doc is where the document type was seen first.
	doc   diag.Pos
	roles map[role]*candidate
}

// Package resolves a package whose types are loaded. What is wrong is added to the package's
// problems; the result is to be used only where there are none.
func Package(prog *load.Program, p *load.Package) (*model.Package, []Stream) {
	r := &pkg{
		Package: p,
		prog:    prog,
		decls:   map[*types.Func]*ast.FuncDecl{},
		methods: map[*ast.FuncDecl]*parse.Method{},
		used:    map[*ast.FuncDecl]bool{},

		predeclared: map[string]bool{},
	}
	r.index()
	out := &model.Package{Path: p.Path, Name: p.Name, Taken: map[string]bool{}}
	for name := range p.Taken {
		out.Taken[name] = true
	}
	for _, d := range p.Directives {
		for _, t := range d.Types {
			if h := r.handler(t, d); h != nil {
				file := out.File(d.Output, d.Build)
				file.Handlers = append(file.Handlers, h)
			}
		}
	}
	r.shadowed()
	r.unusedMethods()
	return out, r.streams
}

func (r *pkg) index() {
	for _, file := range r.Files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				if fn, ok := r.Info.Defs[f.Name].(*types.Func); ok {
					r.decls[fn] = f
				}
			}
		}
	}
	for _, d := range r.Directives {
		for _, m := range d.Methods {
			r.methods[m.Func] = m
		}
	}
}

func (r *pkg) place(n ast.Node) diag.Pos { return r.prog.Place(n.Pos(), n.End()) }

func (r *pkg) handler(t *parse.Type, d *load.Directives) *model.Handler {
	h := &handler{pkg: r, decl: t, file: d, out: &model.Handler{Type: t.Spec.Name.Name},
		roles: map[role]*candidate{}}
	if !h.checkType() {
		for _, f := range h.declared() {
			h.used[f] = true // their directives are right
		}
		return nil
	}
	h.settings()
	h.findMethods()
	h.contradictions()
	return h.out
}

// checkType tells whether the annotated type can have an FWStream method.
func (h *handler) checkType() bool {
	obj, _ := h.Info.Defs[h.decl.Spec.Name].(*types.TypeName)
	if obj == nil {
		return false // a syntax error, which was reported
	}
	first := h.decl.Directives[0].Pos
	named, ok := obj.Type().(*types.Named)
	if !ok {
		h.Problems.Add(diag.New(diag.Misplaced, first, "a directive on an alias"))
		return false
	}
	h.named = named
	structure, ok := named.Underlying().(*types.Struct)
	switch {
	case named.TypeParams().Len() > 0:
		h.Problems.Add(diag.New(diag.GenericHandler, h.place(h.decl.Spec.Name),
			"a handler cannot have type parameters: %s", h.out.Type).
			Hinted("embed it in a type of its own: type OrderHandler struct{ %s[Order] }",
				h.out.Type))
		return false
	case !ok:
		h.Problems.Add(diag.New(diag.Misplaced, first, "a directive on %s, which is no struct",
			h.out.Type).Hinted("directives belong above a struct type"))
		return false
	case obj.Name() == "_":
		h.Problems.Addf(diag.Misplaced, first, "a directive on a type without a name")
		return false
	}
	return h.checkFWStream(structure)
}

// checkFWStream reports a hand-written FWStream; one that is promoted is no hindrance.
func (h *handler) checkFWStream(structure *types.Struct) bool {
	for i := range h.named.NumMethods() {
		if m := h.named.Method(i); m.Name() == "FWStream" {
			h.taken(m, "method")
			return false
		}
	}
	for i := range structure.NumFields() {
		if f := structure.Field(i); f.Name() == "FWStream" {
			h.taken(f, "field")
			return false
		}
	}
	return true
}

func (h *handler) taken(obj types.Object, kind string) {
	h.Problems.Add(diag.New(diag.FWStreamTaken, h.objectPlace(obj),
		"%s has a %s FWStream, which fwgen generates", h.out.Type, kind).
		Hinted("remove it, or the directives of %s", h.out.Type))
}

// needed are the predeclared names that generated code uses.
var needed = []string{"bool", "error", "nil", "string", "true"}

// shadowed reports declarations that take a predeclared name away from the generated file.
func (r *pkg) shadowed() {
	for _, name := range needed {
		r.predeclared[name] = true
	}
	for name := range r.predeclared {
		at, ok := r.Taken[name]
		if !ok {
			continue
		}
		r.Problems.Add(diag.New(diag.Shadowed, diag.Pos{
			File: at.Filename, Line: at.Line, Col: at.Column, Len: len(name),
		}, "the package declares %s, which the generated file needs as Go predeclares it", name).
			Hinted("give it another name"))
	}
}

// meant tells whether a type has a comment that was meant to be its //fw:changestream.
func (r *pkg) meant(name string) bool {
	return slices.ContainsFunc(r.Directives, func(d *load.Directives) bool { return d.Meant[name] })
}

// unusedMethods reports directives on methods that no handler of the package has.
func (r *pkg) unusedMethods() {
	var unused []*parse.Method
	for f, m := range r.methods {
		if !r.used[f] && !r.meant(receiver(f)) {
			unused = append(unused, m)
		}
	}
	slices.SortFunc(unused, func(a, b *parse.Method) int {
		return cmp.Compare(a.Func.Pos(), b.Func.Pos())
	})
	for _, m := range unused {
		for _, d := range m.Directives {
			r.Problems.Add(diag.New(diag.NoChangestream, d.Pos,
				"//fw:%s on a method of a type without //fw:changestream", d.Verb.Name).
				Hinted("it belongs on a method of a handler"))
		}
	}
}
