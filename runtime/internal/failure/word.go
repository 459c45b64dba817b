package failure

import (
	"errors"
	"fmt"
	"time"
)

// MinRetryAfter is the shortest wait that RetryAfter can ask for, so that an event whose handler
// always asks for none does not spin.
const MinRetryAfter = 100 * time.Millisecond

// A word is an error by which a handler itself says what becomes of the event.
type (
	// PermanentError is never retried.
	PermanentError struct{ Err error }
	// RetryAfterError is attempted again after Delay, which consumes no attempt.
	RetryAfterError struct {
		Delay time.Duration
		Err   error
	}
	// SkipError settles the event as skipped.
	SkipError struct{ Reason string }
	// DeadLetterError stores the event as a dead letter.
	DeadLetterError struct {
		Reason string
		Err    error
	}
)

func (e *PermanentError) Error() string { return text(e.Err, "permanent error") }

// Unwrap returns the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

func (e *RetryAfterError) Error() string {
	return fmt.Sprintf("%s (again after %s)", text(e.Err, "not yet"), e.Delay)
}

// Unwrap returns the cause.
func (e *RetryAfterError) Unwrap() error { return e.Err }

func (e *SkipError) Error() string { return "skipped: " + e.Reason }

func (e *DeadLetterError) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DeadLetterError) Unwrap() error { return e.Err }

func text(err error, otherwise string) string {
	if err == nil {
		return otherwise
	}
	return err.Error()
}

// TimeoutError is what a handler returned after its time was over.
type TimeoutError struct{ Err error }

func (e *TimeoutError) Error() string { return "timeout: " + e.Err.Error() }

// Is makes the error an ErrTimeout.
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Unwrap returns what the handler returned.
func (e *TimeoutError) Unwrap() error { return e.Err }

// word returns the decision that err itself carries, looking through wrapped and joined errors.
func word(err error) (Decision, bool) {
	if skip, ok := errors.AsType[*SkipError](err); ok {
		return Decision{Do: DoSkip, Reason: skip.Reason}, true
	}
	if letter, ok := errors.AsType[*DeadLetterError](err); ok {
		return Decision{Do: DoDeadLetter, Reason: letter.Reason}, true
	}
	if later, ok := errors.AsType[*RetryAfterError](err); ok {
		return Decision{Do: DoDefer, Wait: max(later.Delay, MinRetryAfter)}, true
	}
	return Decision{}, false
}
