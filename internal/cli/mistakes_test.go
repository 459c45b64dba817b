package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mistakeKinds are the kinds of mistakes by which generators were compared, with the tests that show
// how fwgen meets each.
var mistakeKinds = []struct {
	kind  string
	shown []string
}{
	{"a misspelt verb or key", []string{"errors/mistakes/mistake01-key"}},
	{"a misspelt word", []string{"errors/mistakes/mistake02-word"}},
	{"out of range, or of another kind", []string{"errors/mistakes/mistake03-range"}},
	{"written twice", []string{"errors/mistakes/mistake04-twice"}},
	{"an unclosed quote", []string{"errors/mistakes/mistake05-quote"}},
	{"nearly a directive", []string{"errors/mistakes/mistake06-nearly"}},
	{"on the wrong declaration", []string{"errors/mistakes/mistake07-declaration"}},
	{"apart from its declaration", []string{"errors/mistakes/mistake08-detached"}},
	{"a type that does not exist", []string{"errors/mistakes/mistake09-type"}},
	{"nearly the right signature", []string{"errors/mistakes/mistake10-signature"}},
	{"two faults in two files", []string{"errors/mistakes/mistake11-two"}},
	{"unfinished code elsewhere", []string{"tolerance/mistake12-unfinished"}},
	{"generated file deleted", []string{"script b163-fresh", "script b164-broken"}},
	{"generated file in conflict", []string{"script b164-broken"}},
	{"generated file stale", []string{"script b182-run", "errors/files/check"}},
	{"generic types", []string{"errors/mistakes/mistake16-generic", "code/forms/b162-embedded_generic"}},
	{"one identity twice", []string{"errors/mistakes/mistake17-identity"}},
	{"colliding names", []string{"code/imports/mistake18-collisions", "errors/types/shadowed"}},
	{"run twice, and elsewhere", []string{"script b182-run", "script b182-tool"}},
	{"half a result", []string{"errors/mistakes/mistake20-half", "script b179-unwritable"}},
}

// TestEveryKindOfMistakeIsShown holds the list and the tests together.
func TestEveryKindOfMistakeIsShown(t *testing.T) {
	t.Parallel()
	if len(mistakeKinds) != 20 {
		t.Errorf("there are %d kinds", len(mistakeKinds))
	}
	for i, k := range mistakeKinds {
		for _, name := range k.shown {
			file := filepath.Join(goldens, name+".txtar")
			var script string
			if n, _ := fmt.Sscanf(name, "script %s", &script); n == 1 {
				file = filepath.Join("testdata/script", script+".txtar")
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("kind %d, %s: %v", i+1, k.kind, err)
			}
		}
	}
}

// fieldCases are the failures that people met with other generators, each with a golden, a script or
// a test named after its number.
var fieldCases = []string{
	"151", "152", "153", "154", "155", "156", "158", "160", "162", "163", "164", "166", "167", "168",
	"169", "171", "172", "174", "175", "176", "177", "179", "181", "182", "184",
}

// TestEveryFieldCaseHasATest looks for the numbers among the names of goldens, scripts and tests.
func TestEveryFieldCaseHasATest(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for _, g := range readGoldens(t) {
		fmt.Fprintln(&names, filepath.Base(g.name))
	}
	for _, pattern := range []string{"testdata/script/*.txtar", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			fmt.Fprintln(&names, filepath.Base(file))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if name, ok := strings.CutPrefix(line, "func TestB"); ok {
					fmt.Fprint(&names, "b", name)
				}
			}
		}
	}
	for _, number := range fieldCases {
		if !strings.Contains(names.String(), "b"+number) {
			t.Errorf("nothing is named after B%s", number)
		}
	}
}
