package failure

import (
	"errors"
	"time"
)

// Policy is what a stream declares about failures.
type Policy struct {
	Attempts      int                             // in all, at least 1
	Retryable     func(error) bool                // on= and except=; nil: every error is
	Backoff       func(attempt int) time.Duration // the wait after that attempt
	DeadLetters   bool                            // exhausted events become dead letters
	SkipExhausted bool                            // without dead letters: skip instead of stall
}

// Failure is one failed attempt.
type Failure struct {
	Interrupted bool // the attempt's context was ended by a stop or a lost lease
	Kind        Kind
	Err         error
	Attempt     int                // number of the attempt, from 1
	OnError     func(error) Action // nil: nobody to ask
}

// Do is what becomes of the event.
type Do int

// The outcomes.
const (
	DoLeave      Do = iota // unsettled: whoever reads it next handles it
	DoRetry                // again after Wait; the attempt counts
	DoDefer                // again after Wait; the attempt does not count
	DoSkip                 // settle as skipped
	DoDeadLetter           // store as a dead letter, then settle
	DoStall                // keep, and try again from time to time
)

// Decision is the answer of [Decide].
type Decision struct {
	Do     Do
	Wait   time.Duration // DoRetry, DoDefer
	Reason string        // DoSkip, DoDeadLetter, where there is one beside the error
	// Hopeless says of a DoStall that another attempt can't help before somebody changed
	// something: only an operator or a restart asks for it.
	Hopeless bool
}

// Decide says what becomes of an event whose attempt failed.
func Decide(p Policy, f Failure) Decision {
	if f.Interrupted {
		return Decision{Do: DoLeave}
	}
	if d, ok := word(f.Err); ok && f.Kind != Panic {
		return d
	}
	switch ask(f) {
	case Skip:
		return Decision{Do: DoSkip, Reason: "OnError: " + f.Err.Error()}
	case DLQ:
		return Decision{Do: DoDeadLetter}
	case Retry:
		return p.retryOrExhausted(f, !permanent(f))
	default:
		return p.retryOrExhausted(f, !permanent(f) && p.retryable(f.Err))
	}
}

func ask(f Failure) Action {
	if f.OnError == nil {
		return Rethrow
	}
	return f.OnError(f.Err)
}

// permanent reports whether a repeat of the same attempt can only end the same way.
func permanent(f Failure) bool {
	_, ok := errors.AsType[*PermanentError](f.Err)
	return ok || f.Kind == Decode
}

func (p Policy) retryable(err error) bool { return p.Retryable == nil || p.Retryable(err) }

func (p Policy) retryOrExhausted(f Failure, retryable bool) Decision {
	switch {
	case retryable && f.Attempt < p.Attempts:
		return Decision{Do: DoRetry, Wait: p.Backoff(f.Attempt)}
	case p.DeadLetters:
		return Decision{Do: DoDeadLetter}
	case p.SkipExhausted:
		return Decision{Do: DoSkip, Reason: "attempts exhausted: " + f.Err.Error()}
	default:
		return Decision{Do: DoStall, Hopeless: permanent(f)}
	}
}
