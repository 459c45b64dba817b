package published

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository makes a repository with files, the last of which is not added to it.
func repository(t *testing.T, files ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		text := "package p\n"
		switch filepath.Base(name) {
		case "go.mod":
			text = "module example.com/" + filepath.Base(filepath.Dir(path)) + "\n\ngo 1.26.0\n"
		case ".gitignore":
			text = "ignored.go\n"
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.sum"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", files[0]}} {
		if said, err := exec.Command("git", append([]string{"-C", root}, args...)...).
			CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
	}
	return root
}

func publish(t *testing.T, root string) (m Module, proxy string) {
	t.Helper()
	proxy = t.TempDir()
	m, err := Publish(root, proxy)
	if err != nil {
		t.Fatal(err)
	}
	return m, proxy
}

func TestPublishedIsWhatAReleaseWouldHave(t *testing.T) {
	t.Parallel()
	m, proxy := publish(t, repository(t,
		"go.mod", ".gitignore", "a.go", "ignored.go", "below/b.go", "inner/go.mod", "inner/c.go"))
	archive, err := zip.OpenReader(filepath.Join(proxy, m.Path, "@v", m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	var names []string
	for _, f := range archive.File {
		names = append(names, strings.TrimPrefix(f.Name, m.Path+"@"+m.Version+"/"))
	}
	slices.Sort(names)
	want := []string{".gitignore", "a.go", "below/b.go", "go.mod", "go.sum"}
	if !slices.Equal(names, want) {
		t.Errorf("published are %v, want %v", names, want)
	}
}

func TestVersionTellsTheContent(t *testing.T) {
	t.Parallel()
	root := repository(t, "go.mod", "a.go")
	first, _ := publish(t, root)
	again, _ := publish(t, root)
	if first.Version != again.Version {
		t.Errorf("versions %s and %s of the same content", first.Version, again.Version)
	}
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package q\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if other, _ := publish(t, root); other.Version == first.Version {
		t.Errorf("version %s of two contents", other.Version)
	}
}
