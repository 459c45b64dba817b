package delivery

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
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
		result.Err = &failure.TimeoutError{Err: result.Err}
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
	var mu sync.Mutex // guards returned
	returned := false
	overdue := context.AfterFunc(bounded, func() {
		mu.Lock()
		defer mu.Unlock()
		if !returned && context.Cause(bounded) == failure.ErrTimeout {
			r.Board.Trouble(state.Overdue, state.Condition{
				State: state.Running, Code: "handler_overdue",
				Reason: "the handler of event " + d.ID + " has not returned after its timeout of " +
					r.Timeout.String(),
			})
		}
	})
	return bounded, func() {
		if !overdue() { // it has begun, or is about to
			mu.Lock()
			returned = true
			mu.Unlock()
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
	probe(result.Err)
	returned = true
	return result, ""
}

// probe panics if a method of err does, as those of a nil pointer in an error may. Such an error
// is a panic of the handler: nothing that looks at it later is prepared for one.
func probe(err error) {
	if err != nil {
		_ = err.Error()
		_, _ = errors.AsType[*failure.PermanentError](err)
	}
}

// failed is an attempt that failed.
type failed struct {
	err   error
	kind  failure.Kind
	stack string
}

// guarded makes an OnError that panics answer Rethrow. If it ends its goroutine, the delivery
// remembers the failure, which the next step decides about without asking again.
func (r *Runner) guarded(d *Delivery, f failed) func(error) failure.Action {
	onError := d.OnError
	if onError == nil {
		return nil
	}
	return func(err error) (action failure.Action) {
		returned := false
		defer func() {
			if returned {
				return
			}
			p := recover()
			if p == nil {
				d.unanswered = &f
			}
			r.Log.Error("OnError panicked", "event", d.ID, "panic", p, "error", err)
			action = failure.Rethrow
		}()
		action = onError(err)
		returned = true
		return action
	}
}
