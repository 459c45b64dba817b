package journal

import (
	"strings"
	"testing"
	"time"
)

func TestHandlersOfTwoTermsRunApart(t *testing.T) {
	ran := func(term int64, begun, ended int) Entry {
		return Entry{Key: "a", Term: term, Begun: time.Duration(begun), Ended: time.Duration(ended)}
	}
	for _, test := range []struct {
		name     string
		attempts []Entry
		faults   int
	}{
		{"one after another", []Entry{ran(1, 0, 10), ran(2, 10, 20), ran(3, 21, 30)}, 0},
		{"side by side under one term", []Entry{ran(1, 0, 10), ran(1, 5, 15), ran(2, 15, 20)}, 0},
		{"the successor began too early", []Entry{ran(1, 0, 10), ran(2, 9, 20)}, 1},
		{"in the order of their ends", []Entry{ran(2, 9, 20), ran(1, 0, 30)}, 1},
		{"a long one behind a short one", []Entry{ran(1, 0, 30), ran(1, 1, 2), ran(2, 9, 20)}, 1},
		{"two are in the way", []Entry{ran(1, 0, 30), ran(2, 9, 30), ran(3, 20, 40)}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := CheckApart(test.attempts)
			if len(faults) != test.faults {
				t.Errorf("faults: %v, want %d", faults, test.faults)
			}
			for _, fault := range faults {
				if !strings.Contains(fault.Error(), "before a/0 of term") {
					t.Errorf("fault: %v", fault)
				}
			}
		})
	}
}
