package main

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/billing"
)

// evidence is what is left after the story.
type evidence struct {
	written map[string]kind // orders
	bills   []billing.Bill
	letters []letter
	leaders []leader
	crashed int64          // the term that ended by a SIGKILL
	stored  bson.Timestamp // the position stored then
}

// count is a line of the judgement.
type count struct {
	what, want, got string
	ok              bool
	which           []string // was counted; told where the count is wrong
}

func exactly(what string, want, got any) count {
	w, g := fmt.Sprint(want), fmt.Sprint(got)
	return count{what: what, want: w, got: g, ok: w == g}
}

func atMost(what string, limit, got int) count {
	return count{what: what, want: fmt.Sprintf("0–%d", limit), got: fmt.Sprint(got),
		ok: got <= limit}
}

func none(what string, which []string) count {
	c := exactly(what, 0, len(which))
	c.which = which
	return c
}

// judge compares what happened with what is promised.
func (e evidence) judge() []count {
	fates := map[kind]int{}
	for _, k := range e.written {
		fates[k]++
	}
	billed := e.perOrder()
	good := 0
	var lost, twice, wrongly []string
	for order, k := range e.written {
		switch bills := billed[order]; {
		case k == declined || k == unreadable:
			// None of the bills should be.
		case bills == 0:
			lost = append(lost, order)
		default:
			good++
			twice = append(twice, slices.Repeat([]string{order}, bills-1)...)
		}
	}
	for order, bills := range billed {
		if k, known := e.written[order]; !known || k == declined || k == unreadable {
			wrongly = append(wrongly, slices.Repeat([]string{order}, bills)...)
		}
	}
	allowed, repeated, strange := e.repeats()
	return append([]count{
		exactly("orders billed", fates[plain]+fates[flaky], good),
		none("orders lost", lost),
		none("orders billed twice", twice),
		none("bills that should not be", wrongly),
		exactly("attempts of the order whose bank did not answer", 3, e.attempts(flaky)),
		atMost("handled again after the crash", allowed, repeated),
		none("handled again without a reason", strange),
		none("orders handled out of turn", e.overtaken()),
		exactly("terms", "1 2 3", e.terms()),
	}, e.dead()...)
}

// perOrder counts the bills of each order.
func (e evidence) perOrder() map[string]int {
	bills := map[string]int{}
	for _, b := range e.bills {
		bills[b.Order]++
	}
	return bills
}

// repeats tells the orders that were handled more than once. A crash allows that for those which
// the killed leader handled after the position it had stored, and once for each: by its successor,
// or by the next one, if the successor stopped before it came to them.
func (e evidence) repeats() (allowed, repeated int, strange []string) {
	for _, b := range e.bills {
		unsaved := b.Handled[0].Term == e.crashed && clusterTime(b.Event).After(e.stored)
		if unsaved {
			allowed++
		}
		switch again := b.Handled[1:]; {
		case len(again) == 0:
		case len(again) == 1 && unsaved && again[0].Term > e.crashed:
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
func (e evidence) overtaken() (which []string) {
	inTurn := slices.Clone(e.bills)
	slices.SortFunc(inTurn, func(a, b billing.Bill) int {
		return clusterTime(a.Event).Compare(clusterTime(b.Event))
	})
	for i := 1; i < len(inTurn); i++ {
		before, after := inTurn[i-1].Handled[0], inTurn[i].Handled[0]
		if after.Term < before.Term || after.At.Before(before.At) {
			which = append(which, history(inTurn[i]))
		}
	}
	return which
}

// terms lists those under which orders were handled.
func (e evidence) terms() string {
	var terms []int64
	for _, b := range e.bills {
		for _, h := range b.Handled {
			terms = append(terms, h.Term)
		}
	}
	slices.Sort(terms)
	return strings.Trim(fmt.Sprint(slices.Compact(terms)), "[]")
}

// attempts returns how many the order of a kind took.
func (e evidence) attempts(k kind) int {
	for _, b := range e.bills {
		if e.written[b.Order] == k {
			return b.Handled[0].Attempt
		}
	}
	return 0
}

// dead judges the dead letters: what the handler could not do, and what could not be decoded.
func (e evidence) dead() []count {
	found := map[string]int{}
	var others []string
	for _, l := range e.letters {
		switch k := e.written[l.Key.Order]; {
		case k == declined && l.Error.Kind == "handler" && l.Attempts == 1,
			k == unreadable && l.Error.Kind == "decode" && l.Attempts == 1:
			found[l.Error.Kind]++
		default:
			others = append(others, l.Key.Order)
		}
	}
	return []count{
		exactly("dead letters: the handler failed", 1, found["handler"]),
		exactly("dead letters: the order could not be decoded", 1, found["decode"]),
		none("other dead letters", others),
	}
}

// clusterTime reads the time of an event from its id, which begins with it.
func clusterTime(event string) (t bson.Timestamp) {
	_, _ = fmt.Sscanf(event, "%d.%d-", &t.T, &t.I) // zero where it does not: judged as early
	return t
}
