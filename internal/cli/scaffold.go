package cli

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/fwgen/fwgen/gen/templates"
	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

// scaffold is a handler that is about to be written.
type scaffold struct {
	inv               *invocation
	prog              *load.Program
	pkg               *load.Package
	document, handler string
	generates         bool // whether the package has a //go:generate line for fwgen
	found             *ast.TypeSpec
}

// write writes the file and returns its path. An existing one is never replaced.
func (s *scaffold) write() (string, error) {
	if err := s.look(); err != nil {
		return "", err
	}
	collection := cmp.Or(s.inv.collection, plural(2, snake(s.document)))
	text, err := templates.Scaffold{
		Package: s.pkg.Name, Document: s.document, Handler: s.handler, Collection: collection,
		Generate: !s.generates,
	}.Source()
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.pkg.Dir, snake(s.handler)+".go")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("%s exists already, and is not replaced",
			diag.Renderer{Dir: s.inv.Dir}.Relative(path))
	} else if err != nil {
		return "", fmt.Errorf("write handler: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write handler: %w", err)
	}
	return path, nil
}

// look finds the document type in the package, and whatever the new file would clash with.
func (s *scaffold) look() error {
	files, err := s.prog.Syntax(s.pkg)
	if err != nil {
		return err
	}
	var types []string
	for _, file := range files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				s.generates = s.generates || strings.HasPrefix(c.Text, "//go:generate ") &&
					strings.Contains(c.Text, "fwgen")
			}
		}
		for name, at := range load.Declared(file) {
			if name.Name == s.handler {
				return fmt.Errorf("%s is declared already, at %s", s.handler,
					diag.Renderer{Dir: s.inv.Dir}.Position(s.prog.Place(name.Pos(), name.End())))
			}
			t, ok := at.(*ast.TypeSpec)
			if !ok {
				continue
			}
			types = append(types, name.Name)
			if name.Name == s.document {
				s.found = t
			}
		}
	}
	return s.usable(types)
}

// usable tells whether the type that was found can be a document.
func (s *scaffold) usable(types []string) error {
	if s.found == nil {
		return fmt.Errorf("package %s has no type %s%s", s.pkg.Name, s.document,
			nearest(s.document, types))
	}
	if s.found.TypeParams != nil {
		return fmt.Errorf("%s has type parameters; declare a type with its arguments", s.document)
	}
	switch s.found.Type.(type) {
	case *ast.StructType, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return nil
	default:
		return fmt.Errorf("%s is no struct, so it cannot be a document", s.document)
	}
}

// snake writes OrderLine as order_line, and HTTPLog as http_log.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, c := range runes {
		if unicode.IsUpper(c) && i > 0 && runes[i-1] != '_' && (!unicode.IsUpper(runes[i-1]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
