package presence

import (
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/store"
)

// begin is when the processes of these tests begin, by the server's clock.
var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// listed is a process that lived between two seconds, and is live for some more.
func listed(name, process string, from, to, left int, streams ...string) Listed {
	l := Listed{
		Process:     Process{Instance: store.Instance{Name: name, Process: process}},
		StartedAt:   begin.Add(time.Duration(from) * time.Second),
		HeartbeatAt: begin.Add(time.Duration(to) * time.Second),
		ExpiresIn:   time.Duration(left) * time.Second,
	}
	for _, s := range streams {
		l.Streams = append(l.Streams, Stream{Name: s})
	}
	return l
}

func TestAStreamRunsNowhereUnlessALiveProcessDeploysIt(t *testing.T) {
	t.Parallel()
	off := listed("c", "3", 0, 9, 9, "other")
	off.Disabled, off.Excluded = []string{"disabled"}, []string{"excluded"}
	all := []Listed{
		listed("a", "1", 0, 9, 9, "orders", "items"),
		listed("b", "2", 0, 9, 0, "items", "letters"), // expired, and still there
		off,
	}
	got := Nowhere(all, []string{"orders", "items", "letters", "disabled", "excluded", "unknown"})
	want := []string{"letters", "disabled", "excluded", "unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nowhere (-want +got):\n%s", diff)
	}
	if got := Nowhere(nil, []string{"orders"}); !slices.Equal(got, []string{"orders"}) {
		t.Errorf("with no process: %v", got)
	}
}

func TestNamesakesLiveAtTheSameTimeUnderOneName(t *testing.T) {
	t.Parallel()
	for _, bundle := range []struct {
		name string
		all  []Listed
		want []string // processes
	}{
		{"two", []Listed{listed("a", "1", 0, 9, 9), listed("a", "2", 5, 8, 9)}, []string{"1", "2"}},
		{"two names", []Listed{listed("a", "1", 0, 9, 9), listed("b", "2", 5, 8, 9)}, nil},
		{"one is expired", []Listed{listed("a", "1", 0, 9, 0), listed("a", "2", 5, 8, 9)}, nil},
		{"the one before was killed", []Listed{listed("a", "1", 0, 4, 9), listed("a", "2", 5, 8, 9)},
			nil},
		{"it began as the other was killed",
			[]Listed{listed("a", "1", 0, 5, 9), listed("a", "2", 5, 8, 9)}, nil},
		{"one alone", []Listed{listed("a", "1", 0, 9, 9)}, nil},
		{"two of three", []Listed{listed("a", "0", -9, -2, 9), listed("a", "1", 0, 9, 9),
			listed("a", "2", 5, 8, 9)}, []string{"1", "2"}},
	} {
		found := Namesakes(bundle.all)
		var got []string
		for _, l := range found["a"] {
			got = append(got, l.Instance.Process)
		}
		if !slices.Equal(got, bundle.want) || len(found) > 1 {
			t.Errorf("%s: got %v, want %v", bundle.name, found, bundle.want)
		}
	}
}

func TestVersionsAreThoseOfTheBuild(t *testing.T) {
	t.Parallel()
	dep := func(version string, replace *debug.Module) []*debug.Module {
		return []*debug.Module{{Path: "example.com/other", Version: "v9.0.0"},
			{Path: module, Version: version, Replace: replace}}
	}
	user := debug.Module{Path: "example.com/shop", Version: "v1.2.3"}
	for name, bundle := range map[string]struct {
		info debug.BuildInfo
		want Version
	}{
		"a user's": {debug.BuildInfo{Main: user, Deps: dep("v0.4.0", nil)},
			Version{"v1.2.3", "v0.4.0"}},
		"replaced by a fork": {debug.BuildInfo{Main: user,
			Deps: dep("v0.4.0", &debug.Module{Version: "v0.4.1"})}, Version{"v1.2.3", "v0.4.1"}},
		"replaced by a directory": {debug.BuildInfo{Main: user,
			Deps: dep("v0.4.0", &debug.Module{Path: "../fwgen"})}, Version{"v1.2.3", ""}},
		"our own": {debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.5.0"}},
			Version{"v0.5.0", "v0.5.0"}},
		"unknown": {},
	} {
		if got := versionOf(&bundle.info); got != bundle.want {
			t.Errorf("%s: got %+v, want %+v", name, got, bundle.want)
		}
	}
}
