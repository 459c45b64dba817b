package simulation

// positions follows the accepted writes of one checkpoint.
func (j *judgement) positions(checkpoint string) {
	var before State
	for _, s := range j.statesOf(checkpoint) {
		switch {
		case s.Term < before.Term:
			j.accuse(RuleTerm, "%s after term %d", s, before.Term)
			continue // what it says is not the stream's state any more
		case s.Token < before.Token:
			j.accuse(RuleForward, "%s after %s", s, before)
		case s.Term == before.Term && s.Seq < before.Seq:
			j.accuse(RuleForward, "%s after seq %d", s, before.Seq)
		case before.Token != "":
			j.passes(before, s)
		}
		before = s
	}
}

// passes checks that all events between two states of a checkpoint were settled, under the term of
// the second.
func (j *judgement) passes(before, s State) {
	for _, c := range j.after(before.Passed, s.Passed) {
		last := j.lastAttempt(s, c)
		switch {
		case j.lettered(s.Checkpoint, c.Place, s.When):
		case last == nil:
			j.accuse(RuleUnsettled, "%s passes the %s, which was not attempted", s, c)
		case last.settled().Before(s.When):
		case j.wantsLetter(last):
			j.accuse(RuleLetter, "%s passes the %s, whose dead letter is not stored", s, c)
		default:
			j.accuse(RuleUnsettled, "%s passes the %s; %s (%s)", s, c, last, last.Outcome)
		}
	}
}

// lastAttempt returns the last attempt of a change that began under the term of a state before
// that; nil if there was none. One that settled it is preferred.
func (j *judgement) lastAttempt(s State, c Change) (last *Attempt) {
	for _, a := range j.attempts[event{s.Checkpoint, c.Place}] {
		if a.Term != s.Term || !a.Begun.Before(s.When) {
			continue
		}
		if last = a; a.settled().Before(s.When) {
			return a
		}
	}
	return last
}

// lettered reports whether an event was a dead letter at a moment. Letters and states are recorded
// by one observer, in the order of the oplog.
func (j *judgement) lettered(checkpoint string, place Place, at Moment) bool {
	return j.letters[event{checkpoint, place}].When.Before(at)
}

// floor returns the position from which a term began: nil if none was stored.
func (j *judgement) floor(checkpoint string, term int64) *State {
	for i, s := range j.States {
		if s.Checkpoint == checkpoint && s.Term == term && s.Token != "" {
			return &j.States[i]
		}
	}
	return nil
}

// dead checks that every dead letter was asked for, and not by a stale term.
func (j *judgement) dead() {
	for _, l := range j.Letters {
		for _, s := range j.statesOf(l.Checkpoint) {
			if s.When.Before(l.When) && s.Term > l.Term {
				j.accuse(RuleTerm, "dead letter %s of %s is stored under term %d after term %d",
					l.EventID, l.Checkpoint, l.Term, s.Term)
				break
			}
		}
		j.asked(l)
	}
}

// asked checks that an attempt asked for a dead letter.
func (j *judgement) asked(l Letter) {
	var last *Attempt
	for _, a := range j.attempts[event{l.Checkpoint, l.Place}] {
		if a.Term != l.Term {
			continue
		}
		last = a
		if j.wantsLetter(a) || a.Asked.Before(l.When) {
			return
		}
	}
	switch {
	case last == nil:
		j.accuse(RuleLetter, "%s of %s was never attempted under term %d",
			l.EventID, l.Checkpoint, l.Term)
	case last.Outcome == Interrupted, last.Ended.Never():
		j.accuse(RuleInterrupted, "%s was interrupted, and is a dead letter", last)
	default:
		j.accuse(RuleLetter, "%s is a dead letter; its last attempt %s", last, last.Outcome)
	}
}
