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
}

func exactly(what string, want, got any) count {
	w, g := fmt.Sprint(want), fmt.Sprint(got)
	return count{what, w, g, w == g}
}

func atMost(what string, limit, got int) count {
	return count{what, fmt.Sprintf("0–%d", limit), fmt.Sprint(got), got <= limit}
}

// judge compares what happened with what is promised.
func (e evidence) judge() []count {
	fates := map[kind]int{}
	for _, k := range e.written {
		fates[k]++
	}
	billed := e.perOrder()
	good, lost, wrongly, twice := 0, 0, 0, 0
	for order, k := range e.written {
		switch bills := billed[order]; {
		case k == declined || k == unreadable:
			wrongly += bills
		case bills == 0:
			lost++
		default:
			good++
			twice += bills - 1
		}
	}
	for order, bills := range billed {
		if _, known := e.written[order]; !known {
			wrongly += bills
		}
	}
	allowed, repeated, strange := e.repeats()
	return append([]count{
		exactly("orders billed", fates[plain]+fates[flaky], good),
		exactly("orders lost", 0, lost),
		exactly("orders billed twice", 0, twice),
		exactly("bills that should not be", 0, wrongly),
		exactly("attempts of the order whose bank did not answer", 3, e.attempts(flaky)),
		atMost("handled again after the crash", allowed, repeated),
		exactly("handled again without a reason", 0, strange),
		exactly("orders handled out of turn", 0, e.overtaken()),
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

// repeats counts the orders that were handled more than once. A crash allows that for those which
// the killed leader handled after the position it had stored, and for one repeat each.
func (e evidence) repeats() (allowed, repeated, strange int) {
	for _, b := range e.bills {
		unsaved := b.Handled[0].Term == e.crashed && clusterTime(b.Event).After(e.stored)
		again := len(b.Handled) - 1
		if unsaved {
			allowed++
		}
		if unsaved && again == 1 && b.Handled[1].Term == e.crashed+1 {
			repeated++
			continue
		}
		strange += again
	}
	return allowed, repeated, strange
}

// overtaken counts the orders that were first handled before one that had been written earlier, or
// under an earlier term than that.
func (e evidence) overtaken() (n int) {
	inTurn := slices.Clone(e.bills)
	slices.SortFunc(inTurn, func(a, b billing.Bill) int {
		return clusterTime(a.Event).Compare(clusterTime(b.Event))
	})
	for i := 1; i < len(inTurn); i++ {
		before, after := inTurn[i-1].Handled[0], inTurn[i].Handled[0]
		if after.Term < before.Term || after.At.Before(before.At) {
			n++
		}
	}
	return n
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
	others := 0
	for _, l := range e.letters {
		switch k := e.written[l.Key.Order]; {
		case k == declined && l.Error.Kind == "handler" && l.Attempts == 1,
			k == unreadable && l.Error.Kind == "decode" && l.Attempts == 1:
			found[l.Error.Kind]++
		default:
			others++
		}
	}
	return []count{
		exactly("dead letters: the handler failed", 1, found["handler"]),
		exactly("dead letters: the order could not be decoded", 1, found["decode"]),
		exactly("other dead letters", 0, others),
	}
}

// clusterTime reads the time of an event from its id, which begins with it.
func clusterTime(event string) (t bson.Timestamp) {
	_, _ = fmt.Sscanf(event, "%d.%d-", &t.T, &t.I) // zero where it does not: judged as early
	return t
}
