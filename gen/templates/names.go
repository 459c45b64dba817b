package templates

import (
	"go/types"

	"github.com/dave/jennifer/jen"
)

// Names are the identifiers that a file is free to use.
type Names struct {
	Package string // its import path
	Imports []Import
	ByPath  map[string]string
	// FW is the runtime's name; the others are of local variables.
	FW, Receiver, Ctx, Event string
}

// Import is one line of the import block. Alias says that the name has to be written.
type Import struct {
	Path, Name string
	Alias      bool
}

// fw refers to a name of the runtime.
func (n *Names) fw(name string) *jen.Statement { return jen.Id(n.FW).Dot(name) }

// typed is a type as this file writes it. An alias stays what the user calls it.
func (n *Names) typed(t types.Type) *jen.Statement {
	return jen.Id(types.TypeString(t, func(p *types.Package) string {
		if p.Path() == n.Package {
			return ""
		}
		return n.ByPath[p.Path()]
	}))
}

// object refers to a variable or constant of some package.
func (n *Names) object(obj types.Object) *jen.Statement {
	if obj.Pkg() == nil || obj.Pkg().Path() == n.Package {
		return jen.Id(obj.Name())
	}
	return jen.Id(n.ByPath[obj.Pkg().Path()]).Dot(obj.Name())
}
