package output

import (
	"go/ast"
	"go/token"
)

// description is what a generated FWStream says.
type description struct {
	name    string  // of the handler
	doc     string  // the document type
	fields  []entry // the settings, those of policies as Retry.Attempts
	methods []entry // of Handlers, and the pipeline

	source   []byte
	fset     *token.FileSet
	receiver string
}

// entry is a field of a literal. For a method's, method is its name.
type entry struct{ key, text, method string }

// read takes a method apart: return fw.Stream{…}.
func (d *description) read(f *ast.FuncDecl) {
	recv := f.Recv.List[0]
	t := recv.Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, ok := t.(*ast.Ident)
	if !ok || len(recv.Names) == 0 || len(f.Body.List) == 0 {
		return
	}
	ret, ok := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return
	}
	d.name, d.receiver = name.Name, recv.Names[0].Name
	d.each(ret.Results[0], func(key string, value ast.Expr) {
		switch key {
		case "Handle":
			d.handlers(value)
		case "Pipeline":
			d.method(key, value)
		default:
			d.field(key, value)
		}
	})
}

// each walks the fields of a struct literal. It tells whether it is one.
func (d *description) each(e ast.Expr, visit func(key string, value ast.Expr)) bool {
	literal, ok := e.(*ast.CompositeLit)
	if !ok || len(literal.Elts) == 0 {
		return false
	}
	for _, element := range literal.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		if key, ok := kv.Key.(*ast.Ident); ok {
			visit(key.Name, kv.Value)
		}
	}
	return true
}

func (d *description) field(key string, value ast.Expr) {
	nested := d.each(value, func(inner string, value ast.Expr) {
		d.fields = append(d.fields, entry{key: key + "." + inner, text: d.text(value)})
	})
	if !nested {
		d.fields = append(d.fields, entry{key: key, text: d.text(value)})
	}
}

// handlers reads fw.Typed(fw.Handlers[T]{…}).
func (d *description) handlers(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	literal, ok := call.Args[0].(*ast.CompositeLit)
	if !ok {
		return
	}
	if index, ok := literal.Type.(*ast.IndexExpr); ok {
		d.doc = d.text(index.Index)
	}
	d.each(literal, func(key string, value ast.Expr) {
		if key != "Decode" {
			d.method(key, value)
		}
	})
}

// method finds the method of the handler that an expression calls or names.
func (d *description) method(key string, value ast.Expr) {
	m := entry{key: key, text: d.text(value), method: key}
	ast.Inspect(value, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == d.receiver {
				m.method = s.Sel.Name
			}
		}
		return true
	})
	d.methods = append(d.methods, m)
}

func (d *description) text(n ast.Node) string {
	from, to := d.fset.Position(n.Pos()).Offset, d.fset.Position(n.End()).Offset
	return string(d.source[from:to])
}
