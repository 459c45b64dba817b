package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/output"
)

// bundle is a package directory with files of some kinds.
type bundle struct {
	dir  string
	list diag.List
}

func setup(t *testing.T, files map[string]string) *bundle {
	t.Helper()
	b := &bundle{dir: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *bundle) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bundle) plan(t *testing.T, p output.Package) []output.Change {
	t.Helper()
	changes, err := output.Plan(p, &b.list)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func (b *bundle) file(name, text string) output.File {
	return output.File{Path: b.path(name), Text: []byte(text)}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]string{"same.go": "same", "stale.go": "old", "orphan.go": "x"})
	changes := b.plan(t, output.Package{
		Dir:   b.dir,
		Own:   []string{b.path("orphan.go"), b.path("same.go"), b.path("stale.go")},
		Files: []output.File{b.file("new.go", "n"), b.file("same.go", "same"), b.file("stale.go", "s")},
	})
	want := []output.Change{
		{Action: output.Create, File: b.file("new.go", "n")},
		{Action: output.Replace, File: b.file("stale.go", "s"), Old: []byte("old")},
		{Action: output.Remove, File: output.File{Path: b.path("orphan.go")}, Old: []byte("x")},
	}
	if diff := cmp.Diff(want, changes); diff != "" || b.list.Len() > 0 {
		t.Errorf("%s%v", diff, b.list.Sorted())
	}
}

func TestAForeignFileIsNeverTouched(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]string{"fw_gen.go": "package byhand"})
	changes := b.plan(t, output.Package{
		Dir: b.dir, Foreign: []string{b.path("fw_gen.go")},
		Files: []output.File{b.file("a.go", "a"), b.file("fw_gen.go", "x")},
	})
	if len(changes) > 0 || !b.list.Has(diag.Foreign) {
		t.Errorf("got %v and %v", changes, b.list.Sorted())
	}
	changes = b.plan(t, output.Package{Dir: b.dir, Foreign: []string{b.path("fw_gen.go")}})
	if len(changes) > 0 || b.list.Len() != 1 {
		t.Errorf("a foreign file that is in nobody's way is a problem: %v", b.list.Sorted())
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]string{"old.go": "old"})
	for _, c := range []output.Change{
		{Action: output.Create, File: b.file("new.go", "new")},
		{Action: output.Replace, File: b.file("old.go", "replaced")},
	} {
		if err := output.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"new.go": "new", "old.go": "replaced"} {
		if got, err := os.ReadFile(b.path(name)); string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]os.FileMode{"new.go": 0o644, "old.go": 0o600} {
		if info, err := os.Stat(b.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	remove := output.Change{Action: output.Remove, File: b.file("new.go", "")}
	if err := output.Write(remove); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(b.dir); len(entries) != 1 {
		t.Errorf("the directory has %v", entries)
	}
}

// TestAFailedWriteLeavesNothingBehind: the target is a directory, so that the file is written and
// cannot be moved into its place.
func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	if err := os.MkdirAll(b.path("fw_gen.go/x"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := output.Write(output.Change{Action: output.Replace, File: b.file("fw_gen.go", "x")})
	if err == nil || !strings.Contains(err.Error(), "write generated file") {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(b.dir); len(entries) != 1 {
		t.Errorf("the directory has %v", entries)
	}
	gone := output.Change{Action: output.Create, File: b.file("gone/fw_gen.go", "x")}
	if err := output.Write(gone); err == nil {
		t.Error("a file was written into a directory that does not exist")
	}
	if err := output.Write(output.Change{Action: output.Remove, File: gone.File}); err == nil {
		t.Error("a file that does not exist was removed")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for action, code := range map[output.Action]diag.Code{
		output.Create: diag.Missing, output.Replace: diag.Stale, output.Remove: diag.Orphan,
	} {
		var list diag.List
		output.Check(output.Change{Action: action, File: output.File{Path: "/p/fw_gen.go"}},
			"./p", nowhere, &list)
		d := list.Sorted()[0]
		if d.Code != code || d.Notes[0] != "run: fwgen ./p" || d.Pos.File != "/p/fw_gen.go" {
			t.Errorf("%v: got %v", action, d)
		}
	}
}
