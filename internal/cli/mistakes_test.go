package cli

import (
	"fmt"
	"os"
	"path/filepath"
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
