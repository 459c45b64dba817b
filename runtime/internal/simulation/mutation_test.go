package simulation_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/simulation"
)

const (
	mutations = "testdata/mutations"
	root      = "../../.."
)

// TestMutationsFitTheCode keeps the planted faults from rotting. That the simulation finds them
// is seen by "make mutation".
func TestMutationsFitTheCode(t *testing.T) {
	t.Parallel()
	all := read(t)
	if len(all) < 7 {
		t.Errorf("only %d mutations are left", len(all))
	}
	for _, m := range all {
		text, err := os.ReadFile(filepath.Join(root, m.File))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := m.Apply(string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, changed, 0); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if !slices.Contains(simulation.Rules(), m.Rule) {
			t.Errorf("%s: there is no rule %q", m.Name, m.Rule)
		}
	}
}

func read(t *testing.T) []simulation.Mutation {
	t.Helper()
	all, err := simulation.Mutations(mutations)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMutationIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, m := range read(t) {
		if m.Why == "" || m.Old == m.New || strings.Contains(m.New, "-- ") {
			t.Errorf("%+v", m)
		}
	}
}
