package resolve

import (
	"go/types"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
)

// lostMethods reports handler methods of embedded types that Go does not promote: because a field
// hides one, or because two embedded types have it at the same depth, so that the handler has
// neither. The compiler says nothing as long as nobody calls them.
func (h *handler) lostMethods() (found bool) {
	for _, name := range roleNames {
		origins := h.embedded(name)
		if len(origins) == 0 {
			continue
		}
		obj, index, _ := types.LookupFieldOrMethod(types.NewPointer(h.named), true, h.Types, name)
		field, isField := obj.(*types.Var)
		switch {
		case isField:
			h.lost(name, h.objectPlace(field), origins, "is hidden by a field of that name",
				"rename the field")
		case obj == nil && index != nil:
			h.lost(name, h.decl.Pos, origins, "is a method of "+among(origins)+
				", so Go promotes neither", "declare it on "+h.out.Type)
		default:
			continue
		}
		found = true
	}
	return found
}

func (h *handler) lost(name string, at diag.Pos, origins []*types.Func, why, hint string) {
	if !at.IsValid() {
		at = h.decl.Pos
	}
	d := diag.New(diag.NearMethod, at, "%s.%s %s", h.out.Type, name, why).
		Hinted("%s", hint)
	for _, fn := range origins {
		d = d.With(h.objectPlace(fn), "%s is declared here", name)
	}
	h.Problems.Add(d)
}

// embedded finds the methods of a name that the handler's embedded types have.
func (h *handler) embedded(name string) []*types.Func {
	structure, ok := h.named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var list []*types.Func
	for f := range structure.Fields() {
		if !f.Embedded() {
			continue
		}
		t := f.Type()
		if _, isPointer := types.Unalias(t).(*types.Pointer); !isPointer && !types.IsInterface(t) {
			t = types.NewPointer(t)
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, h.Types, name)
		if fn, ok := obj.(*types.Func); ok && !slices.Contains(list, fn) {
			list = append(list, fn)
		}
	}
	return list
}

// among lists the receivers of methods.
func among(list []*types.Func) string {
	var names []string
	for _, fn := range list {
		t := fn.Signature().Recv().Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		names = append(names, types.TypeString(t, (*types.Package).Name))
	}
	return strings.Join(names, " and ")
}
