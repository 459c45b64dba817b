package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// builds tells whether this run builds a file. The go command has said so for all but test files.
func (p *Program) builds(main *Package, name string) bool {
	if p.built != nil {
		return p.built[name]
	}
	if !isTest(name) {
		return slices.Contains(main.goFiles, name)
	}
	return p.matches(name)
}

// matches tells whether a file's constraints hold in this run.
func (p *Program) matches(name string) bool {
	ctx, env := build.Default, p.config.Env
	if env == nil {
		env = os.Environ()
	}
	ctx.BuildTags = strings.Split(p.config.Tags, ",")
	for _, pair := range env {
		switch key, value, _ := strings.Cut(pair, "="); {
		case value == "":
		case key == "GOFLAGS" && p.config.Tags == "":
			ctx.BuildTags = flagTags(value)
		case key == "GOOS":
			ctx.GOOS = value
		case key == "GOARCH":
			ctx.GOARCH = value
		case key == "CGO_ENABLED":
			ctx.CgoEnabled = value == "1"
		}
	}
	match, err := ctx.MatchFile(filepath.Split(name))
	return match && err == nil
}

// flagTags are the build tags among the flags in GOFLAGS.
func flagTags(flags string) []string {
	for _, flag := range strings.Fields(flags) {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			return strings.Split(tags, ",")
		}
	}
	return nil
}

// exclude takes note of directives in a file that this run leaves out. If another run, under other
// tags, has generated for the file, then that output stays; else a handler would be missing without
// a word, which is a problem, though none that keeps the others from being written.
func (p *Program) exclude(main *Package, d *Directives, name string) {
	output := filepath.Join(main.Dir, "fw_gen_"+filepath.Base(name))
	if slices.Contains(main.Own, output) {
		main.Kept = append(main.Kept, output)
		return
	}
	var places []diag.Pos
	for _, t := range d.Types {
		places = append(places, parse.Find(t.Directives, "changestream").Pos)
	}
	for _, m := range d.Methods {
		places = append(places, m.Directives[0].Pos)
	}
	for _, at := range places {
		main.Excluded.Add(diag.New(diag.Excluded, at,
			"this run leaves the file out, and its handler with it").
			Hinted("run fwgen with the -tags, GOOS or GOARCH that the file needs"))
		if len(d.Types) > 0 && at == places[len(d.Types)-1] {
			break // the methods go with their types
		}
	}
}

// assign gives the directives of a file the name of their output: that of the package, or one that
// has the file's own constraint. It tells whether there is such a name.
func (p *Program) assign(pkg *Package, d *Directives, name string) bool {
	base := filepath.Base(name)
	d.Output = pkg.Variant.output()
	if Constraint(d.Source.File, name) == "" {
		return true
	}
	d.Output, d.Build = "fw_gen_"+base, buildLine(d.Source.File)
	if suffix(d.Output) == suffix(base) && isTest(d.Output) == isTest(base) &&
		d.Output != ExternalTest.output() {
		return true
	}
	for _, t := range d.Types {
		pkg.Problems.Add(diag.New(diag.Constrained, t.Directives[0].Pos,
			"the file is under a build constraint, so its output would be %s, which means "+
				"something else to the go command", d.Output).Hinted("rename the file"))
	}
	return false
}

// Constraint describes when a file is built: by its //go:build line and its name. It is empty for
// one that always is, and equal for files that are built together.
func Constraint(file *ast.File, name string) string {
	return strings.TrimSpace(buildLine(file) + " " + suffix(filepath.Base(name)))
}

// buildLine is the file's //go:build line, in its canonical form. A file that imports "C" is built
// with cgo only, which the line says then as well.
func buildLine(file *ast.File) string {
	expr := buildExpr(file)
	if slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` }) {
		var cgo constraint.Expr = &constraint.TagExpr{Tag: "cgo"}
		if expr == nil {
			expr = cgo
		} else if !implies(expr, "cgo") {
			expr = &constraint.AndExpr{X: expr, Y: cgo}
		}
	}
	if expr == nil {
		return ""
	}
	return "//go:build " + expr.String()
}

// implies tells whether a constraint asks for a tag, beside others.
func implies(expr constraint.Expr, tag string) bool {
	switch expr := expr.(type) {
	case *constraint.TagExpr:
		return expr.Tag == tag
	case *constraint.AndExpr:
		return implies(expr.X, tag) || implies(expr.Y, tag)
	}
	return false
}

func buildExpr(file *ast.File) constraint.Expr {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil {
				return expr
			}
		}
	}
	return nil
}

// suffix is the part of a file's name that the go command takes for a constraint: _GOOS, _GOARCH or
// _GOOS_GOARCH, before _test.
func suffix(base string) string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test"), "_")
	found := ""
	for i := len(parts) - 1; i > 0 && i >= len(parts)-2 && systems[parts[i]]; i-- {
		found = "_" + parts[i] + found
	}
	return found
}

// systems are the names that the go command gives a meaning in file names, as go help
// buildconstraint has it.
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
