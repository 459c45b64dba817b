package presence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/store"
)

// leading is a live process that deploys streams and leads the first n of them.
func leading(process string, n int, streams ...string) Listed {
	l := Listed{
		Process:   Process{Instance: store.Instance{Name: process, Process: process}},
		ExpiresIn: time.Minute,
	}
	for _, s := range streams {
		l.Streams = append(l.Streams, Stream{Name: s})
	}
	l.Leads = streams[:n]
	return l
}

func always(int) int { return 0 }

func TestOnlyWhoLeadsAtLeastTwoMoreHandsOver(t *testing.T) {
	t.Parallel()
	streams := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	dead, higher := leading("2", 0, streams...), leading("2", 0, streams...)
	other := leading("2", 0, "x")
	dead.ExpiresIn = 0
	for n := range higher.Streams {
		higher.Streams[n].Priority = 1
	}
	for name, test := range map[string]struct {
		own    int
		listed []Listed
		want   []string
	}{
		"two more":             {2, []Listed{leading("2", 0, streams...)}, []string{"a"}},
		"one more":             {2, []Listed{leading("2", 1, streams...)}, nil},
		"equal":                {2, []Listed{leading("2", 2, streams...)}, nil},
		"fewer":                {0, []Listed{leading("2", 2, streams...)}, nil},
		"many more":            {9, []Listed{leading("2", 0, streams...)}, []string{"a", "b"}},
		"than a dead one":      {4, []Listed{dead}, nil},
		"than itself, earlier": {4, []Listed{leading("1", 0, streams...)}, nil},
		"than one without it":  {4, []Listed{other}, nil},
		"than a preferred one": {4, []Listed{higher}, nil},
		"than one with the last": {4, []Listed{leading("2", 0, "d")},
			[]string{"d"}},
		"than one of two": {4, []Listed{leading("2", 4, streams...), leading("3", 1, streams...)},
			[]string{"a"}},
	} {
		own := leading("1", test.own, streams...)
		if got := Excess(own.Process, append(test.listed, own), always); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestOneOfThoseThatLeadAsManyHandsOver(t *testing.T) {
	t.Parallel()
	streams := []string{"a", "b", "c"}
	asked := 0
	own := leading("1", 3, streams...)
	listed := []Listed{own, leading("2", 3, streams...), leading("3", 3, streams...),
		leading("4", 0, streams...)}
	got := Excess(own.Process, listed, func(n int) int {
		asked = n
		return 1
	})
	if asked != 3 || got != nil {
		t.Errorf("a chance of one in %d, and then %v; want one in 3, and none", asked, got)
	}
}

// TestStreamsAreSpreadAndStay lets processes hand streams over by what each has heard of the
// others, which is up to a round old, until nothing moves any more.
func TestStreamsAreSpreadAndStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		var streams []string
		for n := range rapid.IntRange(1, 40).Draw(rt, "streams") {
			streams = append(streams, fmt.Sprint("s", n))
		}
		var all []Listed
		for n := range rapid.IntRange(2, 6).Draw(rt, "processes") {
			all = append(all, leading(fmt.Sprint(n), 0, streams...))
		}
		for _, s := range streams {
			n := rapid.IntRange(0, len(all)-1).Draw(rt, "leader")
			all[n].Leads = append(slices.Clone(all[n].Leads), s)
		}
		calm := 0
		for round := 0; calm < 20; round++ {
			calm++
			heard := slices.Clone(all)
			for n := range all {
				for _, s := range Excess(all[n].Process, heard, dice.IntN) {
					give(all, n, s)
					calm = 0
				}
			}
			if round > 300 {
				rt.Fatalf("streams still move after %d rounds: %v", round, loads(all))
			}
		}
		if got := loads(all); slices.Max(got)-slices.Min(got) > 1 {
			rt.Fatalf("spread as %v", got)
		}
	})
}

// give gives a stream to the process that leads the fewest.
func give(all []Listed, from int, stream string) {
	to := 0
	for n := range all {
		if n != from && (to == from || len(all[n].Leads) < len(all[to].Leads)) {
			to = n
		}
	}
	all[from].Leads = slices.DeleteFunc(slices.Clone(all[from].Leads),
		func(s string) bool { return s == stream })
	all[to].Leads = append(slices.Clone(all[to].Leads), stream)
}

func loads(all []Listed) (n []int) {
	for _, l := range all {
		n = append(n, len(l.Leads))
	}
	return n
}
