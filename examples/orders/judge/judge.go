// Package judge compares what is left after a story of the orders example with what is promised:
// every order is billed once or is a dead letter, in turn, and the position is behind none of them.
package judge

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/billing"
	"github.com/fwgen/fwgen/examples/orders/shop"
)

// Evidence is what is left after a story.
type Evidence struct {
	Written  map[string]shop.Kind // orders
	Bills    []billing.Bill
	Letters  []shop.Letter
	Position bson.Timestamp // stored at the end
	Terms    string         // there should be, with spaces between them

	// Crashed is the term that ended by a SIGKILL, Stored the position that was stored then. Zero
	// where nothing crashed.
	Crashed int64
	Stored  bson.Timestamp
}

// fates says how orders become dead letters: the kind of the failure, and after which attempt.
var fates = map[shop.Kind]struct {
	failure  string
	attempts int
}{
	shop.Declined:   {"handler", 1},
	shop.Unreadable: {"decode", 1},
	shop.Panics:     {"panic", 5},
}

// Counts judges.
func (e Evidence) Counts() []Count {
	billed := e.perOrder()
	payable, good := 0, 0
	var lost, twice, wrongly []string
	for order, k := range e.Written {
		if _, dies := fates[k]; dies {
			continue
		}
		payable++
		if bills := billed[order]; bills == 0 {
			lost = append(lost, order)
		} else {
			good++
			twice = append(twice, slices.Repeat([]string{order}, bills-1)...)
		}
	}
	for order, bills := range billed {
		k, known := e.Written[order]
		if _, dies := fates[k]; dies || !known {
			wrongly = append(wrongly, slices.Repeat([]string{order}, bills)...)
		}
	}
	counts := []Count{
		exactly("orders billed", payable, good),
		none("orders lost", lost),
		none("orders billed twice", twice),
		none("bills that should not be", wrongly),
		exactly("attempts of the order whose bank did not answer", 3, e.attempts(shop.Flaky)),
		none("orders handled out of turn", e.overtaken()),
		exactly("terms", e.Terms, e.terms()),
		none("orders that the position is not past", e.ahead()),
	}
	return slices.Concat(counts, e.again(), e.dead())
}

// perOrder counts the bills of each order.
func (e Evidence) perOrder() map[string]int {
	bills := map[string]int{}
	for _, b := range e.Bills {
		bills[b.Order]++
	}
	return bills
}

// again judges what was handled more than once.
func (e Evidence) again() []Count {
	allowed, repeated, strange := e.repeats()
	reason := none("handled again without a reason", strange)
	if e.Crashed == 0 {
		return []Count{reason}
	}
	return []Count{atMost("handled again after the crash", allowed, repeated), reason}
}

// repeats tells the orders that were handled more than once. A crash allows that for those which
// the killed leader handled after the position it had stored, and once for each: by its successor,
// or by the next one, if the successor stopped before it came to them.
func (e Evidence) repeats() (allowed, repeated int, strange []string) {
	for _, b := range e.Bills {
		unsaved := b.Handled[0].Term == e.Crashed && shop.ClusterTime(b.Event).After(e.Stored)
		if unsaved {
			allowed++
		}
		switch again := b.Handled[1:]; {
		case len(again) == 0:
		case len(again) == 1 && unsaved && again[0].Term > e.Crashed:
			repeated++
		default:
			strange = append(strange, history(b))
		}
	}
	return allowed, repeated, strange
}

// history tells under which terms an order was handled.
func history(b billing.Bill) string {
	told := b.Order + " under term"
	for _, h := range b.Handled {
		told += fmt.Sprintf(" %d", h.Term)
	}
	return told
}

// overtaken tells the orders that were first handled before one that had been written earlier, or
// under an earlier term than that.
func (e Evidence) overtaken() (which []string) {
	inTurn := slices.Clone(e.Bills)
	slices.SortFunc(inTurn, func(a, b billing.Bill) int {
		return shop.ClusterTime(a.Event).Compare(shop.ClusterTime(b.Event))
	})
	for i := 1; i < len(inTurn); i++ {
		before, after := inTurn[i-1].Handled[0], inTurn[i].Handled[0]
		if after.Term < before.Term || after.At.Before(before.At) {
			which = append(which, history(inTurn[i]))
		}
	}
	return which
}

// ahead tells the orders that would be handled again by whoever goes on from the position.
func (e Evidence) ahead() (which []string) {
	for _, b := range e.Bills {
		if shop.ClusterTime(b.Event).After(e.Position) {
			which = append(which, b.Order)
		}
	}
	for _, l := range e.Letters {
		if shop.ClusterTime(l.Event()).After(e.Position) {
			which = append(which, l.Key.Order)
		}
	}
	return which
}

// terms lists those under which orders were handled.
func (e Evidence) terms() string {
	var terms []int64
	for _, b := range e.Bills {
		for _, h := range b.Handled {
			terms = append(terms, h.Term)
		}
	}
	slices.Sort(terms)
	return strings.Trim(fmt.Sprint(slices.Compact(terms)), "[]")
}

// attempts returns how many the order of a kind took.
func (e Evidence) attempts(k shop.Kind) int {
	for _, b := range e.Bills {
		if e.Written[b.Order] == k {
			return b.Handled[0].Attempt
		}
	}
	return 0
}

// dead judges the dead letters: what the handler could not do, and what could not be decoded.
func (e Evidence) dead() []Count {
	want, found := map[string]int{}, map[string]int{}
	for _, k := range e.Written {
		want[fates[k].failure]++
	}
	var others []string
	for _, l := range e.Letters {
		fate, dies := fates[e.Written[l.Key.Order]]
		if dies && l.Error.Kind == fate.failure && l.Attempts == fate.attempts {
			found[fate.failure]++
		} else {
			others = append(others, l.Key.Order)
		}
	}
	counts := []Count{
		exactly("dead letters: the handler failed", want["handler"], found["handler"]),
		exactly("dead letters: the order could not be decoded", want["decode"], found["decode"]),
	}
	if want["panic"] > 0 {
		counts = append(counts,
			exactly("dead letters: the handler panicked", want["panic"], found["panic"]))
	}
	return append(counts, none("other dead letters", others))
}
