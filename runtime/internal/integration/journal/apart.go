package journal

import (
	"cmp"
	"fmt"
	"slices"
)

// CheckApart returns where handlers of two terms ran at the same time. It takes all attempts, also
// those that failed.
func CheckApart(attempts []Entry) (faults []error) {
	attempts = slices.SortedFunc(slices.Values(attempts), func(a, b Entry) int {
		return cmp.Compare(a.Begun, b.Begun)
	})
	last := map[int64]Entry{} // by term: the one that ended last of those that began earlier
	for _, e := range attempts {
		for term, other := range last {
			if term != e.Term && e.Begun < other.Ended {
				faults = append(faults, fmt.Errorf(
					"%s/%d began under term %d, %s before %s/%d of term %d ended",
					e.Key, e.Seq, e.Term, other.Ended-e.Begun, other.Key, other.Seq, term))
			}
		}
		if e.Ended > last[e.Term].Ended {
			last[e.Term] = e
		}
	}
	return faults
}
