package simulation

import (
	"strings"
	"time"
)

// ending checks that every event behind the start of a stream is settled, unless the stream says
// that its history is lost, which it may only if it is.
func (j *judgement) ending(checkpoint string) {
	states := j.statesOf(checkpoint)
	last := states[len(states)-1]
	var base *State
	for i := range states {
		if states[i].Token != "" {
			base = &states[i]
			break
		}
	}
	lost := j.mayBeLost(checkpoint, last)
	for _, e := range j.Ends {
		if e.Checkpoint == checkpoint && e.State == "history_lost" && !lost {
			j.accuse(RuleEnd, "%s on %s says %s, and the oplog forgot nothing behind %s: %s",
				checkpoint, e.Life, e.Code, last, e.Reason)
		}
	}
	if base == nil || len(j.Changes) == 0 {
		return
	}
	if end := j.Changes[len(j.Changes)-1]; last.Passed.Compare(end.Place) < 0 && !lost {
		j.accuse(RuleLost, "%s ends at the %s, before the %s; %s",
			checkpoint, last, end, j.shown(checkpoint))
	}
	for _, c := range j.after(base.Passed, last.Passed) {
		if !j.everSettled(checkpoint, c.Place) {
			j.accuse(RuleLost, "%s: the %s was never settled", checkpoint, c)
		}
	}
}

// mayBeLost reports whether the oplog forgot what comes after a checkpoint's last position, and
// the stream says so.
func (j *judgement) mayBeLost(checkpoint string, last State) bool {
	shown := false
	for _, e := range j.Ends {
		shown = shown || e.Checkpoint == checkpoint && e.State == "history_lost"
	}
	for _, l := range j.Losses {
		if shown && l.First.Compare(last.Passed) > 0 {
			return true
		}
	}
	return false
}

// shown says what the instances showed of a stream in the end.
func (j *judgement) shown(checkpoint string) string {
	var all []string
	for _, e := range j.Ends {
		if e.Checkpoint == checkpoint {
			all = append(all, strings.TrimSpace(e.Life+" shows "+e.State+" "+e.Code+" "+e.Reason))
		}
	}
	if all == nil {
		return "no instance runs it"
	}
	return strings.Join(all, ", ")
}

func (j *judgement) everSettled(checkpoint string, place Place) bool {
	e := event{checkpoint, place}
	for _, a := range j.attempts[e] {
		if !a.settled().Never() {
			return true
		}
	}
	_, ok := j.letters[e]
	return ok
}

// prompt is how long a save may take that nothing disturbs, and calm how long after a disturbance
// its consequences may last: a save that hangs, and the backoff after it.
const (
	prompt = time.Second
	calm   = 20 * time.Second
)

// repeats checks that what one term settled is not left to the next: all of it after a stop, and
// what is older than an interval after a crash. It says nothing of times that were disturbed.
func (j *judgement) repeats(checkpoint string) {
	order, lanes := j.lanes(checkpoint)
	for i, l := range order[:max(len(order)-1, 0)] {
		next := order[i+1]
		floor := j.floor(checkpoint, next.term)
		if floor == nil || next.term <= l.term {
			continue
		}
		end, kept := l.life.Died, j.Schedule.Settings[stream(checkpoint)].Interval+prompt
		if end.Never() || end.At > floor.When.At {
			end, kept = l.life.Ended, 0
		}
		if end.Never() || end.At > floor.When.At {
			continue // it goes on: it lost its leadership, for which something is to blame
		}
		for _, a := range lanes[l] {
			at := a.settled()
			if at.Never() || a.Place.Compare(floor.Passed) <= 0 || end.At-at.At < kept ||
				j.disturbed(l.life.Instance, at.At-prompt, end.At) {
				continue
			}
			j.accuse(RuleBound, "%s was settled at %s, %s before the end of %s; term %d begins at the %s",
				a, at.At, end.At-at.At, l.life, next.term, floor)
		}
	}
}

func stream(checkpoint string) string {
	name, _ := split(checkpoint)
	return name
}

// disturbed reports whether anything disturbed an instance between two times, or shortly before.
func (j *judgement) disturbed(instance string, from, to time.Duration) bool {
	for _, s := range j.Disturbed {
		if (s.Instance == "" || s.Instance == instance) && s.From <= to && s.To+calm >= from {
			return true
		}
	}
	return false
}
