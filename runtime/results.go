package fw

import (
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/failure"
)

// Permanent marks an error as one that no retry can cure. The event goes where the policy sends
// exhausted events. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &failure.PermanentError{Err: err}
}

// RetryAfter asks for another attempt after d, at least 100 ms. It consumes no attempt and is
// counted in [Event.Deferrals]. err says why; it may be nil.
func RetryAfter(d time.Duration, err error) error {
	return &failure.RetryAfterError{Delay: d, Err: err}
}

// Skip settles the event as skipped, and counts it.
func Skip(reason string) error { return &failure.SkipError{Reason: reason} }

// DeadLetter stores the event as a dead letter at once, also on a stream that declares no dead
// letters. err may be nil.
func DeadLetter(reason string, err error) error {
	return &failure.DeadLetterError{Reason: reason, Err: err}
}

// Causes with which a handler's context ends. Read them with [context.Cause].
var (
	// ErrLeaseLost: this instance no longer leads the stream. Nothing that the handler does now is
	// recorded, and another instance will handle the event.
	ErrLeaseLost = failure.ErrLeaseLost
	// ErrFenced: another process has taken the stream over.
	ErrFenced = failure.ErrFenced
	// ErrStopping: the application stops, and the handler did not return within
	// [Config.DrainTimeout].
	ErrStopping = failure.ErrStopping
	// ErrTimeout: the attempt took longer than the stream's timeout. The error of such an attempt
	// is one, too, for errors.Is.
	ErrTimeout = failure.ErrTimeout
)

// ErrHistoryLost says that a position is older than the server's oplog.
var ErrHistoryLost = failure.ErrHistoryLost

var errNotDelivered = errors.New("the event was not delivered by an App")
