package journal

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// run makes entries of one incarnation from changes written as "key1".
func run(pid int, term int64, changes ...string) []Entry {
	var entries []Entry
	for _, c := range changes {
		entries = append(entries, Entry{
			PID: pid, Term: term, Key: c[:1], Seq: int(c[1] - '0'),
		})
	}
	return entries
}

func TestOracleSeesEachFault(t *testing.T) {
	written := map[string]int{"a": 3, "b": 1}
	for _, test := range []struct {
		name    string
		entries []Entry
		letters []Change
		want    string // part of the only fault; "" for none
	}{
		{"all is well", run(1, 1, "a1", "b1", "a2", "a3"), nil, ""},
		{"repeat after a take-over",
			slices.Concat(run(1, 1, "a1", "b1", "a2"), run(2, 2, "a2", "a3")), nil, ""},
		{"dead letter instead", run(1, 1, "a1", "b1", "a3"), []Change{{"a", 2}}, ""},
		{"lost at the end", run(1, 1, "a1", "b1", "a2"), nil, "a/3 is lost"},
		{"gap", run(1, 1, "a1", "b1", "a3", "a2"), nil, "a/3 came before a/2"},
		{"gap over a take-over",
			slices.Concat(run(1, 1, "a1", "b1"), run(2, 2, "a3"), run(3, 3, "a2", "a3")), nil,
			"a/3 came before a/2"},
		{"decrease", run(1, 1, "a1", "a2", "a1", "a2", "b1", "a3"), nil, "in one incarnation"},
		{"repeat in one incarnation", run(1, 1, "a1", "a1", "a2", "b1", "a3"), nil,
			"in one incarnation"},
		{"terms interleave",
			slices.Concat(run(1, 1, "a1"), run(2, 2, "a2"), run(1, 1, "b1"), run(2, 2, "a3")),
			nil, "under term 1 after term 2"},
		{"one term of two processes", slices.Concat(run(1, 1, "a1", "b1"), run(2, 1, "a2", "a3")),
			nil, "belongs to processes 1 and 2"},
		{"too many repeats",
			slices.Concat(run(1, 1, "a1", "a2", "b1", "a3"), run(2, 2, "a1", "a2", "a3")), nil,
			"repeated 3 effects, 2 are promised"},
		{"invented", run(1, 1, "a1", "a2", "b1", "a3", "a4"), nil, "a/4 was never written"},
		{"handled twice over", run(1, 1, "a1", "a2", "b1", "a3"), []Change{{"a", 2}},
			"handled and a dead letter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			letters := map[Change]bool{}
			for _, c := range test.letters {
				letters[c] = true
			}
			truth := Truth{Written: written, DeadLetters: letters, Repeats: 2}
			faults := Check(test.entries, truth)
			switch {
			case test.want == "" && len(faults) > 0:
				t.Errorf("faults: %v", faults)
			case test.want == "":
			case len(faults) == 0:
				t.Errorf("no fault; want %q", test.want)
			case !strings.Contains(faults[0].Error(), test.want):
				t.Errorf("faults: %v; want %q first", faults, test.want)
			}
		})
	}
}

func TestStoppedProcessMayFinishOneEffect(t *testing.T) {
	entries := slices.Concat(run(1, 1, "a1"), run(2, 2, "a2"), run(1, 1, "a2"), run(2, 2, "a3"))
	truth := Truth{Written: map[string]int{"a": 3}, Repeats: 2, Stale: 1}
	if faults := Check(entries, truth); len(faults) > 0 {
		t.Errorf("faults: %v", faults)
	}
	truth.Stale = 0
	if faults := Check(entries, truth); len(faults) == 0 {
		t.Error("an effect of a stale term passed")
	}
}

func TestJournalKeepsTheOrderOfSeveralWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if entries, err := Read(path); err != nil || entries != nil {
		t.Fatalf("of none: %v, %v", entries, err)
	}
	var writers [2]*Journal
	for i := range writers {
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = j.Close() }()
		writers[i] = j
	}
	for seq := range 10 {
		if err := writers[seq%2].Append(Entry{Key: "a", Seq: seq}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := Read(path)
	if err != nil || len(entries) != 10 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for seq, e := range entries {
		if e.Seq != seq || e.PID == 0 || e.At.IsZero() {
			t.Errorf("entry %d is %+v", seq, e)
		}
	}
}
