package preflight

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesThatWereProbablyMeantAreNear(t *testing.T) {
	t.Parallel()
	for _, bundle := range []struct {
		a, b string
		want bool
	}{
		{"orders", "Orders", true},
		{"orders", "order", true},
		{"orders", "ordesr", true},
		{"orders", "customers", false},
		{"orders", "borders2", true},
		{"a", "b", true},
		{"ab", "cd", false},
		{"orders", "", false},
		{"日本", "日本語", true},
	} {
		if got := alike(bundle.a, bundle.b); got != bundle.want {
			t.Errorf("alike(%q, %q) = %v, want %v", bundle.a, bundle.b, got, bundle.want)
		}
		if got := alike(bundle.b, bundle.a); got != bundle.want {
			t.Errorf("alike(%q, %q) = %v, want %v", bundle.b, bundle.a, got, bundle.want)
		}
	}
}

func TestAnActionIsLackingUnlessAPrivilegeOnTheCollectionAllowsIt(t *testing.T) {
	t.Parallel()
	on := func(database, collection string, actions ...string) privilege {
		var p privilege
		p.Resource.Database, p.Resource.Collection = &database, &collection
		p.Actions = actions
		return p
	}
	var anywhere, cluster privilege
	anywhere.Resource.AnyResource, anywhere.Actions = true, Watching
	cluster.Actions = Watching
	need := Need{Database: "shop", Collection: "orders", Actions: Watching}
	for _, bundle := range []struct {
		name       string
		privileges []privilege
		want       []string
	}{
		{"none", nil, []string{"changeStream", "find"}},
		{"exact", []privilege{on("shop", "orders", "find", "changeStream")}, []string{}},
		{"in pieces", []privilege{on("shop", "", "find"), on("", "orders", "changeStream")}, []string{}},
		{"everywhere", []privilege{anywhere}, []string{}},
		{"another database", []privilege{on("else", "", "find", "changeStream")},
			[]string{"changeStream", "find"}},
		{"another collection", []privilege{on("shop", "else", "find", "changeStream")},
			[]string{"changeStream", "find"}},
		{"the cluster is no collection", []privilege{cluster}, []string{"changeStream", "find"}},
		{"one of two", []privilege{on("shop", "orders", "find")}, []string{"changeStream"}},
	} {
		if diff := cmp.Diff(bundle.want, need.lacking(bundle.privileges)); diff != "" {
			t.Errorf("%s: lacking (-want +got):\n%s", bundle.name, diff)
		}
	}
}
