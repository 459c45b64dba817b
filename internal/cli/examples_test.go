package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

// noExample are the codes that no code of a user can cause.
var noExample = []diag.Code{diag.Internal}

// TestExamplesOfCodes generates the examples of every code: the wrong one yields the code and
// nothing else, the right one is generated without a word, and compiles.
func TestExamplesOfCodes(t *testing.T) {
	t.Parallel()
	m := newModule(t, nil)
	for _, e := range diag.Catalog() {
		ex := diag.Explain(e.Code)
		if ex.Doc == "" || ex.Title != e.Title {
			t.Errorf("%v is not explained", e.Code)
		}
		if none := slices.Contains(noExample, e.Code); none != (len(ex.Wrong) == 0) ||
			none != (len(ex.Right) == 0) {
			t.Errorf("%v: has examples: %d wrong, %d right", e.Code, len(ex.Wrong), len(ex.Right))
		}
		m.writeExample(t, e.Code.String()+"/wrong", ex.Wrong)
		m.writeExample(t, e.Code.String()+"/right", ex.Right)
	}
	prog, err := load.Scan(load.Config{Dir: m.dir, Env: m.env}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Types(); err != nil {
		t.Fatal(err)
	}
	vet := []string{"vet"}
	for _, e := range diag.Catalog() {
		if slices.Contains(noExample, e.Code) {
			continue
		}
		if got := m.codes(t, prog, e.Code, "wrong"); !slices.Equal(got, []string{e.Code.String()}) {
			t.Errorf("%v: the wrong example yields %v", e.Code, got)
		}
		if got := m.codes(t, prog, e.Code, "right"); len(got) > 0 {
			t.Errorf("%v: the right example yields %v", e.Code, got)
		}
		vet = append(vet, "./"+e.Code.String()+"/right/...")
	}
	m.command(t, "go", vet...)
}

func (m *module) writeExample(t *testing.T, dir string, files []diag.Example) {
	t.Helper()
	for _, f := range files {
		name, text := f.Name, strings.ReplaceAll(f.Text, "example.com/shop", "example.com/golden/"+dir)
		if name == "" {
			name, text = "orders.go", complete(text)
		}
		writeFile(t, filepath.Join(m.dir, dir, name), []byte(text))
	}
}

var handlerType = regexp.MustCompile(`(?m)^\s*type (\w*Handler) struct`)

// complete adds what an excerpt leaves out.
func complete(excerpt string) string {
	text := excerpt
	if !strings.Contains(text, "func (") {
		for _, match := range handlerType.FindAllStringSubmatch(text, -1) {
			text += "\nfunc (" + match[1] +
				") OnInsert(context.Context, *Order) error { return nil }\n"
		}
	}
	if !strings.Contains(text, "type Order ") {
		text += "\ntype Order struct{}\n"
	}
	head := "package orders\n"
	for _, path := range []string{
		"context", "errors", "github.com/fwgen/fwgen/runtime", "go.mongodb.org/mongo-driver/v2/bson",
	} {
		name := strings.Replace(filepath.Base(path), "runtime", "fw", 1)
		if regexp.MustCompile(`(^|[^\w"])` + name + `\.`).MatchString(text) {
			head += "\nimport " + name + " \"" + path + "\"\n"
		}
	}
	return head + "\n" + text
}

var printedCode = regexp.MustCompile(`(?m)^\S+: .* \[(FW\d{4})\]$`)

// codes are those that an example yields: of a run for one that has a problem, and of a check where
// the problem is in the files.
func (m *module) codes(t *testing.T, prog *load.Program, code diag.Code, side string) []string {
	t.Helper()
	var stderr bytes.Buffer
	dir := filepath.Join(m.dir, code.String(), side)
	process := Process{Dir: dir, Env: m.env, Stdout: &bytes.Buffer{}, Stderr: &stderr, Patience: -1}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	switch {
	case err == nil: // a module of its own
		Main([]string{"./..."}, process)
	case side == "wrong" && slices.Contains([]diag.Code{diag.Stale, diag.Missing, diag.Orphan}, code):
		Main([]string{"check", "./..."}, process)
	default:
		if err := m.shared(prog, process); err != nil {
			t.Fatalf("%v: %v", code, err)
		}
	}
	var codes []string
	for _, match := range printedCode.FindAllStringSubmatch(stderr.String(), -1) {
		codes = append(codes, match[1])
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	if stderr.Len() > 0 && codes == nil {
		t.Errorf("%v: %s", code, stderr.String())
	}
	return codes
}
