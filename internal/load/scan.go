package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// Scan lists the packages that the patterns match and reads their directives. An error means that
// the go command could not tell which packages are meant.
func Scan(config Config, patterns ...string) (*Program, error) {
	p := &Program{
		Fset:    token.NewFileSet(),
		config:  config,
		sources: map[string][]byte{},
		read:    os.ReadFile,
	}
	listed, err := p.list(patterns)
	if err != nil {
		return nil, err
	}
	if len(listed) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	for _, l := range listed {
		packages, err := p.scanPackage(l)
		if err != nil {
			return nil, err
		}
		p.Packages = append(p.Packages, packages...)
	}
	slices.SortFunc(p.Packages, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Variant, b.Variant))
	})
	return p, nil
}

func (p *Program) goList(mode packages.LoadMode) *packages.Config {
	config := &packages.Config{Mode: mode, Dir: p.config.Dir, Env: p.config.Env, Fset: p.Fset}
	if p.config.Tags != "" {
		config.BuildFlags = []string{"-tags=" + p.config.Tags}
	}
	return config
}

// scanPackage reads the directives of a package and of its tests, for those of them that have any.
func (p *Program) scanPackage(l *packages.Package) ([]*Package, error) {
	pkg := &Package{
		Path: l.PkgPath, Name: l.Name, Dir: l.Dir,
		Problems: &diag.List{}, Excluded: &diag.List{},
		parsed: map[string]*ast.File{}, syntax: map[string]*diag.List{},
	}
	if pkg.Path == "command-line-arguments" {
		return nil, errors.New("name packages, not files")
	}
	if pkg.Dir == "" {
		return nil, listError(l)
	}
	if m := l.Module; m != nil {
		pkg.module = m.Dir
		if m.GoVersion != "" {
			pkg.version = "go" + m.GoVersion
		}
	}
	var err error
	if pkg.Own, pkg.Foreign, err = Outputs(pkg.Dir); err != nil {
		return nil, listError(l)
	}
	pkg.goFiles = slices.DeleteFunc(slices.Sorted(slices.Values(l.GoFiles)), func(name string) bool {
		return filepath.Dir(name) != pkg.Dir || slices.Contains(pkg.Own, name)
	})
	pkg.rename()
	names, err := goFiles(pkg)
	if err != nil {
		return nil, err
	}
	return p.scanFiles(pkg, names)
}

// scanFiles reads the directives of some files and returns the variants that they belong to.
func (p *Program) scanFiles(main *Package, names []string) ([]*Package, error) {
	d := &directory{prog: p, main: main}
	d.variants[Main] = main
	for _, name := range names {
		if err := p.scanFile(d, name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(d.variants[:], func(v *Package) bool { return v == nil }), nil
}

// rename gives a package the name that its own files have, where the go command has taken it from
// generated output of another.
func (p *Package) rename() {
	if len(p.Own) == 0 || len(p.goFiles) == 0 || slices.ContainsFunc(p.goFiles, func(name string) bool {
		return clause(name) == p.Name
	}) {
		return
	}
	p.Name = clause(p.goFiles[0])
}

// listError is what the go command says about a package that it cannot find.
func listError(l *packages.Package) error {
	for _, e := range l.Errors {
		return errors.New(e.Msg)
	}
	return fmt.Errorf("package %s has no directory", l.PkgPath)
}

// goFiles lists the Go files of a package's directory, those that this run leaves out included:
// a directive in them must not go unnoticed.
func goFiles(pkg *Package) ([]string, error) {
	entries, err := os.ReadDir(pkg.Dir)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", pkg.Path, err)
	}
	var names []string
	for _, e := range entries {
		name := filepath.Join(pkg.Dir, e.Name())
		hidden := strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_")
		if e.IsDir() || hidden || filepath.Ext(name) != ".go" || slices.Contains(pkg.Own, name) {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

func (p *Program) scanFile(dir *directory, name string) error {
	text, err := p.read(name)
	if err != nil {
		return fmt.Errorf("read package %s: %w", dir.main.Path, err)
	}
	if !parse.Mentions(text) {
		return nil
	}
	file := p.parse(dir.main, name, text)
	var problems diag.List
	d := &Directives{Source: parse.Source{Fset: p.Fset, File: file, Text: text}}
	d.File = parse.Read(d.Source, &problems)
	if d.Count == 0 {
		if bytes.Contains(text, []byte("//fw:")) { // behind what could not be read
			dir.main.Problems.Append(dir.main.syntax[name])
		}
		return nil
	}
	dir.main.Problems.Append(&problems)
	if !p.builds(dir.main, name) {
		p.exclude(dir.main, d, name)
		return nil
	}
	pkg := dir.variant(name, file.Name.Name)
	dir.main.Problems.Append(pkg.syntax[name])
	if p.assign(pkg, d, name) {
		pkg.Directives = append(pkg.Directives, d)
	}
	return nil
}

// parse parses a file once, as far as it can be read, and keeps its syntax errors beside it: they
// matter only where the package is annotated.
func (p *Program) parse(pkg *Package, name string, text []byte) *ast.File {
	if file := pkg.parsed[name]; file != nil {
		return file
	}
	p.sources[name] = text
	file, faults := parseFile(p.Fset, name, text)
	pkg.parsed[name], pkg.syntax[name] = file, &diag.List{}
	for _, f := range faults {
		at := diag.Pos{File: name, Line: f.Pos.Line, Col: f.Pos.Column}
		pkg.syntax[name].Addf(diag.SyntaxError, at, "%s", f.Msg)
	}
	return file
}
