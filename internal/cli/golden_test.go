package cli

import (
	"flag"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fwgen/fwgen/internal/load"
)

var update = flag.Bool("update", false, "rewrite the goldens' expectations")

// goldens are the archives of testdata/golden. Each has its command line in the comment, the input
// files, and what is expected: "want:PATH" for a generated file, "want-removed:PATH" for one that
// is removed, "want-stderr" for the problems. Import paths begin with example.com/golden and the
// archive's own path.
const goldens = "../../testdata/golden"

// golden is one archive.
type golden struct {
	name    string // its path without the extension, as in code/forms/document
	file    string
	archive *txtar.Archive
	command []string
}

func readGoldens(t *testing.T) []*golden {
	t.Helper()
	var list []*golden
	err := filepath.WalkDir(goldens, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(goldens, strings.TrimSuffix(path, ".txtar"))
		g := &golden{name: filepath.ToSlash(name), file: path, archive: archive}
		for line := range strings.Lines(string(archive.Comment)) {
			if command, ok := strings.CutPrefix(line, "$ fwgen "); ok {
				g.command = strings.Fields(command)
			}
		}
		if g.command == nil {
			t.Errorf("%s has no line \"$ fwgen …\"", path)
		}
		list = append(list, g)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func isExpectation(name string) bool { return strings.HasPrefix(name, "want") }

// expected are the files that a golden wants, and the text on stderr.
func (g *golden) expected() (files map[string]string, stderr string) {
	files = map[string]string{}
	for _, f := range g.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want:"); ok {
			files[name] = string(f.Data)
		} else if f.Name == "want-stderr" {
			stderr = string(f.Data)
		} else if load.IsOutputName(f.Name) {
			if _, wanted := files[f.Name]; !wanted && g.keeps(f.Name) {
				files[f.Name] = string(f.Data)
			}
		}
	}
	return files, stderr
}

// keeps tells whether an input file of fwgen's name is expected to stay as it is.
func (g *golden) keeps(name string) bool {
	return !slices.ContainsFunc(g.archive.Files, func(f txtar.File) bool {
		return f.Name == "want:"+name || f.Name == "want-removed:"+name
	})
}

// rewrite stores what a run gave as what is expected from now on.
func (g *golden) rewrite(t *testing.T, files map[string]string, stderr string) {
	t.Helper()
	g.archive.Files = slices.DeleteFunc(g.archive.Files, func(f txtar.File) bool {
		return isExpectation(f.Name)
	})
	inputs := map[string]string{}
	for _, f := range g.archive.Files {
		inputs[f.Name] = string(f.Data)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if inputs[name] != files[name] {
			g.archive.Files = append(g.archive.Files,
				txtar.File{Name: "want:" + name, Data: []byte(files[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if _, kept := files[name]; load.IsOutputName(name) && !kept {
			g.archive.Files = append(g.archive.Files, txtar.File{Name: "want-removed:" + name})
		}
	}
	if stderr != "" {
		g.archive.Files = append(g.archive.Files,
			txtar.File{Name: "want-stderr", Data: []byte(stderr)})
	}
	if err := os.WriteFile(g.file, txtar.Format(g.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGoldens generates every golden, compares files and messages, and then generates it again from
// what its own output may look like by then: as it is, stale, broken by a merge, and gone.
func TestGoldens(t *testing.T) {
	list := readGoldens(t)
	m := newModule(t, list)
	printed := m.run(t, list)
	for _, g := range list {
		files := m.outputs(t, g)
		if *update {
			g.rewrite(t, files, printed[g.name])
		}
		wantFiles, wantStderr := g.expected()
		if diff := cmp.Diff(wantFiles, files); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", g.name, diff)
		}
		if diff := cmp.Diff(wantStderr, printed[g.name]); diff != "" {
			t.Errorf("%s: stderr (-want +got):\n%s", g.name, diff)
		}
		for name, text := range files {
			formatted, err := format.Source([]byte(text))
			if load.IsOwn(name, []byte(text)) && (err != nil || string(formatted) != text) {
				t.Errorf("%s: gofmt would change %s: %v", g.name, name, err)
			}
		}
		if area, _, _ := strings.Cut(g.name, "/"); (area == "errors") != (wantStderr != "") {
			t.Errorf("%s: an error golden prints problems, and no other one does", g.name)
		}
	}
	if t.Failed() {
		return
	}
	for _, damage := range damages {
		m.regenerate(t, list, damage.name, damage.damage)
	}
	m.compile(t, list)
}

// damages are what can have become of a generated file.
var damages = []struct {
	name   string
	damage func(text string) string
}{
	{"unchanged", func(text string) string { return text }},
	{"stale", func(text string) string {
		return strings.NewReplacer("h.On", "h.Was", "fw.Typed", "fw.Gone").Replace(text)
	}},
	{"conflicted", func(text string) string {
		return "<<<<<<< ours\n" + text + "=======\nx\n>>>>>>> theirs\n"
	}},
	{"cut off", func(text string) string { return text[:len(text)/2] }},
	{"empty", func(string) string { return "" }},
	{"of a loader's worst", func(text string) string {
		return strings.Replace(text, "import (", "import (\n\t\"example.com/nowhere\"", 1)
	}},
}

func (m *module) regenerate(t *testing.T, list []*golden, name string, damage func(string) string) {
	t.Helper()
	for _, g := range list {
		wanted, _ := g.expected()
		for file, text := range wanted {
			if load.IsOwn(file, []byte(text)) && !m.isInput(g, file) {
				writeFile(t, filepath.Join(m.dir, g.name, file), []byte(damage(text)))
			}
		}
	}
	m.run(t, list)
	for _, g := range list {
		wanted, _ := g.expected()
		if diff := cmp.Diff(wanted, m.outputs(t, g)); diff != "" {
			t.Errorf("%s from %s output (-want +got):\n%s", g.name, name, diff)
		}
	}
}

func (m *module) isInput(g *golden, file string) bool {
	return slices.ContainsFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == file })
}

// compile type-checks and vets all code goldens with their generated files.
func (m *module) compile(t *testing.T, list []*golden) {
	t.Helper()
	vet := []string{"vet"}
	for _, g := range list {
		if strings.HasPrefix(g.name, "code/") {
			vet = append(vet, "./"+g.name+"/...")
		}
	}
	m.command(t, "go", vet...)
}
