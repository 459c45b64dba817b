package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"

	"github.com/fwgen/fwgen/internal/diag"
)

// support are the packages that generated code may import although the package itself does not.
var support = []string{Runtime, "context", "time"}

// Types type-checks the annotated packages.
//
// The go command is asked for what they import, not for the packages themselves: it would try to
// compile them, which is slow, and bound to fail before they are generated.
func (p *Program) Types() error {
	imports := map[string]bool{}
	var annotated []*Package
	for _, pkg := range p.Packages {
		if pkg.Annotated() {
			p.strangers(pkg)
			annotated = append(annotated, pkg)
			p.parseFiles(pkg, imports)
		}
	}
	if len(annotated) == 0 {
		return nil
	}
	for _, path := range support {
		imports[path] = true
	}
	config := p.goList(packages.NeedName | packages.NeedFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedExportFile)
	listed, err := packages.Load(config, slices.Sorted(maps.Keys(imports))...)
	if err != nil {
		return fmt.Errorf("load packages: %w", err)
	}
	u := newUniverse(p.Fset, listed)
	for _, pkg := range annotated {
		if u.has(Runtime) {
			p.check(pkg, u.importerFor(nil))
			continue
		}
		pkg.Problems.Add(diag.New(diag.NoRuntime, p.firstDirective(pkg),
			"the module does not have %s", Runtime).
			Noted("run: go get github.com/fwgen/fwgen@latest"))
	}
	return nil
}

// parseFiles parses the files of a package and adds what they import.
func (p *Program) parseFiles(pkg *Package, imports map[string]bool) {
	for _, name := range pkg.goFiles {
		text, err := p.read(name)
		if err != nil {
			pkg.Problems.Addf(diag.SyntaxError, diag.Pos{File: name}, "%v", err)
			continue
		}
		file := p.parse(pkg, name, text)
		pkg.Files = append(pkg.Files, file)
		pkg.Problems.Append(pkg.syntax[name])
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err == nil && path != "C" && path != "unsafe" {
				imports[path] = true
			}
		}
	}
}

// strangers reports files of another package in the directory. The go command takes one of the two
// and leaves out the others, with whatever methods they have.
func (p *Program) strangers(pkg *Package) {
	names, err := goFiles(pkg)
	if err != nil || pkg.Variant != Main {
		return
	}
	for _, name := range names {
		other := clause(name)
		if isTest(name) || !slices.Contains(pkg.goFiles, name) && !p.matches(name) ||
			other == "" || other == pkg.Name || other == "documentation" {
			continue
		}
		pkg.Problems.Add(diag.New(diag.SyntaxError, diag.Pos{File: name, Line: 1, Col: 1},
			"the file is of package %s, others of the directory of package %s", other, pkg.Name))
	}
}

// check type-checks a package without its function bodies.
func (p *Program) check(pkg *Package, importer types.Importer) {
	pkg.importer = importer
	pkg.Info = &types.Info{
		Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{},
	}
	config := pkg.config(func(err types.Error) { pkg.TypeErrors = append(pkg.TypeErrors, err) })
	config.IgnoreFuncBodies = true
	pkg.Types, _ = config.Check(pkg.Path, p.Fset, pkg.Files, pkg.Info)
	p.takenNames(pkg)
}

func (p *Program) firstDirective(pkg *Package) diag.Pos {
	for _, d := range pkg.Directives {
		for _, t := range d.Types {
			return t.Directives[0].Pos
		}
	}
	return diag.Pos{File: pkg.Dir}
}

func (pkg *Package) config(report func(types.Error)) *types.Config {
	return &types.Config{
		Importer:    pkg.importer,
		FakeImportC: true, // cgo needs no C compiler to be read
		GoVersion:   pkg.version,
		Sizes:       types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if typeError, ok := err.(types.Error); ok {
				report(typeError)
			}
		},
	}
}

// takenNames collects the names of the package's scope, of test files and of files that other
// systems build as well: an import of the generated file must not clash with any.
func (p *Program) takenNames(pkg *Package) {
	pkg.Taken = map[string]token.Position{}
	for _, name := range pkg.Types.Scope().Names() {
		pkg.Taken[name] = p.Fset.PositionFor(pkg.Types.Scope().Lookup(name).Pos(), false)
	}
	names, err := goFiles(pkg)
	if err != nil {
		return // the directory was readable a moment ago; the generated file is checked anyway
	}
	for _, name := range names {
		file := pkg.parsed[name]
		if file == nil {
			file, _ = parser.ParseFile(p.Fset, name, nil, parser.SkipObjectResolution)
		}
		if file != nil && file.Name.Name == pkg.Name {
			p.takenIn(pkg, file)
		}
	}
}

func (p *Program) takenIn(pkg *Package, file *ast.File) {
	for name := range Declared(file) {
		if _, ok := pkg.Taken[name.Name]; !ok && name.Name != "_" {
			pkg.Taken[name.Name] = p.Fset.PositionFor(name.Pos(), false)
		}
	}
}

// Verify type-checks a file together with the package, as if it had been written, and returns what
// is wrong with it. Everything else in the package is taken as it is.
func (p *Program) Verify(pkg *Package, name string, text []byte) []types.Error {
	file, err := parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return []types.Error{{Fset: p.Fset, Pos: file.Pos(), Msg: err.Error()}}
	}
	for _, f := range pkg.Files {
		dropBodies(f)
	}
	var problems []types.Error
	config := pkg.config(func(err types.Error) {
		if p.Fset.PositionFor(err.Pos, false).Filename == name {
			problems = append(problems, err)
		}
	})
	files := append([]*ast.File{file}, pkg.Files...)
	_, _ = config.Check(pkg.Path, p.Fset, files, nil)
	return problems
}

// dropBodies takes the function bodies out of a file, which nobody needs any more.
func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
