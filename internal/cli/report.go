package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

// formats are what problems can be printed as.
var formats = []string{"text", "json", "github", "sarif"}

// checkFormat brings -format and -json together.
func (inv *invocation) checkFormat() error {
	if inv.json && (inv.format == "" || inv.format == "json") {
		inv.format = "json"
		return nil
	}
	if inv.json {
		return fmt.Errorf("-json contradicts -format=%s", inv.format)
	}
	if inv.format == "" || slices.Contains(formats, inv.format) {
		return nil
	}
	return unknown("format", inv.format, formats)
}

// machine tells whether problems are printed for a program, to stdout.
func (inv *invocation) machine() bool { return inv.format != "" && inv.format != "text" }

// renderer prints problems of this pass.
func (p *pass) renderer() diag.Renderer {
	return diag.Renderer{
		Dir:   p.inv.Dir,
		Color: diag.Colored(p.inv.Stderr, p.inv.getenv),
		Sources: func(file string) ([]byte, error) {
			if text, ok := p.faulty[file]; ok {
				return text, nil
			}
			if text, ok := p.prog.Source(file); ok {
				return text, nil
			}
			return os.ReadFile(file)
		},
	}
}

func (p *pass) position(at diag.Pos) string { return p.renderer().Position(at) }

// print prints problems in the format that was asked for. Those that end up beside a repository's
// files name them from the repository's root, if the environment tells where that is, else from
// where the command was started.
func (p *pass) print(list *diag.List) error {
	r := p.renderer()
	root := p.inv.start
	if workspace := p.inv.getenv("GITHUB_WORKSPACE"); workspace != "" {
		root = workspace
	}
	switch p.inv.format {
	case "json":
		return r.JSON(p.inv.Stdout, list)
	case "github":
		r.Dir = root
		return r.GitHub(p.inv.Stdout, list)
	case "sarif":
		r.Dir = root
		return r.SARIF(p.inv.Stdout, list)
	default:
		return r.Render(p.inv.Stderr, list)
	}
}

// report prints the problems and returns the exit code. An error is one of the command itself.
func (p *pass) report(failure error) (int, error) {
	var all diag.List
	faulty, packages, code := 0, 0, exitFine
	for _, pkg := range p.prog.Packages {
		if pkg.Variant != load.Main {
			continue // shares the problems of the package that it tests
		}
		packages++
		all.Append(pkg.Problems)
		all.Append(pkg.Excluded)
		if pkg.Problems.Len()+pkg.Excluded.Len() > 0 {
			faulty++
		}
	}
	if err := p.print(&all); err != nil {
		failure = errors.Join(failure, err)
	}
	sorted := all.Sorted()
	if n := len(sorted); n > 0 {
		code = exitProblems
		fmt.Fprintf(p.inv.Stderr, "fwgen: %d %s in %d of %d %s\n", n, plural(n, "problem"),
			faulty, packages, plural(packages, "package"))
	}
	if all.Has(diag.Internal) || failure != nil {
		code = exitFailure
	}
	return code, failure
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
