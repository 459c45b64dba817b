package resolve

import "go/ast"

// declared lists the declarations of methods with the handler as receiver, by their syntax: a
// method that Go does not accept, such as a second one of the same name, is among them.
func (h *handler) declared() []*ast.FuncDecl {
	var list []*ast.FuncDecl
	for _, file := range h.Files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && receiver(f) == h.out.Type {
				list = append(list, f)
			}
		}
	}
	return list
}

// receiver is the name of a method's receiver type.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
