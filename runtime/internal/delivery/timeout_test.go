package delivery_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

func TestContextEndsWithTheTimeoutAsItsCause(t *testing.T) {
	h := func(ctx context.Context, _ *delivery.Delivery) error {
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, failure.ErrTimeout) {
			t.Errorf("cause: got %v, want %v", cause, failure.ErrTimeout)
		}
		return ctx.Err()
	}
	run(t, h, func(b *bundle) {
		began := time.Now()
		b.step(b.Context(), b.deliver())
		if took := time.Since(began); took != time.Second {
			t.Errorf("ended after %s, want 1s", took)
		}
	}, withTimeout(time.Second))
}

func TestNextAttemptStartsOnlyAfterTheHandlerReturned(t *testing.T) {
	running := 0
	h := func(context.Context, *delivery.Delivery) error {
		running++
		defer func() { running-- }()
		if running > 1 {
			t.Error("two attempts of one event run at once")
		}
		time.Sleep(time.Hour) // deaf to its context
		return errBroken
	}
	run(t, h, func(b *bundle) {
		began := time.Now()
		b.drive(b.Context(), b.deliver(), 9)
		if took := time.Since(began); took != 2*time.Hour+time.Second {
			t.Errorf("two attempts took %s", took)
		}
		if letter := b.one(); letter.Error.Kind != "timeout" || letter.Attempts != 2 {
			t.Errorf("dead letter: %s after %d attempts", letter.Error.Kind, letter.Attempts)
		}
	}, withTimeout(time.Second), withAttempts(2), withDLQ)
}

func TestNilAfterTheDeadlineCountsAsHandled(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error {
		time.Sleep(time.Hour)
		return nil
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		b.wantSettled(fact.Handled)
	}, withTimeout(time.Second), withAttempts(2), withDLQ)
}

func TestOverdueHandlerIsShownWhileItRuns(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error {
		time.Sleep(time.Minute)
		return nil
	}
	run(t, h, func(b *bundle) {
		d := b.deliver()
		returned := make(chan delivery.Next)
		go func() { returned <- b.runner.Step(b.Context(), d) }()
		time.Sleep(500 * time.Millisecond)
		if got := b.Board.Current(); got.Code != "" {
			t.Errorf("before the deadline: %+v", got)
		}
		time.Sleep(time.Second)
		got := b.Board.Current()
		if got.State != state.Running || got.Code != "handler_overdue" {
			t.Errorf("after the deadline: %+v", got)
		}
		<-returned
		if got := b.Board.Current(); got.Code != "" {
			t.Errorf("after the handler returned: %+v", got)
		}
	}, withTimeout(time.Second))
}

// The deadline and the return meet: whichever is first, nothing is shown for ever.
func TestHandlerThatReturnsAtItsDeadlineIsNotShownAsOverdue(t *testing.T) {
	t.Parallel()
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			b := newBundle(t, func(ctx context.Context, _ *delivery.Delivery) error {
				<-ctx.Done()
				return nil
			}, withTimeout(time.Second))
			b.step(b.Context(), b.deliver())
			synctest.Wait()
			if got := b.Board.Current(); got.Code != "" {
				t.Fatalf("shown for ever: %+v", got)
			}
		})
	}
}

func TestErrorBeforeTheDeadlineIsNoTimeout(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error { return context.DeadlineExceeded }
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		if got := b.one().Error.Kind; got != "handler" {
			t.Errorf("kind: got %s, want handler", got)
		}
	}, withTimeout(time.Second), withDLQ)
}

func TestStopDuringATimedAttemptIsAnInterruption(t *testing.T) {
	h := func(ctx context.Context, _ *delivery.Delivery) error {
		<-ctx.Done()
		time.Sleep(time.Hour)
		return ctx.Err()
	}
	run(t, h, func(b *bundle) {
		ctx, cancel := context.WithCancelCause(b.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(failure.ErrStopping) })
		b.drive(ctx, b.deliver(), 9)
		b.wantUnsettled()
		if got := b.Board.Current(); got.Code != "" {
			t.Errorf("shown: %+v", got)
		}
	}, withTimeout(time.Second), withDLQ)
}

func TestErrorOfATimedOutAttemptIsATimeoutAndWhatTheHandlerReturned(t *testing.T) {
	h := func(ctx context.Context, d *delivery.Delivery) error {
		d.OnError = func(err error) failure.Action {
			if !errors.Is(err, failure.ErrTimeout) || !errors.Is(err, errBroken) {
				t.Errorf("error: %v", err)
			}
			return failure.Rethrow
		}
		<-ctx.Done()
		return errBroken
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		if letter := b.one(); letter.Error.Type != "*errors.errorString" {
			t.Errorf("dead letter's type: %s, want that of what the handler returned",
				letter.Error.Type)
		}
	}, withTimeout(time.Second), withDLQ)
}
