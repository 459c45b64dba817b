package simulation

import "time"

// deed is what a handler does about a change.
type deed string

const (
	doHandle     deed = "handle"
	doSlowly     deed = "handle slowly"
	doStubbornly deed = "handle, whatever becomes of the context"
	doFlaky      deed = "fail at first"
	doBroken     deed = "fail for ever"
	doPermanent  deed = "fail for good"
	doPanic      deed = "panic at first"
	doSkip       deed = "skip"
	doFilter     deed = "filter"
	doLetter     deed = "return DeadLetter"
	doSend       deed = "call SendToDLQ"
	doDefer      deed = "return RetryAfter at first"
	doCheckpoint deed = "call Checkpoint"
)

// behaviour is what a handler does about a change, and how long it takes.
type behaviour struct {
	deed  deed
	takes time.Duration
}

// behave returns the behaviour of a seed at a change, which is the same at every attempt.
func behave(seed uint64, key string, seq int) behaviour {
	d := newDice(seed*1_000_003+uint64(seq), key)
	b := behaviour{deed: doHandle, takes: d.between(time.Millisecond, 60*time.Millisecond)}
	if d.in(3) {
		b.deed = pick(d, doSlowly, doSlowly, doStubbornly, doFlaky, doFlaky, doBroken, doPermanent,
			doPanic, doSkip, doFilter, doLetter, doSend, doDefer, doCheckpoint, doCheckpoint)
	}
	switch b.deed {
	case doSlowly:
		b.takes = d.between(100*time.Millisecond, 4*time.Second)
	case doStubbornly:
		b.takes = d.between(500*time.Millisecond, 5*time.Second)
	}
	return b
}
