package parse

import "go/ast"

// owner is what a group of comments belongs to.
type owner struct {
	spec *ast.TypeSpec // a type that can have directives
	fun  *ast.FuncDecl // a method or function
	// kind names anything else: "a field", "an interface". Empty for a comment on its own.
	kind string
	// behind says that the comment follows code on its line.
	behind bool
}

// alias is the kind of an alias declaration, which has a correction of its own.
const alias = "an alias"

// owners finds the declaration of every comment group that has one.
type owners struct {
	of    map[*ast.CommentGroup]owner
	depth int // of function bodies
}

func findOwners(file *ast.File) map[*ast.CommentGroup]owner {
	o := &owners{of: map[*ast.CommentGroup]owner{}}
	o.set(file.Doc, owner{kind: "the package clause"})
	ast.Walk(o, file)
	return o.of
}

func (o *owners) set(group *ast.CommentGroup, w owner) {
	if group != nil {
		o.of[group] = w
	}
}

// Visit implements [ast.Visitor].
func (o *owners) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl:
		o.set(n.Doc, owner{fun: n})
		return &owners{of: o.of, depth: o.depth + 1}
	case *ast.FuncLit:
		return &owners{of: o.of, depth: o.depth + 1}
	case *ast.GenDecl:
		o.decl(n)
	case *ast.Field:
		o.set(n.Doc, owner{kind: "a field, parameter or interface method"})
		o.set(n.Comment, owner{behind: true})
	}
	return o
}

func (o *owners) decl(decl *ast.GenDecl) {
	grouped := decl.Lparen.IsValid()
	if grouped {
		o.set(decl.Doc, owner{kind: "a group of declarations"})
	}
	for _, s := range decl.Specs {
		w := o.specOwner(s)
		if !grouped {
			o.set(decl.Doc, w)
		}
		doc, comment := specComments(s)
		o.set(doc, w)
		o.set(comment, owner{behind: true})
	}
}

func (o *owners) specOwner(s ast.Spec) owner {
	switch s := s.(type) {
	case *ast.ImportSpec:
		return owner{kind: "an import"}
	case *ast.ValueSpec:
		return owner{kind: "a variable or constant"}
	case *ast.TypeSpec:
		if o.depth > 0 {
			return owner{kind: "a type inside a function"}
		}
		if s.Assign.IsValid() {
			return owner{kind: alias}
		}
		if _, ok := s.Type.(*ast.InterfaceType); ok {
			return owner{kind: "an interface"}
		}
		return owner{spec: s}
	}
	return owner{}
}

func specComments(s ast.Spec) (doc, comment *ast.CommentGroup) {
	switch s := s.(type) {
	case *ast.ImportSpec:
		return s.Doc, s.Comment
	case *ast.ValueSpec:
		return s.Doc, s.Comment
	case *ast.TypeSpec:
		return s.Doc, s.Comment
	}
	return nil, nil
}
