package load

import (
	"fmt"
	"go/ast"
	"iter"
)

// Syntax parses the files of a package that this run builds, without fwgen's own. It is for those
// who need no types.
func (p *Program) Syntax(pkg *Package) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range pkg.goFiles {
		text, err := p.read(name)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", pkg.Path, err)
		}
		files = append(files, p.parse(pkg, name, text))
	}
	return files, nil
}

// Declared are the names that a file adds to its package's scope, with what declares them.
func Declared(file *ast.File) iter.Seq2[*ast.Ident, ast.Node] {
	return func(yield func(*ast.Ident, ast.Node) bool) {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && !yield(decl.Name, decl) {
					return
				}
			case *ast.GenDecl:
				for _, s := range decl.Specs {
					for _, name := range specNames(s) {
						if !yield(name, s) {
							return
						}
					}
				}
			}
		}
	}
}

func specNames(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	default:
		return nil
	}
}
