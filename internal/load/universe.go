package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"runtime"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// universe gives every package of a run the same view of what they import.
//
// A package comes from its export data. One that does not compile has none, and neither has any
// that imports it; these are type-checked from source, as far as they make sense. That way a
// package can be generated whose neighbours have yet to be generated too.
type universe struct {
	fset     *token.FileSet
	packages map[string]*packages.Package // by import path
	exported map[string]*types.Package    // complete or not; shared with the reader of export data
	checked  map[string]*types.Package    // from source
}

func newUniverse(fset *token.FileSet, roots []*packages.Package) *universe {
	u := &universe{
		fset:     fset,
		packages: map[string]*packages.Package{},
		exported: map[string]*types.Package{},
		checked:  map[string]*types.Package{},
	}
	packages.Visit(roots, nil, func(l *packages.Package) { u.packages[l.PkgPath] = l })
	return u
}

func (u *universe) has(path string) bool {
	l := u.packages[path]
	return l != nil && len(l.GoFiles) > 0
}

// importerFunc is an importer for one importing package.
type importerFunc func(path string) (*types.Package, error)

// Import implements [types.Importer].
func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// importerFor resolves paths as the imports of l do, which matters in the standard library, where
// some are vendored. A nil l stands for a package of the run.
func (u *universe) importerFor(l *packages.Package) types.Importer {
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		imported := u.packages[path]
		if l != nil {
			imported = l.Imports[path]
		}
		if imported == nil {
			return nil, fmt.Errorf("no package %s", path)
		}
		return u.load(imported)
	})
}

func (u *universe) load(l *packages.Package) (*types.Package, error) {
	if l.ExportFile == "" {
		return u.check(l)
	}
	if done := u.exported[l.PkgPath]; done != nil && done.Complete() {
		return done, nil
	}
	file, err := os.Open(l.ExportFile)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", l.PkgPath, err)
	}
	defer file.Close()
	//lint:ignore SA1019 the go command writes archives up to Go 1.27, and x/tools reads them so itself
	reader, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", l.PkgPath, err)
	}
	return gcexportdata.Read(reader, u.fset, u.exported, l.PkgPath)
}

// check type-checks a package that does not compile. Its declarations are what counts, so neither
// errors nor bodies matter.
func (u *universe) check(l *packages.Package) (*types.Package, error) {
	if done, begun := u.checked[l.PkgPath]; done != nil {
		return done, nil
	} else if begun {
		return nil, fmt.Errorf("import cycle through %s", l.PkgPath)
	}
	u.checked[l.PkgPath] = nil
	if len(l.GoFiles) == 0 {
		return nil, fmt.Errorf("no package %s", l.PkgPath)
	}
	var files []*ast.File
	for _, name := range l.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil || IsOwn(name, text) {
			continue
		}
		if file, _ := parseFile(u.fset, name, text); file != nil {
			files = append(files, file)
		}
	}
	config := types.Config{
		Importer:         u.importerFor(l),
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Error:            func(error) {},
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
	}
	u.checked[l.PkgPath], _ = config.Check(l.PkgPath, u.fset, files, nil)
	return u.checked[l.PkgPath], nil
}
