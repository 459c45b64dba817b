// Package state says what a stream is doing and why: one base state, set by whoever drives the
// stream, and conditions that trouble a running stream (a reader that can't read, a store that
// can't write, events that stall), each set and cleared by whoever meets it.
package state

import (
	"sync"
	"time"
)

// State is what a stream is doing. The values are those of fw.State.
type State string

// The states.
const (
	Starting    State = "starting"
	Standby     State = "standby"
	Running     State = "running"
	BackingOff  State = "backing_off"
	Stalled     State = "stalled"
	Held        State = "held"
	HistoryLost State = "history_lost"
	Invalidated State = "invalidated"
	Stopped     State = "stopped"
	Failed      State = "failed"
)

// Condition is a state with its reason.
type Condition struct {
	State     State
	Code      string // for programs
	Reason    string // for people, with what to do
	NextRetry time.Time
	Since     time.Time
}

// Trouble names a condition of a running stream.
type Trouble string

// The troubles, gravest first: the first that is set is shown.
const (
	Reader      Trouble = "reader"
	DeadLetters Trouble = "dead_letters"
	Checkpoints Trouble = "checkpoints"
	Stall       Trouble = "stall"
	Overdue     Trouble = "overdue"
	Setup       Trouble = "setup"
)

var troubles = []Trouble{Reader, DeadLetters, Checkpoints, Stall, Overdue, Setup}

// Board holds the state of one stream. The zero value is not ready; see [NewBoard].
type Board struct {
	changed func(from, to Condition)

	mu       sync.Mutex // guards what follows
	base     Condition
	troubles map[Trouble]Condition
	shown    Condition
}

// NewBoard returns a board in state Starting. changed, if not nil, hears of every change of the
// state or its code, in order; it must not call back.
func NewBoard(changed func(from, to Condition)) *Board {
	if changed == nil {
		changed = func(_, _ Condition) {}
	}
	start := Condition{State: Starting, Since: time.Now()}
	return &Board{changed: changed, base: start, shown: start, troubles: map[Trouble]Condition{}}
}

// Set replaces the base state.
func (b *Board) Set(c Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.base = c
	b.show()
}

// Trouble sets a trouble. A trouble whose State is empty is BackingOff.
func (b *Board) Trouble(t Trouble, c Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.State == "" {
		c.State = BackingOff
	}
	b.troubles[t] = c
	b.show()
}

// Clear ends a trouble.
func (b *Board) Clear(t Trouble) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.troubles[t]; ok {
		delete(b.troubles, t)
		b.show()
	}
}

// ClearAll ends every trouble.
func (b *Board) ClearAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.troubles)
	b.show()
}

// Reset replaces the base state and ends every trouble, as at the end of a leadership. A stream
// that has failed stays so.
func (b *Board) Reset(c Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.troubles)
	if b.base.State != Failed {
		b.base = c
	}
	b.show()
}

// Current returns what the stream is doing now.
func (b *Board) Current() Condition {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shown
}

// show works out the current condition. Troubles only count while the stream would run.
func (b *Board) show() {
	next := b.base
	if next.State == Running {
		for _, t := range troubles {
			if c, ok := b.troubles[t]; ok {
				next = c
				break
			}
		}
	}
	from := b.shown
	if from.State == next.State && from.Code == next.Code {
		next.Since = from.Since
		b.shown = next
		return
	}
	next.Since = time.Now()
	b.shown = next
	b.changed(from, next)
}
