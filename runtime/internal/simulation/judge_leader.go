package simulation

import (
	"math"
	"strings"
	"time"
)

// leaders checks that each term is one life's, and that leaders follow each other.
func (j *judgement) leaders() {
	type term struct {
		checkpoint string
		term       int64
	}
	owners := map[term]*Life{}
	for _, a := range j.Attempts {
		t := term{a.checkpoint(), a.Term}
		if owner := owners[t]; owner != nil && owner != a.Life {
			j.accuse(RuleLeader, "term %d of %s is that of %s and of %s",
				a.Term, t.checkpoint, owner, a.Life)
		}
		owners[t] = a.Life
	}
	for _, l := range j.Leaders {
		j.accuse(RuleLeader, "%s all lead when term %d is granted, at %s",
			strings.Join(l.Lives, " and "), l.Term, l.When.At)
	}
	j.granted()
	j.overlaps()
}

// granted checks that the terms of the lease grow.
func (j *judgement) granted() {
	last := map[string]Lease{}
	for _, l := range j.Leases {
		before := last[l.Stream]
		if l.Term < before.Term || l.Term == before.Term && l.Owner != before.Owner && l.Owner != "" {
			j.accuse(RuleLeader, "the lease of %s goes from term %d of %q to term %d of %q, at %s",
				l.Stream, before.Term, before.Owner, l.Term, l.Owner, l.When.At)
		}
		last[l.Stream] = l
	}
}

// overlaps checks that nothing begins under a term after a higher one has begun, and that by then
// the contexts of the handlers under it have ended. Only a process that is alive counts.
func (j *judgement) overlaps() {
	var newest *Attempt // the first of the highest term so far
	older := []*Attempt{}
	for _, a := range j.attemptsOf(Led) {
		switch {
		case newest == nil || a.Term > newest.Term:
			for _, o := range older {
				j.handsOver(o, a)
			}
			newest, older = a, append(older, a)
			continue
		case a.Term < newest.Term && a.Begun.At > newest.Begun.At:
			j.accuse(RuleLeader, "%s, after term %d began at %s", a, newest.Term, newest.Begun.At)
		}
		older = append(older, a)
	}
}

// handsOver checks that an attempt under an older term had ended, or knew that it is over, when
// the first of a newer term began.
func (j *judgement) handsOver(older, a *Attempt) {
	ended := !older.Ended.Never() && older.Ended.At <= a.Begun.At
	told := !older.Cancelled.Never() && older.Cancelled.At <= a.Begun.At
	if !ended && !told && older.Life.Died.Never() {
		j.accuse(RuleLeader, "%s began while the context of %s lived", a, older)
	}
}

// holds checks that nothing is begun of a held stream, once its instances can know.
func (j *judgement) holds() {
	for _, stream := range []string{Led, Each} {
		since := Moment{}
		for _, l := range append(j.Leases, Lease{Stream: stream, When: Moment{N: math.MaxInt}}) {
			switch {
			case l.Stream != stream:
			case l.Held && since.Never():
				since = l.When
			case !l.Held && !since.Never():
				j.held(stream, since, l.When)
				since = Moment{}
			}
		}
	}
}

// known is how long the news of a hold take where nothing disturbs them.
const known = time.Second

// held checks the time of one hold. A leader that is not told ends with its trust; without a lease
// it may go on as long as something keeps it from hearing.
func (j *judgement) held(stream string, from, to Moment) {
	for _, a := range j.Attempts {
		if a.Stream != stream || !from.Before(a.Begun) || !a.Begun.Before(to) {
			continue
		}
		late := a.Begun.At - from.At
		if j.disturbed(a.Life.Instance, from.At, a.Begun.At) &&
			(stream == Each || late <= TTL+Heartbeat) {
			continue
		}
		if late > known {
			j.accuse(RuleHeld, "%s, held since %s", a, from.At)
		}
	}
}

// releases checks that no handler ran under a lease when it was released.
func (j *judgement) releases() {
	for _, l := range j.Leases {
		if l.Owner != "" || l.Reason == "" {
			continue
		}
		for _, a := range j.attemptsOf(l.Stream) {
			if a.Term == l.Term && a.Begun.Before(l.When) && !a.Ended.Before(l.When) &&
				a.Life.Died.Never() {
				j.accuse(RuleRelease, "the lease of term %d was released (%s) at %s while %s ran",
					l.Term, l.Reason, l.When.At, a)
			}
		}
	}
}
