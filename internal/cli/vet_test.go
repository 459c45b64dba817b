package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/diag"
)

// outside are what fwgen says about files that go vet knows nothing of, about more than one
// package, and in the name of the compiler.
var outside = []diag.Code{
	diag.Stale, diag.Missing, diag.Orphan, diag.SyntaxError, diag.DuplicateStream,
}

// problemLine is the first line of a problem, as both commands print it.
var problemLine = regexp.MustCompile(`^(\S+\.go:.*) \[(FW\d+)\]$`)

// compared are the areas of goldens that the two commands are compared over.
var compared = []string{
	"errors/arguments/", "errors/methods/", "errors/mistakes/", "errors/placement/",
	"errors/types/", "code/layout/",
}

// TestVetSaysWhatFwgenSays compares the two for the goldens that compile.
func TestVetSaysWhatFwgenSays(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(readGoldens(t), func(g *golden) bool {
		return !slices.ContainsFunc(compared, func(area string) bool {
			return strings.HasPrefix(g.name, area)
		})
	})
	m := newModule(t, list)
	fwgen := m.run(t, list)
	compiled := m.compiling(t)
	list = slices.DeleteFunc(list, func(g *golden) bool {
		return !compiled[g.name] || !slices.Equal(g.command, []string{"./..."})
	})
	if len(list) < 25 {
		t.Fatalf("%d goldens compile, which is hardly all", len(list))
	}
	vet, count := m.vet(t, list), 0
	for _, g := range list {
		want := problems(fwgen[g.name], "")
		count += len(want)
		if diff := cmp.Diff(want, problems(vet, g.name+"/")); diff != "" {
			t.Errorf("%s: -fwgen +vet:\n%s", g.name, diff)
		}
	}
	if count < 150 {
		t.Errorf("only %d problems were compared", count)
	}
}

// problems are the first lines of problems about files below a directory, without it.
func problems(printed, dir string) []string {
	var list []string
	for line := range strings.Lines(printed) {
		match := problemLine.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil || slices.ContainsFunc(outside, func(c diag.Code) bool {
			return c.String() == match[2]
		}) {
			continue
		}
		if text, ok := strings.CutPrefix(strings.TrimPrefix(match[1], "./"), dir); ok {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// compiling are the goldens of which every package and test compiles.
func (m *module) compiling(t *testing.T) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-export", "-json=Dir,Export,Name", "./...")
	cmd.Dir, cmd.Env = m.dir, m.env
	out, _ := cmd.Output() // which fails for those that do not compile
	fine := map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct{ Dir, Export, Name string }
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(m.dir, pkg.Dir)
		name := strings.Join(strings.SplitN(filepath.ToSlash(rel), "/", 4)[:3], "/")
		if _, seen := fine[name]; !seen {
			fine[name] = true
		}
		if pkg.Export == "" && pkg.Name != "main" {
			fine[name] = false
		}
	}
	return fine
}

// vet runs go vet with fwgen as its tool.
func (m *module) vet(t *testing.T, list []*golden) string {
	t.Helper()
	args := []string{"vet", "-vettool=" + plainTool(t.TempDir())}
	for _, g := range list {
		args = append(args, "./"+g.name+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	out, _ := cmd.CombinedOutput() // which fails, for there are problems
	return string(out)
}

// plainTool builds fwgen as a user has it. The go command starts it for every package and all that
// it imports, which takes minutes with the race detector's start-up.
func plainTool(dir string) string {
	tool := filepath.Join(dir, "fwgen")
	goOutput("build", "-o", tool, "github.com/fwgen/fwgen/cmd/fwgen")
	return tool
}
