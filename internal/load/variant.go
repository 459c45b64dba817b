package load

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// Variant tells the package itself from its tests, as the go command builds them: the files of the
// package, the same with the test files inside it, and the external tests beside it.
type Variant int

// The variants.
const (
	Main Variant = iota
	Test
	ExternalTest
)

// output is the name of the file for a variant's handlers.
func (v Variant) output() string {
	return [...]string{Output, "fw_gen_test.go", "fw_gen_external_test.go"}[v]
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// directory is the variants of one package while they are found.
type directory struct {
	prog     *Program
	main     *Package
	variants [ExternalTest + 1]*Package
}

// variant finds the package that a file belongs to, by its name and package clause.
func (d *directory) variant(name, packageName string) *Package {
	v := Main
	switch {
	case !isTest(name):
	case strings.HasSuffix(packageName, "_test") && packageName != d.main.Name:
		v = ExternalTest
	default:
		v = Test
	}
	if d.variants[v] == nil {
		d.variants[v] = d.newVariant(v, packageName)
	}
	return d.variants[v]
}

// newVariant makes the package of some test files. It shares the problems of the main one, since
// the files of a directory are written together or not at all.
func (d *directory) newVariant(v Variant, packageName string) *Package {
	pkg := *d.main
	pkg.Variant, pkg.Name, pkg.Directives = v, packageName, nil
	pkg.Own, pkg.Foreign, pkg.Kept = nil, nil, nil
	if v == ExternalTest {
		pkg.Path += "_test"
		pkg.goFiles = nil
	}
	pkg.goFiles = append([]string{}, pkg.goFiles...)
	names, err := goFiles(d.main)
	if err != nil {
		return &pkg // the directory was readable a moment ago
	}
	for _, name := range names {
		if isTest(name) && d.prog.builds(d.main, name) && clause(name) == packageName {
			pkg.goFiles = append(pkg.goFiles, name)
		}
	}
	return &pkg
}

// clause reads the package clause of a file.
func clause(name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return file.Name.Name
}

// ImportPath is the path that decides about internal packages: that of the directory.
func (p *Package) ImportPath() string {
	if p.Variant == ExternalTest {
		return strings.TrimSuffix(p.Path, "_test")
	}
	return p.Path
}

// OutputPath is where an output of the package is written.
func (p *Package) OutputPath(name string) string { return filepath.Join(p.Dir, name) }
