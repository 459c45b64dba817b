package delivery

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

// errGone is the failure of a handler that ended its goroutine instead of returning.
var errGone = errors.New("the handler ended its goroutine (runtime.Goexit) instead of returning")

// attempt calls the handler once and says how it ended and, if it failed, at which stage.
func (r *Runner) attempt(ctx context.Context, d *Delivery) (Result, failure.Kind, string) {
	if d.gone { // and the lane went on in another goroutine
		d.gone = false
		return Result{Err: errGone}, failure.Panic, ""
	}
	r.Counters.Attempts.Add(1)
	d.lastAttempt = time.Now()
	if d.FirstAttempt.IsZero() {
		d.FirstAttempt = d.lastAttempt
	}
	attemptCtx, cancel := r.bounded(ctx, d)
	defer cancel()
	d.Stage, d.OnError = failure.Decode, nil
	result, stack := r.call(attemptCtx, d)
	if stack != "" && d.Stage != failure.Decode { // broken bytes stay broken
		return result, failure.Panic, stack
	}
	if result.Err != nil && errors.Is(context.Cause(attemptCtx), failure.ErrTimeout) {
		return result, failure.Timeout, ""
	}
	return result, d.Stage, stack
}

// bounded returns the context of one attempt. While the attempt goes on beyond its timeout, the
// board says so.
func (r *Runner) bounded(
	ctx context.Context, d *Delivery,
) (context.Context, context.CancelFunc) {
	if r.Timeout <= 0 {
		return ctx, func() {}
	}
	bounded, cancel := context.WithTimeoutCause(ctx, r.Timeout, failure.ErrTimeout)
	overdue := context.AfterFunc(bounded, func() {
		if context.Cause(bounded) == failure.ErrTimeout {
			r.Board.Trouble(state.Overdue, state.Condition{
				State: state.Running, Code: "handler_overdue",
				Reason: "the handler of event " + d.ID + " has not returned after its timeout of " +
					r.Timeout.String(),
			})
		}
	})
	return bounded, func() {
		if !overdue() {
			r.Board.Clear(state.Overdue)
		}
		cancel()
	}
}

// call calls the handler and turns a panic into an error with a stack. If the handler ends its
// goroutine, call does not return, and the delivery remembers it.
func (r *Runner) call(ctx context.Context, d *Delivery) (result Result, stack string) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		if p == nil {
			d.gone = true
			return
		}
		stack = string(debug.Stack())
		result = Result{Err: &failure.PanicError{Value: p}}
	}()
	result = r.Handler.Attempt(ctx, d)
	returned = true
	return result, ""
}

// guarded makes an OnError that panics answer Rethrow.
func (r *Runner) guarded(onError func(error) failure.Action) func(error) failure.Action {
	if onError == nil {
		return nil
	}
	return func(err error) (action failure.Action) {
		defer func() {
			if p := recover(); p != nil {
				r.Log.Error("OnError panicked", "panic", p, "error", err)
				action = failure.Rethrow
			}
		}()
		return onError(err)
	}
}
