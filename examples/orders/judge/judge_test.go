package judge

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/account"
	"github.com/fwgen/fwgen/examples/orders/billing"
	"github.com/fwgen/fwgen/examples/orders/shop"
)

// goodEvidence is of nine orders: three under each term. The position was stored after the second;
// the third was handled again after the crash.
func goodEvidence() Evidence {
	e := Evidence{
		Written: map[string]shop.Kind{"no": shop.Declined, "what": shop.Unreadable,
			"oh": shop.Panics},
		Crashed: 1, Stored: bson.Timestamp{T: 1002, I: 1},
		Position: bson.Timestamp{T: 1011, I: 1}, Terms: "1 2 3",
	}
	begun := time.Now()
	for n := 1; n <= 9; n++ {
		order := fmt.Sprintf("A-%d", n)
		e.Written[order] = shop.Plain
		e.Bills = append(e.Bills, billing.Bill{
			Event: fmt.Sprintf("%d.1-0123456789abcdef", 1000+n), Order: order,
			Handled: []billing.Handled{{
				Term: int64(1 + (n-1)/3), Attempt: 1, At: begun.Add(time.Duration(n) * time.Second),
			}},
		})
	}
	e.Written["A-2"], e.Bills[1].Handled[0].Attempt = shop.Flaky, 3
	e.Bills[2].Handled = append(e.Bills[2].Handled,
		billing.Handled{Term: 2, Attempt: 1, At: begun.Add(4 * time.Second)})
	e.Letters = []shop.Letter{
		letterOf("no", "handler", 1), letterOf("what", "decode", 1), letterOf("oh", "panic", 5),
	}
	return e
}

func letterOf(order, kind string, attempts int) (l shop.Letter) {
	l.ID = "orders/1011.1-0123456789abcdef"
	l.Key.Order, l.Error.Kind, l.Attempts = order, kind, attempts
	return l
}

func wrong(counts []Count) (names []string) {
	for _, c := range counts {
		if !c.OK {
			names = append(names, c.What)
		}
	}
	return names
}

func TestGoodEvidenceIsAccepted(t *testing.T) {
	t.Parallel()
	if found := wrong(goodEvidence().Counts()); len(found) > 0 {
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
	for name, spoil := range map[string]func(*Evidence){
		"orders lost|orders billed": func(e *Evidence) { e.Bills = slices.Delete(e.Bills, 4, 5) },
		"orders billed twice":       func(e *Evidence) { e.Bills[4].Order = "A-4"; delete(e.Written, "A-5") },
		"bills that should not be":  func(e *Evidence) { e.Bills[4].Order = "no"; delete(e.Written, "A-5") },
		"bills that should not be|orders billed|orders lost": func(e *Evidence) {
			e.Bills[4].Order = "unknown"
		},
		"attempts of the order whose bank did not answer": func(e *Evidence) {
			e.Bills[1].Handled[0].Attempt = 1
		},
		"handled again without a reason": func(e *Evidence) { again(&e.Bills[0], 2) }, // was stored
		"handled again without a reason|": func(e *Evidence) {
			again(&e.Bills[4], 3) // a stop repeats nothing
		},
		"handled again without a reason||": func(e *Evidence) { again(&e.Bills[2], 2) }, // twice
		"orders handled out of turn": func(e *Evidence) {
			e.Bills[6].Handled[0].At = e.Bills[4].Handled[0].At
		},
		"orders handled out of turn|": func(e *Evidence) { e.Bills[4].Handled[0].Term = 3 },
		"terms": func(e *Evidence) {
			for n := range e.Bills[6:] {
				e.Bills[6+n].Handled[0].Term = 4
			}
		},
		"dead letters: the handler failed": func(e *Evidence) { e.Letters = e.Letters[1:] },
		"dead letters: the order could not be decoded": func(e *Evidence) {
			e.Letters = slices.Delete(e.Letters, 1, 2)
		},
		"dead letters: the handler panicked": func(e *Evidence) { e.Letters = e.Letters[:2] },
		"dead letters: the handler panicked|other dead letters": func(e *Evidence) {
			e.Letters[2].Attempts = 1
		},
		"orders that the position is not past": func(e *Evidence) {
			e.Position = bson.Timestamp{T: 1011, I: 0}
		},
		"other dead letters": func(e *Evidence) {
			e.Letters = append(e.Letters, letterOf("A-1", "handler", 1))
		},
	} {
		e := goodEvidence()
		spoil(&e)
		want := strings.FieldsFunc(name, func(r rune) bool { return r == '|' })
		found := wrong(e.Counts())
		slices.Sort(found)
		slices.Sort(want)
		if !slices.Equal(found, want) {
			t.Errorf("%s: wrong are %q", name, found)
		}
		for _, what := range found {
			noticed[what] = true
		}
	}
	for _, c := range goodEvidence().Counts() {
		// A repeat that the crash allows can't be too many: each one more is without a reason.
		if !noticed[c.What] && c.What != "handled again after the crash" {
			t.Errorf("%q is never wrong", c.What)
		}
	}
}

func TestAWrongCountIsAnError(t *testing.T) {
	t.Parallel()
	a := account.New(io.Discard, time.Now())
	if err := Tell(a, []Count{exactly("bills", 2, 2)}); err != nil {
		t.Error(err)
	}
	err := Tell(a, []Count{exactly("bills", 2, 2), atMost("repeats", 3, 4)})
	if err == nil || !strings.Contains(err.Error(), "repeats") {
		t.Errorf("error %v, want one that names the repeats", err)
	}
}

// Where nothing crashed, nothing may be repeated.
func TestARepeatWithoutACrashHasNoReason(t *testing.T) {
	t.Parallel()
	e := goodEvidence()
	e.Crashed, e.Stored = 0, bson.Timestamp{}
	if found := wrong(e.Counts()); !slices.Equal(found, []string{"handled again without a reason"}) {
		t.Errorf("wrong: %q", found)
	}
}
