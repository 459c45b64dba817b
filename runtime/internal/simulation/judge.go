package simulation

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is a promise of the runtime, as far as a record can show that it was broken.
type Rule string

// The rules.
const (
	// RuleUnsettled: a stored position never passes an unsettled event.
	RuleUnsettled Rule = "position passes an unsettled event"
	// RuleForward: a position only moves forward.
	RuleForward Rule = "position moves back"
	// RuleTerm: nothing is accepted from a term below one that was accepted before.
	RuleTerm Rule = "stale term is accepted"
	// RuleStart: the start of a new stream is stored before its first event is attempted.
	RuleStart Rule = "event before a stored start"
	// RuleOrder: with one worker, events are attempted in the order of the oplog, also while one
	// is retried.
	RuleOrder Rule = "order of the oplog is broken"
	// RuleRepeat: an event that the position had passed, or that was settled under the same term,
	// is not attempted again.
	RuleRepeat Rule = "settled event is attempted again"
	// RuleBound: a restart or take-over repeats no more than is promised.
	RuleBound Rule = "more is repeated than promised"
	// RuleLeader: there is one leader per term, and one at a time.
	RuleLeader Rule = "two leaders"
	// RuleRelease: a lease is released after the handlers under it have returned.
	RuleRelease Rule = "lease is released under a running handler"
	// RuleInterrupted: an interrupted attempt consumes none and leaves no dead letter.
	RuleInterrupted Rule = "interrupted counts as failed"
	// RuleLetter: a dead letter has a reason, and is stored before the position passes its event.
	RuleLetter Rule = "dead letter is missing, or has no reason"
	// RuleLost: every event is settled in the end, or its stream says that its history is lost.
	RuleLost Rule = "event is lost"
	// RuleEnd: a stream that nothing disturbs any more runs, and stops when it is told to.
	RuleEnd Rule = "stream does not recover"
	// RuleHeld: nothing is begun of a stream that is held.
	RuleHeld Rule = "held stream runs"
	// RulePriority: in the end a live instance of the highest priority leads.
	RulePriority Rule = "lower priority leads"
	// RuleIdentity: an event is the same for every delivery, and is what was written.
	RuleIdentity Rule = "event differs from what was written"
)

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{RuleUnsettled, RuleForward, RuleTerm, RuleStart, RuleOrder, RuleRepeat, RuleBound,
		RuleLeader, RuleRelease, RuleInterrupted, RuleLetter, RuleLost, RuleEnd, RuleHeld,
		RulePriority, RuleIdentity}
}

// Violation is a broken promise.
type Violation struct {
	Rule Rule
	Text string
}

func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

// judgement collects violations.
type judgement struct {
	*Record
	changes  map[Place]int // to the index in Changes
	attempts map[event][]*Attempt
	letters  map[event]Letter
	found    []Violation
}

// event is a change under one checkpoint.
type event struct {
	checkpoint string
	place      Place
}

// Judge returns the promises that a record shows to be broken.
func Judge(r *Record) []Violation {
	j := &judgement{Record: r, changes: map[Place]int{}, attempts: map[event][]*Attempt{},
		letters: map[event]Letter{}}
	for i, c := range r.Changes {
		j.changes[c.Place] = i
	}
	for _, a := range r.Attempts {
		j.attempts[a.event()] = append(j.attempts[a.event()], a)
	}
	for _, l := range slices.Backward(r.Letters) { // the first counts
		j.letters[event{l.Checkpoint, l.Place}] = l
	}
	j.identities()
	for _, checkpoint := range j.checkpoints() {
		j.positions(checkpoint)
		j.order(checkpoint)
		j.repeats(checkpoint)
		j.numbers(checkpoint)
		j.ending(checkpoint)
	}
	for _, e := range r.Ends {
		if len(j.statesOf(e.Checkpoint)) == 0 {
			j.accuse(RuleEnd, "nothing was ever stored of %s; %s", e.Checkpoint, j.shown(e.Checkpoint))
		}
	}
	j.dead()
	j.leaders()
	j.releases()
	j.holds()
	if !r.Unpreferred.Never() {
		j.accuse(RulePriority, "of priorities %v, at %s", r.Schedule.Priority, r.Unpreferred.At)
	}
	for _, trouble := range r.Troubles {
		j.accuse(RuleEnd, "%s", trouble)
	}
	return j.found
}

func (j *judgement) accuse(rule Rule, format string, args ...any) {
	j.found = append(j.found, Violation{rule, fmt.Sprintf(format, args...)})
}

// checkpoints returns the ids of the checkpoints that were ever written, sorted.
func (j *judgement) checkpoints() (ids []string) {
	for _, s := range j.States {
		if !slices.Contains(ids, s.Checkpoint) {
			ids = append(ids, s.Checkpoint)
		}
	}
	slices.Sort(ids)
	return ids
}

// split divides the id of a checkpoint into stream and instance, which is "" for the one of a
// stream with a leader.
func split(checkpoint string) (stream, instance string) {
	stream, instance, _ = strings.Cut(checkpoint, "#")
	return stream, instance
}

// checkpoint returns the id of the checkpoint that an attempt belongs to.
func (a *Attempt) checkpoint() string {
	if a.Stream == Each {
		return a.Stream + "#" + a.Life.Instance
	}
	return a.Stream
}

func (a *Attempt) event() event { return event{a.checkpoint(), a.Place} }

// statesOf returns the states of one checkpoint.
func (j *judgement) statesOf(checkpoint string) (states []State) {
	for _, s := range j.States {
		if s.Checkpoint == checkpoint {
			states = append(states, s)
		}
	}
	return states
}

// attemptsOf returns the attempts under one checkpoint, in the order in which they began.
func (j *judgement) attemptsOf(checkpoint string) (attempts []*Attempt) {
	for _, a := range j.Attempts {
		if a.checkpoint() == checkpoint {
			attempts = append(attempts, a)
		}
	}
	return attempts
}

// after returns the changes behind a place up to another.
func (j *judgement) after(from, to Place) []Change {
	return j.Changes[j.behind(from):j.behind(to)]
}

// behind returns the index of the first change behind a place.
func (j *judgement) behind(p Place) int {
	n, _ := slices.BinarySearchFunc(j.Changes, p, func(c Change, p Place) int {
		if c.Place.Compare(p) <= 0 {
			return -1
		}
		return 1
	})
	return n
}
