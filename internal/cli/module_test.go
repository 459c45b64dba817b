package cli

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/load"
)

// module is a temporary module with the input of all goldens, each in a directory of its own. It
// takes the runtime from this repository and nothing from the network.
type module struct {
	dir string
	env []string
}

func newModule(t *testing.T, list []*golden) *module {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &module{dir: dir, env: append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=")}
	writeModule(t, dir, "example.com/golden")
	for _, g := range list {
		for _, f := range g.archive.Files {
			if !isExpectation(f.Name) {
				writeFile(t, filepath.Join(dir, g.name, f.Name), f.Data)
			}
		}
	}
	return m
}

// writeModule makes a go.mod with the requirements of this repository and the repository itself.
func writeModule(t *testing.T, dir, path string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/fwgen/fwgen", "module "+path, 1) +
		"\nrequire github.com/fwgen/fwgen v0.0.0\nreplace github.com/fwgen/fwgen => " + root + "\n"
	writeFile(t, filepath.Join(dir, "go.mod"), []byte(text))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sum)
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs the commands of all goldens, each in its own directory, and returns what they printed to
// stderr. One load serves all that are a plain run over their packages; the others run one by one.
func (m *module) run(t *testing.T, list []*golden) map[string]string {
	t.Helper()
	printed := map[string]string{}
	prog, err := load.Scan(load.Config{Dir: m.dir, Env: m.env}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Types(); err != nil {
		t.Fatal(err)
	}
	for _, g := range list {
		var stderr bytes.Buffer
		process := Process{
			Dir: filepath.Join(m.dir, g.name), Env: m.env, Stdout: &bytes.Buffer{}, Stderr: &stderr,
			Patience: -1,
		}
		if !slices.Equal(g.command, []string{"./..."}) {
			Main(g.command, process)
		} else if err := m.shared(prog, process); err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		printed[g.name] = stderr.String()
	}
	return printed
}

// shared does what "fwgen ./..." does in a golden's directory, with packages that are loaded.
func (m *module) shared(prog *load.Program, process Process) error {
	var packages []*load.Package
	for _, pkg := range prog.Packages {
		if pkg.Dir == process.Dir || strings.HasPrefix(pkg.Dir, process.Dir+string(filepath.Separator)) {
			packages = append(packages, pkg)
		}
	}
	p := newPass(&invocation{Process: process}, prog, packages)
	if err := p.plan(); err != nil {
		return err
	}
	_, err := p.write(nil)
	return err
}

func (m *module) command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, args[0], err, out)
	}
	return string(out)
}

// outputs returns fwgen's files of a golden, by their paths in it.
func (m *module) outputs(t *testing.T, g *golden) map[string]string {
	t.Helper()
	root, files := filepath.Join(m.dir, g.name), map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !load.IsOutputName(path) {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
