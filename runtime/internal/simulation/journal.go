package simulation

import (
	"sync"
	"time"
)

// journal makes a record. It is safe for concurrent use.
type journal struct {
	began time.Time

	mu     sync.Mutex // guards what follows
	n      int
	record Record
}

func newJournal(s Schedule) *journal {
	return &journal{began: time.Now(), record: Record{Schedule: s}}
}

// now is the moment of the next record. The caller holds mu.
func (j *journal) now() Moment {
	j.n++
	return Moment{N: j.n, At: time.Since(j.began)}
}

// note adds to the record.
func (j *journal) note(add func(r *Record, now Moment)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	add(&j.record, j.now())
}

// begin notes that an attempt begins. It returns nil if the incarnation is dead: what it does no
// longer counts.
func (j *journal) begin(a Attempt) *Attempt {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !a.Life.Died.Never() {
		return nil
	}
	a.Begun = j.now()
	j.record.Attempts = append(j.record.Attempts, &a)
	return &a
}

// mark notes a moment of an attempt, once, unless its incarnation is dead.
func (j *journal) mark(a *Attempt, at *Moment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a.Life.Died.Never() && at.Never() {
		*at = j.now()
	}
}

// end notes how an attempt ended, unless its incarnation is dead.
func (j *journal) end(a *Attempt, outcome Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a.Life.Died.Never() {
		a.Outcome, a.Ended = outcome, j.now()
	}
}

// disturb notes that something is about to disturb an instance, or all if it names none.
func (j *journal) disturb(instance string, d time.Duration) {
	j.note(func(r *Record, now Moment) {
		r.Disturbed = append(r.Disturbed, Span{instance, now.At, now.At + d})
	})
}
