package cli

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fwgen/fwgen/internal/load"
)

// TestB154GofmtChangesNothing generates the code goldens from sources that gofmt has formatted, which
// moves directives to the end of their comments.
func TestB154GofmtChangesNothing(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(readGoldens(t), func(g *golden) bool {
		return !strings.HasPrefix(g.name, "code/")
	})
	moved := 0
	for _, g := range list {
		for i, f := range g.archive.Files {
			formatted, err := format.Source(f.Data)
			if filepath.Ext(f.Name) != ".go" || load.IsOutputName(f.Name) || err != nil {
				continue
			}
			if string(formatted) != string(f.Data) {
				moved++
			}
			g.archive.Files[i] = txtar.File{Name: f.Name, Data: formatted}
		}
	}
	if moved == 0 {
		t.Error("gofmt changes none of the goldens")
	}
	m := newModule(t, list)
	m.run(t, list)
	for _, g := range list {
		want, _ := g.expected()
		if diff := cmp.Diff(want, m.outputs(t, g)); diff != "" {
			t.Errorf("%s (-want +formatted): %s", g.name, diff)
		}
	}
}

// standardHeader is how the go command describes generated files.
var standardHeader = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)

// TestB181HeaderIsTheStandardOne: linters and reviewers know the files by their first line, and
// nothing in them depends on where and with which version they were made.
func TestB181HeaderIsTheStandardOne(t *testing.T) {
	t.Parallel()
	for _, g := range readGoldens(t) {
		files, _ := g.expected()
		for name, text := range files {
			if !load.IsOwn(name, []byte(text)) || g.keeps(name) {
				continue
			}
			first, _, _ := strings.Cut(text, "\n")
			if !standardHeader.MatchString(first) {
				t.Errorf("%s: %s begins with %q", g.name, name, first)
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			if err != nil || !ast.IsGenerated(file) {
				t.Errorf("%s: %s is not taken for generated: %v", g.name, name, err)
			}
			if strings.ContainsAny(text, "\r\\") && !strings.Contains(text, `\"`) {
				t.Errorf("%s: %s has a carriage return or a backslash", g.name, name)
			}
		}
	}
}
