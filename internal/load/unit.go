package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
)

// Unit is one package as a build system gives it to an analysis: with its test files or without,
// or the external tests of one. It is there, so it needs no go command and no patterns.
type Unit struct {
	Path, Name, Dir string
	// Files are what is built, Ignored what is left out.
	Files, Ignored []string
	// Imports are the packages that the files import.
	Imports []*types.Package
	Version string // of the language, as in go1.26
	Fset    *token.FileSet
	Read    func(name string) ([]byte, error)
}

// FromUnit reads the directives of a unit and type-checks it, if it is annotated.
func FromUnit(u Unit) (*Program, error) {
	p := &Program{Fset: u.Fset, sources: map[string][]byte{}, built: map[string]bool{}, read: u.Read}
	for _, name := range u.Files {
		p.built[name] = true
	}
	main := &Package{
		Path: u.Path, Name: u.Name, Dir: u.Dir, module: moduleDir(u.Dir), version: u.Version,
		Problems: &diag.List{}, Excluded: &diag.List{},
		parsed: map[string]*ast.File{}, syntax: map[string]*diag.List{},
	}
	if strings.HasSuffix(u.Name, "_test") && !slices.ContainsFunc(u.Files, isCode) {
		main.Path = strings.TrimSuffix(u.Path, "_test")
		main.Name = strings.TrimSuffix(u.Name, "_test")
	}
	var err error
	if main.Own, main.Foreign, err = Outputs(u.Dir); err != nil {
		return nil, fmt.Errorf("read package %s: %w", u.Path, err)
	}
	names := slices.Sorted(slices.Values(slices.Concat(u.Files, u.Ignored)))
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return filepath.Ext(name) != ".go" || slices.Contains(main.Own, name)
	})
	for _, name := range names {
		if p.built[name] && isCode(name) {
			main.goFiles = append(main.goFiles, name)
		}
	}
	if p.Packages, err = p.scanFiles(main, names); err != nil {
		return nil, err
	}
	p.checkUnit(u.Imports)
	return p, nil
}

func isCode(name string) bool { return !isTest(name) }

// checkUnit type-checks the unit's variants against the packages that it imports.
func (p *Program) checkUnit(imports []*types.Package) {
	importer := importerFunc(func(path string) (*types.Package, error) {
		i := slices.IndexFunc(imports, func(pkg *types.Package) bool { return pkg.Path() == path })
		switch {
		case path == "unsafe":
			return types.Unsafe, nil
		case i < 0:
			return nil, fmt.Errorf("no package %s", path)
		}
		return imports[i], nil
	})
	for _, pkg := range p.Packages {
		if pkg.Annotated() {
			p.parseFiles(pkg, map[string]bool{})
			p.check(pkg, importer)
		}
	}
}

// moduleDir is the directory of the module that a directory belongs to.
func moduleDir(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
