package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// TestEveryOptionHasGoldens walks the option table, so that a new option cannot do without: each
// available key has one golden of how it is emitted and one of what is refused.
func TestEveryOptionHasGoldens(t *testing.T) {
	t.Parallel()
	byName := map[string]*golden{}
	all := ""
	for _, g := range readGoldens(t) {
		byName[g.name] = g
		if strings.HasPrefix(g.name, "code/") {
			for _, f := range g.archive.Files {
				all += string(f.Data)
			}
		}
	}
	for _, v := range spec.Verbs {
		if !strings.Contains(all, "//fw:"+v.Name) {
			t.Errorf("no golden generates //fw:%s", v.Name)
		}
		for _, key := range v.Available() {
			for _, area := range []string{"code", "errors"} {
				name := area + "/keys/" + v.Name + "." + key
				if byName[name] == nil {
					t.Errorf("there is no %s.txtar", name)
				} else if !byName[name].mentions(v.Name, key) {
					t.Errorf("%s.txtar does not use the key", name)
				}
			}
		}
	}
}

// mentions tells whether a directive of the golden has a key.
func (g *golden) mentions(verb, key string) bool {
	for _, f := range g.archive.Files {
		for line := range strings.Lines(string(f.Data)) {
			if rest, ok := strings.CutPrefix(line, "//fw:"+verb+" "); ok &&
				strings.Contains(" "+rest, " "+key) {
				return true
			}
		}
	}
	return false
}

// unseen are the codes that no golden can show.
var unseen = map[diag.Code]string{
	diag.Internal:  "TestABugIsSaidToBeOne",
	diag.NoRuntime: "testdata/script/runtime.txtar",
}

func TestEveryCodeHasAGolden(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	for _, g := range readGoldens(t) {
		_, stderr := g.expected()
		printed.WriteString(stderr)
	}
	for _, e := range diag.Catalog() {
		seen := strings.Contains(printed.String(), "["+e.Code.String()+"]")
		if elsewhere := unseen[e.Code]; seen == (elsewhere != "") {
			t.Errorf("%v (%s): seen in a golden: %v, expected elsewhere: %q",
				e.Code, e.Title, seen, elsewhere)
		}
	}
}
