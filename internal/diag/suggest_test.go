package diag_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/diag"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	modes := []string{"all_instances", "single_leader"}
	for _, tt := range []struct {
		name string
		from []string
		want string
	}{
		{"single-leader", modes, "single_leader"},
		{"SINGLE_LEADER", modes, "single_leader"},
		{"singleleader", modes, "single_leader"},
		{"partitioned", modes, ""},
		{"ttl", []string{"tll", "ttl"}, "ttl"},
		{"x", []string{"retry"}, ""},
		{"rtery", []string{"dlq", "retry"}, "retry"},
		{"", []string{"on"}, ""},
		{"leader", modes, "single_leader"},
		{"instance", append(modes, "instances"), "instances"},
		{"lead", []string{"leader_a", "leader_b"}, ""},
		{"one", nil, ""},
	} {
		if got := diag.Nearest(tt.name, tt.from); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "ab", 0}, {"ab", "ba", 1}, {"ab", "b", 1},
		{"ca", "abc", 3}, {"changestream", "changestraem", 1}, {"kitten", "sitting", 3},
	} {
		if got := diag.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDistanceIsSymmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := diag.Distance(a, b)
		if d != diag.Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("%q, %q: %d", a, b, d)
		}
	})
}
