package resolve

import (
	"go/types"

	"github.com/fwgen/fwgen/internal/diag"
)

// walk visits a type and the types that it is written with: the arguments of a generic one, the
// elements of an unnamed one, but not what a name stands for. It stops where visit says no.
func walk(t types.Type, visit func(types.Type) bool) {
	if !visit(t) {
		return
	}
	each := func(list interface{ Len() int }, at func(int) types.Type) {
		for i := range list.Len() {
			walk(at(i), visit)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		if args := t.TypeArgs(); args != nil {
			each(args, args.At)
		}
	case *types.Named:
		if args := t.TypeArgs(); args != nil {
			each(args, args.At)
		}
	case *types.Map:
		walk(t.Key(), visit)
		walk(t.Elem(), visit)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		walk(t.Elem(), visit)
	case *types.Struct:
		for f := range t.Fields() {
			walk(f.Type(), visit)
		}
	case *types.Tuple:
		each(t, func(i int) types.Type { return t.At(i).Type() })
	case *types.Signature:
		walk(t.Params(), visit)
		walk(t.Results(), visit)
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			walk(m.Type(), visit)
		}
		for e := range t.EmbeddedTypes() {
			walk(e, visit)
		}
	}
}

// typeNameOf is the name that a type is written with.
func typeNameOf(t types.Type) *types.TypeName {
	switch t := t.(type) {
	case *types.Alias:
		return t.Obj()
	case *types.Named:
		return t.Obj()
	}
	return nil
}

// canWrite reports a type that the generated file cannot write because this package may not use
// one of its names.
func (h *handler) canWrite(t types.Type, at diag.Pos) bool {
	var hidden *types.TypeName
	walk(t, func(t types.Type) bool {
		obj := typeNameOf(t)
		if obj != nil && obj.Pkg() != nil && obj.Pkg() != h.Types &&
			!accessible(obj, h.ImportPath()) && hidden == nil {
			hidden = obj
		}
		return true
	})
	if hidden == nil {
		return true
	}
	h.Problems.Add(diag.New(diag.Inaccessible, at, "package %s cannot use %s", h.Name,
		h.typeName(hidden.Type())).With(h.objectPlace(hidden), "it is declared here"))
	return false
}

// writes takes note of the predeclared names that a type is written with.
func (r *pkg) writes(t types.Type) {
	walk(t, func(t types.Type) bool {
		name := ""
		if basic, ok := t.(*types.Basic); ok {
			name = basic.Name()
		} else if obj := typeNameOf(t); obj != nil && obj.Pkg() == nil {
			name = obj.Name()
		}
		if types.Universe.Lookup(name) != nil {
			r.predeclared[name] = true
		}
		return true
	})
}
