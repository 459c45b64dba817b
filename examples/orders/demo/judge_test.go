package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/billing"
)

// goodEvidence is of nine orders: three under each term. The position was stored after the second;
// the third was handled again after the crash.
func goodEvidence() evidence {
	e := evidence{
		written: map[string]kind{"no": declined, "what": unreadable},
		crashed: 1, stored: bson.Timestamp{T: 1002, I: 1},
	}
	begun := time.Now()
	for n := 1; n <= 9; n++ {
		order := fmt.Sprintf("A-%d", n)
		e.written[order] = plain
		e.bills = append(e.bills, billing.Bill{
			Event: fmt.Sprintf("%d.1-0123456789abcdef", 1000+n), Order: order,
			Handled: []billing.Handled{{
				Term: int64(1 + (n-1)/3), Attempt: 1, At: begun.Add(time.Duration(n) * time.Second),
			}},
		})
	}
	e.written["A-2"], e.bills[1].Handled[0].Attempt = flaky, 3
	e.bills[2].Handled = append(e.bills[2].Handled,
		billing.Handled{Term: 2, Attempt: 1, At: begun.Add(4 * time.Second)})
	e.letters = []letter{letterOf("no", "handler"), letterOf("what", "decode")}
	return e
}

func letterOf(order, kind string) (l letter) {
	l.Key.Order, l.Error.Kind, l.Attempts = order, kind, 1
	return l
}

func wrong(counts []count) (names []string) {
	for _, c := range counts {
		if !c.ok {
			names = append(names, c.what)
		}
	}
	return names
}

func TestGoodEvidenceIsAccepted(t *testing.T) {
	t.Parallel()
	if found := wrong(goodEvidence().judge()); len(found) > 0 {
		t.Errorf("wrong: %q", found)
	}
}

// Every count can be wrong, and is noticed.
func TestEachWrongCountIsNoticed(t *testing.T) {
	t.Parallel()
	noticed := map[string]bool{}
	again := func(b *billing.Bill, terms ...int64) {
		for _, term := range terms {
			b.Handled = append(b.Handled, billing.Handled{Term: term, Attempt: 1, At: time.Now()})
		}
	}
	for name, spoil := range map[string]func(*evidence){
		"orders lost|orders billed": func(e *evidence) { e.bills = slices.Delete(e.bills, 4, 5) },
		"orders billed twice":       func(e *evidence) { e.bills[4].Order = "A-4"; delete(e.written, "A-5") },
		"bills that should not be":  func(e *evidence) { e.bills[4].Order = "no"; delete(e.written, "A-5") },
		"bills that should not be|orders billed|orders lost": func(e *evidence) {
			e.bills[4].Order = "unknown"
		},
		"attempts of the order whose bank did not answer": func(e *evidence) {
			e.bills[1].Handled[0].Attempt = 1
		},
		"handled again without a reason": func(e *evidence) { again(&e.bills[0], 2) }, // was stored
		"handled again without a reason|": func(e *evidence) {
			again(&e.bills[4], 3) // a stop repeats nothing
		},
		"handled again without a reason||": func(e *evidence) { again(&e.bills[2], 2) }, // twice
		"orders handled out of turn": func(e *evidence) {
			e.bills[6].Handled[0].At = e.bills[4].Handled[0].At
		},
		"orders handled out of turn|": func(e *evidence) { e.bills[4].Handled[0].Term = 3 },
		"terms": func(e *evidence) {
			for n := range e.bills[6:] {
				e.bills[6+n].Handled[0].Term = 4
			}
		},
		"dead letters: the handler failed":             func(e *evidence) { e.letters = e.letters[1:] },
		"dead letters: the order could not be decoded": func(e *evidence) { e.letters = e.letters[:1] },
		"other dead letters": func(e *evidence) {
			e.letters = append(e.letters, letterOf("A-1", "handler"))
		},
	} {
		e := goodEvidence()
		spoil(&e)
		want := strings.FieldsFunc(name, func(r rune) bool { return r == '|' })
		found := wrong(e.judge())
		slices.Sort(found)
		slices.Sort(want)
		if !slices.Equal(found, want) {
			t.Errorf("%s: wrong are %q", name, found)
		}
		for _, what := range found {
			noticed[what] = true
		}
	}
	for _, c := range goodEvidence().judge() {
		// A repeat that the crash allows can't be too many: each one more is without a reason.
		if !noticed[c.what] && c.what != "handled again after the crash" {
			t.Errorf("%q is never wrong", c.what)
		}
	}
}

func TestAWrongCountIsAnError(t *testing.T) {
	t.Parallel()
	s := &story{account: newAccount(io.Discard)}
	if err := s.sum(s, []count{exactly("bills", 2, 2)}); err != nil {
		t.Error(err)
	}
	err := s.sum(s, []count{exactly("bills", 2, 2), atMost("repeats", 3, 4)})
	if err == nil || !strings.Contains(err.Error(), "repeats") {
		t.Errorf("error %v, want one that names the repeats", err)
	}
}

func TestClusterTimeIsReadFromTheEventID(t *testing.T) {
	t.Parallel()
	want := bson.Timestamp{T: 1764530400, I: 17}
	if got := clusterTime("1764530400.17-00ff00ff00ff00ff"); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
