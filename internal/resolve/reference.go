package resolve

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/parse"
)

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool {
	return types.Implements(t, errorType.Underlying().(*types.Interface))
}

func isErrorInterface(t types.Type) bool { return types.Identical(t, errorType) }

// matches resolves the errors that an argument names. Those that cannot be resolved are reported.
func (h *handler) matches(arg *parse.Arg) []model.Match {
	if arg == nil {
		return nil
	}
	var matches []model.Match
	for _, v := range arg.Values {
		if m, ok := h.match(v); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

func (h *handler) match(v parse.Value) (model.Match, bool) {
	name, pointer := strings.CutPrefix(v.Text, "*")
	obj := h.lookup(name, v, isErrorObject)
	if obj == nil {
		return model.Match{}, false
	}
	switch obj := obj.(type) {
	case *types.TypeName:
		return h.matchType(obj, pointer, v)
	case *types.Var, *types.Const:
		if !pointer && isError(obj.Type()) {
			return model.Match{Value: obj}, true
		}
		if obj.Type() == types.Typ[types.Invalid] {
			h.Problems.Add(diag.New(diag.Unresolved, v.Pos, "the type of %s cannot be resolved",
				name).With(h.objectPlace(obj), "it is declared here"))
			return model.Match{}, false
		}
	}
	h.notAnError(v, obj)
	return model.Match{}, false
}

func (h *handler) notAnError(v parse.Value, obj types.Object) {
	h.Problems.Add(diag.New(diag.NotAnError, v.Pos, "%s is neither an error value nor an error type",
		v.Text).With(h.objectPlace(obj), "%s is declared here", obj.Name()))
}

// matchType matches errors of a type. A type whose pointer is the error has to be named with *, as
// it is in Go, since errors.As looks for exactly the type that is named.
func (h *handler) matchType(obj *types.TypeName, pointer bool, v parse.Value) (model.Match, bool) {
	t := obj.Type()
	if named, ok := types.Unalias(t).(*types.Named); ok && named.TypeParams().Len() > 0 &&
		named.TypeArgs().Len() == 0 {
		h.Problems.Add(diag.New(diag.NotAnError, v.Pos, "%s is a generic type", obj.Name()).
			Hinted("name an alias of the type with its arguments").
			With(h.objectPlace(obj), "%s is declared here", obj.Name()))
		return model.Match{}, false
	}
	asPointer := types.NewPointer(t)
	switch {
	case pointer && isError(asPointer):
		return model.Match{Type: asPointer}, true
	case !pointer && isError(t):
		return model.Match{Type: t}, true
	case !pointer && isError(asPointer):
		h.Problems.Add(diag.New(diag.NotAnError, v.Pos, "%s is no error, *%s is", v.Text, v.Text).
			Hinted("write *%s", v.Text))
	default:
		h.notAnError(v, obj)
	}
	return model.Match{}, false
}

// isErrorObject tells whether an object can be meant where an error is expected.
func isErrorObject(obj types.Object) bool {
	switch obj.(type) {
	case *types.TypeName:
		return isError(obj.Type()) || isError(types.NewPointer(obj.Type()))
	case *types.Var, *types.Const:
		return isError(obj.Type())
	}
	return false
}

// lookup finds what a name in a directive means: a name of the package, of a dot import, or of a
// package that the directive's file imports. Nil means that it was reported; candidates says which
// objects are worth suggesting instead.
func (h *handler) lookup(
	name string, v parse.Value, candidates func(types.Object) bool,
) types.Object {
	file := h.fileScope(v.Pos.File)
	if file == nil {
		return nil
	}
	qualifier, selected, qualified := strings.Cut(name, ".")
	if !qualified {
		if _, obj := file.LookupParent(name, token.NoPos); obj != nil && !isPackage(obj) {
			return obj
		}
		h.undeclared(v, name, h.Types.Scope(), h.Name, candidates)
		return nil
	}
	imported, ok := file.Lookup(qualifier).(*types.PkgName)
	if !ok {
		h.Problems.Add(diag.New(diag.Undeclared, v.Pos, "the file imports no package %s", qualifier))
		return nil
	}
	obj := imported.Imported().Scope().Lookup(selected)
	switch {
	case obj == nil && !imported.Imported().Complete():
		h.Problems.Add(diag.New(diag.Unresolved, v.Pos, "%s cannot be resolved", v.Text).
			With(h.objectPlace(imported), "its package could not be imported"))
		return nil
	case obj == nil:
		h.undeclared(v, name, imported.Imported().Scope(), qualifier, func(o types.Object) bool {
			return o.Exported() && candidates(o)
		})
		return nil
	case !obj.Exported():
		h.Problems.Add(diag.New(diag.Inaccessible, v.Pos, "%s is not exported", v.Text))
		return nil
	}
	return obj
}

func isPackage(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

func (h *handler) undeclared(v parse.Value, name string, scope *types.Scope, in string,
	candidates func(types.Object) bool,
) {
	d := diag.New(diag.Undeclared, v.Pos, "%s is not declared in package %s", name, in)
	names := slices.DeleteFunc(scope.Names(), func(n string) bool {
		return !candidates(scope.Lookup(n))
	})
	prefix := name[:strings.LastIndex(name, ".")+1]
	if near := diag.Nearest(name[len(prefix):], names); near != "" {
		d = d.Hinted("did you mean %s%s?", prefix, near)
		if obj := scope.Lookup(near); prefix == "" {
			d = d.With(h.objectPlace(obj), "%s is declared here", near)
		}
	}
	h.Problems.Add(d)
}

// fileScope is the scope with the imports of a file.
func (h *handler) fileScope(name string) *types.Scope {
	for _, f := range h.Files {
		if h.prog.Fset.PositionFor(f.FileStart, false).Filename == name {
			return h.Types.Scope().Innermost(f.Name.End())
		}
	}
	return nil
}

// objectPlace is where an object is declared, if that is a place in the user's own code.
func (r *pkg) objectPlace(obj types.Object) diag.Pos {
	if !obj.Pos().IsValid() {
		return diag.Pos{}
	}
	at := r.prog.Place(obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())))
	if obj.Pkg() != r.Types {
		at.Col, at.Len = 0, 0
	}
	if !r.Holds(at.File) {
		return diag.Pos{}
	}
	return at
}

func contains(matches []model.Match, m model.Match) bool {
	return slices.ContainsFunc(matches, func(n model.Match) bool {
		if m.Value != nil || n.Value != nil {
			return m.Value == n.Value
		}
		return types.Identical(m.Type, n.Type)
	})
}
