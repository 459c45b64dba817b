package resolve

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

const (
	runtimePath = load.Runtime
	driverPath  = "go.mongodb.org/mongo-driver/v2"
)

// isNamed tells whether a type is the named one of a package.
func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil &&
		named.Obj().Pkg().Path() == path
}

// eventType returns T of a *fw.Event[T].
func eventType(t types.Type) (doc types.Type, ok bool) {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok || !isEventValue(p.Elem()) {
		return nil, false
	}
	args := types.Unalias(p.Elem()).(*types.Named).TypeArgs()
	if args.Len() != 1 {
		return nil, false
	}
	return args.At(0), true
}

// isEventValue tells whether a type is an fw.Event[T] without the pointer.
func isEventValue(t types.Type) bool { return isNamed(t, runtimePath, "Event") }

// rawTypes are the driver's own forms of a document.
var rawTypes = []string{"Raw", "D", "M"}

func isRaw(t types.Type) bool {
	for _, name := range rawTypes {
		if isNamed(t, driverPath+"/bson", name) {
			return true
		}
	}
	return false
}

// documentParam takes the document type from a parameter: *T for a struct, T for the driver's.
func (h *handler) documentParam(c *candidate, i int) bool {
	t := c.fn.Signature().Params().At(i).Type()
	at := h.paramPlace(c, i)
	p, isPointer := types.Unalias(t).(*types.Pointer)
	switch {
	case isRaw(t):
		return h.document(t, at)
	case isPointer && isRaw(p.Elem()):
		h.Problems.Add(diag.New(diag.BadDocument, at, "%s is passed by value",
			h.typeName(p.Elem())).Hinted("write %s", h.typeName(p.Elem())))
		return false
	case isPointer:
		return h.document(p.Elem(), at)
	}
	d := diag.New(diag.BadDocument, at, "%s cannot be a document", h.typeName(t)).
		Noted("a document is a pointer to a struct, or a bson.Raw, bson.D or bson.M")
	if _, isStruct := t.Underlying().(*types.Struct); isStruct {
		d = d.Hinted("write *%s", h.typeName(t))
	}
	h.Problems.Add(d)
	return false
}

// eventParam takes the document type from a parameter *fw.Event[T].
func (h *handler) eventParam(c *candidate, i int) bool {
	doc, _ := eventType(c.fn.Signature().Params().At(i).Type())
	at := h.paramPlace(c, i)
	if c.decl != nil {
		at = h.place(eventArgument(paramTypes(c.decl)[i]))
	}
	return h.document(doc, at)
}

// eventArgument is the T in the source of a *fw.Event[T], if it is written there.
func eventArgument(expr ast.Expr) ast.Expr {
	star, ok := expr.(*ast.StarExpr)
	if !ok {
		return expr
	}
	if index, ok := star.X.(*ast.IndexExpr); ok {
		return index.Index
	}
	return expr
}

// document makes t the handler's document type, or compares it with the one seen before.
func (h *handler) document(t types.Type, at diag.Pos) bool {
	if h.out.Doc != nil {
		if types.Identical(h.out.Doc, t) {
			return true
		}
		h.Problems.Add(diag.New(diag.TypesDisagree, at,
			"the methods of %s disagree about the document: %s here, %s before",
			h.out.Type, h.typeName(t), h.typeName(h.out.Doc)).
			With(h.doc, "%s is taken here", h.typeName(h.out.Doc)))
		return false
	}
	if !h.checkDocument(t, at) {
		return false
	}
	h.out.Doc, h.out.Raw, h.doc = t, isRaw(t), at
	h.writes(t)
	return true
}

func (h *handler) checkDocument(t types.Type, at diag.Pos) bool {
	if isRaw(t) {
		return true
	}
	_, isNamed := types.Unalias(t).(*types.Named)
	_, isStruct := t.Underlying().(*types.Struct)
	switch {
	case !isStruct:
		h.Problems.Add(diag.New(diag.BadDocument, at, "%s cannot be a document", h.typeName(t)).
			Noted("a document is a struct, or a bson.Raw, bson.D or bson.M"))
		return false
	case !isNamed:
		h.Problems.Add(diag.New(diag.BadDocument, at, "a document's struct type needs a name").
			Hinted("declare a type for it"))
		return false
	}
	return h.canWrite(t, at)
}

// accessible tells whether a package may name another's type: it is exported, and not internal to
// some other tree.
func accessible(obj *types.TypeName, from string) bool {
	path := obj.Pkg().Path()
	if i := strings.LastIndex("/"+path+"/", "/internal/"); i >= 0 {
		parent := strings.TrimSuffix(("/" + path)[:i], "/")
		if parent == "" || !strings.HasPrefix("/"+from+"/", parent+"/") {
			return false
		}
	}
	return obj.Exported()
}

// docArgument compares doc= with what the methods show.
func (h *handler) docArgument() {
	arg := h.arg("changestream", "doc")
	if arg == nil {
		return
	}
	v := arg.Values[0]
	obj := h.lookup(v.Text, v, isType)
	if obj == nil {
		return
	}
	if !isType(obj) {
		h.Problems.Add(diag.New(diag.BadDocument, v.Pos, "%s is no type", v.Text).
			With(h.objectPlace(obj), "it is declared here"))
		return
	}
	h.document(obj.Type(), v.Pos)
}

// typeError is a problem for what the type checker found.
func (h *handler) typeError(err types.Error) diag.Diagnostic {
	at := h.prog.Place(err.Pos, err.Pos+1)
	name, undefined := strings.CutPrefix(err.Msg, "undefined: ")
	if !undefined {
		return h.redeclared(err, diag.New(diag.Unresolved, at, "%s", err.Msg))
	}
	qualifier, selected, qualified := strings.Cut(name, ".")
	scope, prefix := h.Types.Scope(), ""
	if !qualified {
		selected = name
	} else if imported, ok := h.fileScope(at.File).Lookup(qualifier).(*types.PkgName); ok {
		scope, prefix = imported.Imported().Scope(), qualifier+"."
	}
	at.Len = len(selected)
	d := diag.New(diag.Undeclared, at, "%s is not declared", name)
	names := slices.DeleteFunc(scope.Names(), func(n string) bool {
		return !isType(scope.Lookup(n)) || qualified && !token.IsExported(n)
	})
	if near := diag.Nearest(selected, names); near != "" {
		d = d.Hinted("did you mean %s%s?", prefix, near).
			With(h.objectPlace(scope.Lookup(near)), "%s is declared here", near)
	}
	return d
}

// declaredAt is how the type checker points to the other of two declarations.
var declaredAt = regexp.MustCompile(`^(.* already declared) at (.+):(\d+):(\d+)$`)

// redeclared makes the place inside a message a related place.
func (h *handler) redeclared(err types.Error, d diag.Diagnostic) diag.Diagnostic {
	match := declaredAt.FindStringSubmatch(err.Msg)
	if match == nil {
		return d
	}
	line, _ := strconv.Atoi(match[3])
	col, _ := strconv.Atoi(match[4])
	d.Message = match[1]
	return d.With(diag.Pos{File: match[2], Line: line, Col: col}, "the other is here")
}

func isType(obj types.Object) bool {
	_, ok := obj.(*types.TypeName)
	return ok
}

// importFault reports a parameter whose type is unknown because its package could not be imported:
// the type checker complains at the import only.
func (h *handler) importFault(c *candidate) bool {
	params := c.fn.Signature().Params()
	for i := range params.Len() {
		if !invalid(params.At(i).Type()) {
			continue
		}
		d := diag.New(diag.Unresolved, h.paramPlace(c, i), "the type of this parameter is unknown")
		for _, err := range h.TypeErrors {
			if strings.HasPrefix(err.Msg, "could not import") && h.sameFile(err.Pos, c.decl.Pos()) {
				d = d.With(h.prog.Place(err.Pos, err.Pos), "%s", err.Msg)
			}
		}
		if ofC(paramTypes(c.decl)[i]) {
			d = d.Hinted("it is a type of C; a document is one of Go")
		}
		h.Problems.Add(d)
		return true
	}
	return false
}

// ofC tells whether a type expression names something of cgo's pseudo package.
func ofC(expr ast.Expr) (found bool) {
	ast.Inspect(expr, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, isName := s.X.(*ast.Ident)
			found = found || isName && x.Name == "C"
		}
		return true
	})
	return found
}

func (h *handler) sameFile(a, b token.Pos) bool {
	return h.prog.Fset.File(a) == h.prog.Fset.File(b)
}

// invalid tells whether a type could not be resolved, or what it points to, or what it is an event
// of.
func invalid(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return invalid(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if invalid(arg) {
				return true
			}
		}
	}
	return false
}
