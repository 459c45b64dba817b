package journal

import "fmt"

// Truth is what an oracle knows beside the journal.
type Truth struct {
	// Written has how many changes were made to each key: those with Seq 1 to that number.
	Written map[string]int
	// DeadLetters are the changes that were stored as dead letters.
	DeadLetters map[Change]bool
	// Repeats is how many effects of others one incarnation may have again.
	Repeats int
	// Stale is how many effects a leader may have after its term was over: a process that was
	// stopped inside a handler can't keep the handler from going on.
	Stale int
}

// Change is one change of one key.
type Change struct {
	Key string
	Seq int
}

// Change returns what the entry is an effect of.
func (e Entry) Change() Change { return Change{e.Key, e.Seq} }

// Check returns what is wrong with the journal of one stream, nothing if all is well: that each
// change had an effect or became a dead letter; that the terms follow each other, each of one
// process; that within an incarnation the changes of a key follow each other without a gap and
// without a repeat; that an incarnation repeats no more than it may.
func Check(entries []Entry, truth Truth) []error {
	var faults []error
	faults = append(faults, checkTerms(entries, truth.Stale)...)
	faults = append(faults, checkOrder(entries, truth)...)
	return append(faults, checkComplete(entries, truth)...)
}

func checkTerms(entries []Entry, stale int) (faults []error) {
	owner := map[int64]Incarnation{}
	var highest Entry
	for i, e := range entries {
		before, known := owner[e.Term]
		if known && before != e.Incarnation() {
			faults = append(faults, fmt.Errorf("term %d belongs to processes %d and %d",
				e.Term, before.PID, e.PID))
		}
		owner[e.Term] = e.Incarnation()
		if e.Term >= highest.Term {
			highest = e
			continue
		}
		if stale--; stale < 0 {
			faults = append(faults, fmt.Errorf(
				"entry %d: %s/%d had an effect under term %d after term %d had begun, %s later",
				i, e.Key, e.Seq, e.Term, highest.Term, e.At.Sub(highest.At)))
		}
	}
	return faults
}

// checkOrder follows each key through each incarnation.
func checkOrder(entries []Entry, truth Truth) (faults []error) {
	type place struct {
		Incarnation
		key string
	}
	last := map[place]int{}     // seq of the last effect
	reached := map[string]int{} // by key, of all incarnations: everything up to it is settled
	seen := map[Change]bool{}   // by anybody
	repeats := map[Incarnation]int{}
	for i, e := range entries {
		at := place{e.Incarnation(), e.Key}
		before, begun := last[at]
		if begun && e.Seq <= before {
			faults = append(faults, fmt.Errorf("entry %d: %s/%d after %s/%d in one incarnation %v",
				i, e.Key, e.Seq, e.Key, before, at.Incarnation))
		}
		if !begun {
			before = reached[e.Key]
		}
		if missing := truth.gap(e.Key, before, e.Seq); missing != 0 {
			faults = append(faults, fmt.Errorf("entry %d: %s/%d came before %s/%d",
				i, e.Key, e.Seq, e.Key, missing))
		}
		if seen[e.Change()] {
			repeats[at.Incarnation]++
		}
		last[at], seen[e.Change()] = e.Seq, true
		reached[e.Key] = max(reached[e.Key], e.Seq)
	}
	for who, n := range repeats {
		if n > truth.Repeats {
			faults = append(faults, fmt.Errorf("incarnation %v repeated %d effects, %d are promised",
				who, n, truth.Repeats))
		}
	}
	return faults
}

// gap returns the first change of key between two that is no dead letter, 0 if there is none.
func (t Truth) gap(key string, after, before int) int {
	for seq := after + 1; seq < before; seq++ {
		if !t.DeadLetters[Change{key, seq}] {
			return seq
		}
	}
	return 0
}

func checkComplete(entries []Entry, truth Truth) (faults []error) {
	seen := map[Change]bool{}
	for _, e := range entries {
		seen[e.Change()] = true
		if e.Seq < 1 || e.Seq > truth.Written[e.Key] {
			faults = append(faults, fmt.Errorf("%s/%d was never written", e.Key, e.Seq))
		}
	}
	for key, n := range truth.Written {
		for seq := 1; seq <= n; seq++ {
			c := Change{key, seq}
			if !seen[c] && !truth.DeadLetters[c] {
				faults = append(faults, fmt.Errorf("%s/%d is lost", key, seq))
			}
			if seen[c] && truth.DeadLetters[c] {
				faults = append(faults, fmt.Errorf("%s/%d is handled and a dead letter", key, seq))
			}
		}
	}
	return faults
}
