package cli

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/load"
)

// shuffled are the areas of goldens that TestB172PatternsInAnyOrder runs over.
var shuffled = []string{"code/forms/", "code/imports/", "code/layout/", "errors/streams/", "errors/files/"}

// TestB172PatternsInAnyOrder loads some sixty goldens twenty times, named in another order and with
// another number of processors each time. What would be written, and what is printed, stays.
func TestB172PatternsInAnyOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var list []*golden
	var patterns []string
	for _, g := range readGoldens(t) {
		for _, area := range shuffled {
			if strings.HasPrefix(g.name, area) {
				list, patterns = append(list, g), append(patterns, "./"+g.name+"/...")
			}
		}
	}
	m := newModule(t, list)
	first := m.dry(t, patterns)
	for i := range 20 {
		runtime.GOMAXPROCS(1 + i%8)
		rand.Shuffle(len(patterns), func(i, j int) {
			patterns[i], patterns[j] = patterns[j], patterns[i]
		})
		if diff := cmp.Diff(first, m.dry(t, patterns)); diff != "" {
			t.Fatalf("%v: %s", patterns, diff)
		}
	}
}

// dry is what a run would write, by path, and what it prints.
func (m *module) dry(t *testing.T, patterns []string) map[string]string {
	t.Helper()
	prog, err := load.Scan(load.Config{Dir: m.dir, Env: m.env}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Types(); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := newPass(&invocation{Process: Process{Dir: m.dir, Stdout: &stdout, Stderr: &stderr}}, prog,
		prog.Packages)
	if err := p.plan(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for pkg, changes := range p.changes {
		for _, c := range changes {
			rel, _ := filepath.Rel(m.dir, c.Path)
			got[filepath.ToSlash(rel)] = string(c.Text)
		}
		p.changes[pkg] = nil
	}
	if _, err := p.write(nil); err != nil {
		t.Fatal(err)
	}
	got["stderr"] = stderr.String()
	return got
}
