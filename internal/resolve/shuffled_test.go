package resolve_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestB172FiftyHandlersGiveTheSameBytes generates fifty handlers, and what is wrong with some more,
// twenty times, with the files in another order and another number of processors each time.
func TestB172FiftyHandlersGiveTheSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	good, bad := map[string]string{}, map[string]string{}
	for i := range 50 {
		name := fmt.Sprintf("f%d.go", i%7)
		if good[name] == "" {
			good[name] = "package orders\n\nimport \"context\"\n"
		}
		good[name] += fmt.Sprintf("\n//fw:changestream collection=c%d\n//fw:retry on=E%d,E%d\n"+
			"type H%d struct{}\n\ntype D%d struct{}\n\ntype E%d struct{ error }\n\n"+
			"func (*H%d) OnInsert(context.Context, *D%d) error { return nil }\n",
			i, i, (i+1)%50, i, i, i, i, i)
		bad[name] = good[name] + "\n//fw:changestream collection=same\ntype X" + name[1:2] + " struct{}\n"
	}
	for _, sources := range []map[string]string{good, bad} {
		dir, order := t.TempDir(), slices.Sorted(maps.Keys(sources))
		first := understandInOrder(t, dir, sources, order)
		for i := range 20 {
			runtime.GOMAXPROCS(1 + i%8)
			rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			again := understandInOrder(t, dir, sources, order)
			if diff := cmp.Diff(first.files, again.files); diff != "" {
				t.Fatalf("%v: %s", order, diff)
			}
			if diff := cmp.Diff(first.problems, again.problems); diff != "" {
				t.Fatalf("%v: %s", order, diff)
			}
		}
	}
}
