package load

import (
	"go/ast"
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// active tells whether this run generates for the directives of a file. Where it does not, every
// annotated declaration of the file is a problem: left alone, its handler would be missing without
// a word.
func (p *Program) active(pkg *Package, d *Directives, name string) bool {
	code, message, hint := diag.Code(0), "", ""
	switch {
	case strings.HasSuffix(name, "_test.go"):
		code, message = diag.TestFile, "handlers in test files are not there yet in this release"
		hint = "move the handler to a file of the package itself"
	case !slices.Contains(pkg.goFiles, name):
		code, message = diag.Excluded, "this run leaves the file out, and its handler with it"
		hint = "run fwgen with the -tags that the file needs"
	case constrained(d.Source.File, name):
		code = diag.Constrained
		message = "handlers under a build constraint are not there yet in this release"
		hint = "move the handler to a file without a constraint"
	default:
		return true
	}
	for _, t := range d.Types {
		pkg.Problems.Add(diag.New(code, parse.Find(t.Directives, "changestream").Pos,
			"%s", message).Hinted("%s", hint))
	}
	for _, m := range d.Methods {
		pkg.Problems.Add(diag.New(code, m.Directives[0].Pos, "%s", message).Hinted("%s", hint))
	}
	return false
}

// constrained tells whether a file is built on some systems or under some tags only.
func constrained(file *ast.File, name string) bool {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
				return true
			}
		}
	}
	return systemSuffix(name)
}

// systemSuffix tells whether a file's name ends in _GOOS, _GOARCH or _GOOS_GOARCH.
func systemSuffix(name string) bool {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(name), ".go"), "_")
	return len(parts) > 1 && systems[parts[len(parts)-1]]
}

// systems are the names that the go command gives a meaning in file names (go help buildconstraint).
var systems = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range strings.Fields(`
		aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9
		solaris wasip1 windows zos
		386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32
		mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`) {
		known[name] = true
	}
	return known
}()
