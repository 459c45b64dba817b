package storage

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTreeIsAnOrderedMapThatKeepsItsOldVersions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var now tree[int, int]
		model := map[int]int{}
		var oldTree tree[int, int]
		var oldModel map[int]int
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			key := rapid.IntRange(0, 60).Draw(t, "key")
			if rapid.Bool().Draw(t, "put") {
				now, model[key] = now.put(key, i), i
			} else {
				now = now.remove(key)
				delete(model, key)
			}
			checkTree(t, now, model)
			if rapid.IntRange(0, 20).Draw(t, "keep") == 0 {
				oldTree, oldModel = now, maps.Clone(model)
			}
		}
		checkTree(t, oldTree, oldModel)
	})
}

func checkTree(t *rapid.T, got tree[int, int], want map[int]int) {
	t.Helper()
	if d := cmp.Diff(slices.Sorted(maps.Keys(want)), treeKeys(got, 0)); d != "" {
		t.Fatalf("keys (-want +got):\n%s", d)
	}
	if got.len() != len(want) {
		t.Fatalf("len = %d, want %d", got.len(), len(want))
	}
	for key, value := range want {
		if v, ok := got.get(key); !ok || v != value {
			t.Fatalf("get(%d) = %d, %v, want %d", key, v, ok, value)
		}
	}
	first := rapid.IntRange(0, 60).Draw(t, "first")
	rest := slices.Sorted(maps.Keys(want))
	rest = slices.DeleteFunc(rest, func(key int) bool { return key < first })
	if got := treeKeys(got, first); !slices.Equal(rest, got) {
		t.Fatalf("from(%d) = %v, want %v", first, got, rest)
	}
	checkBalance(t, got.root)
}

func treeKeys(t tree[int, int], first int) (keys []int) {
	for key := range t.from(first) {
		keys = append(keys, key)
	}
	return keys
}

func checkBalance(t *rapid.T, n *node[int, int]) {
	t.Helper()
	if n == nil {
		return
	}
	if d := n.left.tall() - n.right.tall(); d < -1 || d > 1 {
		t.Fatalf("node %d leans by %d", n.key, d)
	}
	checkBalance(t, n.left)
	checkBalance(t, n.right)
}
