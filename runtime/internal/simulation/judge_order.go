package simulation

// lane is who attempts events one after another.
type lane struct {
	life *Life
	term int64
}

// lanes divides the attempts under one checkpoint.
func (j *judgement) lanes(checkpoint string) (order []lane, attempts map[lane][]*Attempt) {
	attempts = map[lane][]*Attempt{}
	for _, a := range j.attemptsOf(checkpoint) {
		l := lane{a.Life, a.Term}
		if attempts[l] == nil {
			order = append(order, l)
		}
		attempts[l] = append(attempts[l], a)
	}
	return order, attempts
}

// order follows each lane of a checkpoint: from its floor, one event after another, each until it
// is settled.
func (j *judgement) order(checkpoint string) {
	order, lanes := j.lanes(checkpoint)
	for _, l := range order {
		first := lanes[l][0]
		floor := j.floor(checkpoint, l.term)
		if floor == nil || floor.When.At > first.Begun.At {
			j.accuse(RuleStart, "%s began before a position of its term was stored", first)
			continue
		}
		switch n, want := j.changes[first.Place], j.behind(floor.Passed); {
		case n < want:
			j.accuse(RuleRepeat, "%s, though the %s has passed it", first, floor)
		case n > want:
			j.accuse(RuleOrder, "%s is the first after the %s; the %s comes before it",
				first, floor, j.Changes[want])
		}
		for i, a := range lanes[l][1:] {
			j.follows(lanes[l][i], a)
		}
	}
}

// follows checks two attempts that came after each other in one lane.
func (j *judgement) follows(before, a *Attempt) {
	if before.Ended.Never() || before.Ended.N > a.Begun.N {
		j.accuse(RuleOrder, "%s began while %s ran", a, before)
	}
	settled := !before.settled().Never() || j.wantsLetter(before) && j.letteredBy(before, a)
	switch step := j.changes[a.Place] - j.changes[before.Place]; {
	case step == 0 && settled:
		j.accuse(RuleRepeat, "%s came after %s, which settled it", a, before)
	case step == 0, step == 1 && settled:
	case step == 1:
		j.accuse(RuleOrder, "%s overtook %s, which %s", a, before, before.Outcome)
	default:
		j.accuse(RuleOrder, "%s came after %s", a, before)
	}
}

// wantsLetter reports whether the attempt ended so that a dead letter settles its event. One that
// was stored by SendToDLQ, whose answer was lost, does not: the handler then fails, and the event
// stalls where the stream has no dead letters.
func (j *judgement) wantsLetter(a *Attempt) bool {
	return a.Outcome == Lettered ||
		a.Outcome == Exhausted && j.Schedule.Settings[a.Stream].DeadLetters
}

// letteredBy reports whether the event of an attempt was a dead letter when the next attempt
// began. What happens in no time is in no order between the observers of handlers and the oplog.
func (j *judgement) letteredBy(before, next *Attempt) bool {
	l, ok := j.letters[before.event()]
	return ok && l.When.At <= next.Begun.At
}

// numbers checks how attempts are counted: from 1 in each lane, one more after each that failed.
func (j *judgement) numbers(checkpoint string) {
	order, lanes := j.lanes(checkpoint)
	for _, l := range order {
		var before *Attempt
		for _, a := range lanes[l] {
			want := 1
			if before != nil && before.Place == a.Place {
				want = before.Number
				if before.Outcome == Failed || before.Outcome == Exhausted {
					want++
				}
			}
			policy := j.Schedule.Settings[a.Stream]
			switch {
			case a.Number != want:
				j.accuse(RuleInterrupted, "%s should be attempt %d", a, want)
			case policy.DeadLetters && a.Number > policy.Attempts:
				j.accuse(RuleLetter, "%s is one more than the policy has", a)
			}
			before = a
		}
	}
}

// identities checks that what handlers were given is what was written.
func (j *judgement) identities() {
	ids := map[Place]string{}
	for _, a := range j.Attempts {
		n, known := j.changes[a.Place]
		switch {
		case !known:
			j.accuse(RuleIdentity, "%s: nothing was written there", a)
			continue
		case j.Changes[n].Key != a.Key, a.Seq != 0 && j.Changes[n].Seq != a.Seq:
			j.accuse(RuleIdentity, "%s is the %s", a, j.Changes[n])
		}
		if id, seen := ids[a.Place]; seen && id != a.EventID {
			j.accuse(RuleIdentity, "%s has the id %s, and had %s before", a, a.EventID, id)
		}
		ids[a.Place] = a.EventID
	}
}
