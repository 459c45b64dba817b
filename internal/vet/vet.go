package vet

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/output"
	"github.com/fwgen/fwgen/internal/parse"
	"github.com/fwgen/fwgen/internal/resolve"
)

// Analyzer reports what is wrong with the directives of a package and with what they annotate.
var Analyzer = &analysis.Analyzer{
	Name: "fwgen",
	Doc: "report mistakes in //fw: directives and in the handlers they annotate\n\n" +
		"The problems are those of \"fwgen check\", which also knows about generated files.",
	URL: "https://pkg.go.dev/github.com/fwgen/fwgen/cmd/fwgen",
	Run: run,
}

// Called tells whether it is the go command that has started the process, by the protocol of
// package unitchecker: with -V=full, -flags or the description of a package.
func Called(args []string) bool {
	if len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags") {
		return true
	}
	return len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Main follows the protocol and ends the process.
func Main() { unitchecker.Main(Analyzer) }

func run(pass *analysis.Pass) (any, error) {
	if len(pass.Files) == 0 {
		return nil, nil
	}
	u, mentioned := unit(pass)
	if !mentioned {
		return nil, nil
	}
	prog, err := load.FromUnit(u)
	if err != nil {
		return nil, err
	}
	for pkg, m := range resolve.Packages(prog, prog.Packages) {
		for _, f := range m.Files {
			file := output.File{Path: pkg.OutputPath(f.Name)}
			if pkg.Problems.Len() == 0 && slices.Contains(prog.Packages[0].Foreign, file.Path) {
				output.Foreign(file, pkg.Problems)
			}
		}
	}
	var all diag.List
	all.Append(prog.Packages[0].Problems) // which its tests share
	all.Append(prog.Packages[0].Excluded)
	for _, d := range all.Sorted() {
		pass.Report(convert(pass, d))
	}
	return nil, nil
}

// unit describes the package to the loader, and tells whether any of its files can have a
// directive. A file that cgo has rewritten is replaced by the one that the user wrote.
func unit(pass *analysis.Pass) (u load.Unit, mentioned bool) {
	name := func(file token.Pos) string {
		n := pass.Fset.PositionFor(file, false).Filename
		if strings.HasSuffix(n, ".cgo1.go") {
			n = pass.Fset.Position(file).Filename
		}
		return n
	}
	u = load.Unit{
		Path:    strings.TrimSuffix(pass.Pkg.Path(), " ["+pass.Pkg.Path()+".test]"),
		Name:    pass.Pkg.Name(),
		Imports: pass.Pkg.Imports(),
		Version: pass.Pkg.GoVersion(),
		Fset:    pass.Fset,
		Read:    pass.ReadFile,
	}
	for _, file := range pass.Files {
		if n := name(file.Package); !strings.HasPrefix(filepath.Base(n), "_cgo_") {
			u.Files = append(u.Files, n)
		}
	}
	if !strings.HasSuffix(u.Name, "_test") {
		u.Ignored = pass.IgnoredFiles
	}
	u.Dir = filepath.Dir(u.Files[0])
	for _, n := range slices.Concat(u.Files, u.Ignored) {
		text, err := u.Read(n)
		mentioned = mentioned || err == nil && !load.IsOwn(n, text) && parse.Mentions(text)
	}
	return u, mentioned
}
