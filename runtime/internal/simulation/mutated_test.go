//go:build mutation

package simulation_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/simulation"
)

// within is how many seeds may be played until a planted fault is found.
const within = "200"

// TestPlantedFaultIsFound plants each fault into a copy of the module and plays seeds there until
// one breaks the rule that is named.
func TestPlantedFaultIsFound(t *testing.T) {
	for _, m := range read(t) {
		t.Run(m.Name, func(t *testing.T) {
			dir := t.TempDir()
			copyModule(t, dir)
			plant(t, dir, m)
			took, text := playSeeds(t, dir, m.Rule)
			if took == 0 {
				t.Fatalf("not found within %s seeds: %s\n%s", within, m.Why, tail(text))
			}
			t.Logf("found by seed %d: %s", took, m.Why)
		})
	}
}

// copyModule copies what the simulation is built of.
func copyModule(t *testing.T, dir string) {
	t.Helper()
	for _, path := range []string{"go.mod", "go.sum", "runtime", "internal/memongo"} {
		from := filepath.Join(root, path)
		err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			to := filepath.Join(dir, relative)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func plant(t *testing.T, dir string, m simulation.Mutation) {
	t.Helper()
	path := filepath.Join(dir, m.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := m.Apply(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// playSeeds returns the first seed that breaks a rule, 0 if none does.
func playSeeds(t *testing.T, dir string, rule simulation.Rule) (took int, text []byte) {
	t.Helper()
	cmd := exec.Command("go", "test", "./runtime/internal/simulation", "-count=1",
		"-run=^TestSeeds$", "-args", "-seeds="+within, "-stop="+string(rule))
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err == nil {
		return 0, text
	}
	pattern := regexp.MustCompile(`seed (\d+) breaks a promise: ` + regexp.QuoteMeta(string(rule)))
	var found []int
	for _, match := range pattern.FindAllSubmatch(text, -1) {
		seed, err := strconv.Atoi(string(match[1]))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, seed)
	}
	if len(found) == 0 {
		return 0, text
	}
	return slices.Min(found), text
}

// tail returns the last lines of a text.
func tail(text []byte) string {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}
