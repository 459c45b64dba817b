package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

var errBroken = errors.New("broken")

func TestB101FiveAttemptsInAllThenExactlyOneDeadLetter(t *testing.T) {
	var attempts []int
	h := func(_ context.Context, d *delivery.Delivery) error {
		attempts = append(attempts, d.Attempt)
		return fmt.Errorf("attempt %d", d.Attempt)
	}
	run(t, h, func(b *bundle) {
		waits := b.drive(b.Context(), b.deliver(), 20)
		wantWaits(t, waits, time.Second, 2*time.Second, 3*time.Second, 4*time.Second)
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, attempts); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		letter := b.one()
		if letter.Attempts != 5 || letter.Error.Message != "attempt 5" {
			t.Errorf("the dead letter tells of %d attempts, the last one %q",
				letter.Attempts, letter.Error.Message)
		}
		var told []string
		for _, h := range letter.History {
			told = append(told, h.Message)
		}
		want := []string{"attempt 1", "attempt 2", "attempt 3", "attempt 4", "attempt 5"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		b.wantSettled(fact.DeadLettered)
		if got := b.counters.Attempts.Load(); got != 5 {
			t.Errorf("attempts counted: got %d, want 5", got)
		}
	}, withAttempts(5), withDLQ)
}

func TestB108InterruptedAttemptIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{failure.ErrStopping, failure.ErrLeaseLost, failure.ErrFenced} {
		t.Run(cause.Error(), func(t *testing.T) {
			h := func(ctx context.Context, _ *delivery.Delivery) error {
				<-ctx.Done()
				return ctx.Err()
			}
			run(t, h, func(b *bundle) {
				ctx, cancel := context.WithCancelCause(b.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				d := b.deliver()
				if next := b.step(ctx, d); !next.Done {
					t.Errorf("the event goes on: %+v", next)
				}
				b.wantUnsettled()
				if d.Attempt != 1 {
					t.Errorf("an attempt was consumed: the next one is %d", d.Attempt)
				}
				if b.writer.calls != 0 {
					t.Error("a dead letter was written")
				}
				if len(b.facts) != 0 {
					t.Errorf("told as a failure: %+v", b.facts)
				}
			}, withDLQ)
		})
	}
}

func TestB108HandlersOwnCanceledContextIsAFailure(t *testing.T) {
	h := func(ctx context.Context, _ *delivery.Delivery) error {
		own, cancel := context.WithCancel(ctx)
		cancel()
		return own.Err()
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 5)
		b.wantSettled(fact.DeadLettered)
		if got := b.one().Error.Kind; got != "handler" {
			t.Errorf("kind: got %s, want handler", got)
		}
	}, withAttempts(2), withDLQ)
}

func TestHandledEventIsSettledAlsoAfterTheContextEnded(t *testing.T) {
	h := func(ctx context.Context, _ *delivery.Delivery) error {
		<-ctx.Done()
		return nil
	}
	run(t, h, func(b *bundle) {
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		b.drive(ctx, b.deliver(), 1)
		b.wantSettled(fact.Handled)
	})
}

func TestB111PermanentErrorsAndDecodeFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stage failure.Kind
		err   error
		calls int
	}{
		"permanent": {failure.Handler, &failure.PermanentError{Err: errBroken}, 1},
		"permanent, wrapped": {
			failure.Handler, fmt.Errorf("bill: %w", &failure.PermanentError{Err: errBroken}), 1},
		"permanent, joined": {
			failure.Handler, errors.Join(errBroken, &failure.PermanentError{Err: errBroken}), 1},
		"decode":    {failure.Decode, errBroken, 1},
		"transient": {failure.Handler, errBroken, 3},
		"filter":    {failure.Filter, errBroken, 3},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			h := func(_ context.Context, d *delivery.Delivery) error {
				calls++
				d.Stage = test.stage
				return test.err
			}
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 10)
				if calls != test.calls {
					t.Errorf("calls: got %d, want %d", calls, test.calls)
				}
				if letter := b.one(); letter.Error.Kind != string(test.stage) {
					t.Errorf("kind: got %s, want %s", letter.Error.Kind, test.stage)
				}
				b.wantSettled(fact.DeadLettered)
			}, withAttempts(3), withDLQ)
		})
	}
}

func TestB115DeferralsConsumeNoAttempt(t *testing.T) {
	var deferrals, attempts []int
	h := func(_ context.Context, d *delivery.Delivery) error {
		deferrals, attempts = append(deferrals, d.Deferrals), append(attempts, d.Attempt)
		if d.Deferrals < 10 {
			return &failure.RetryAfterError{Delay: 2 * time.Second}
		}
		return nil
	}
	run(t, h, func(b *bundle) {
		waits := b.drive(b.Context(), b.deliver(), 20)
		if len(waits) != 10 || waits[0] != 2*time.Second || waits[9] != 2*time.Second {
			t.Errorf("waits: got %v, want ten of 2s", waits)
		}
		if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, deferrals); diff != "" {
			t.Errorf("deferrals (-want +got):\n%s", diff)
		}
		if attempts[10] != 1 {
			t.Errorf("attempt after ten deferrals: got %d, want 1", attempts[10])
		}
		if b.writer.calls != 0 {
			t.Error("a dead letter was written")
		}
		b.wantSettled(fact.Handled)
	}, withAttempts(3), withDLQ)
}

func TestB115DeferralOfNoTimeDoesNotSpin(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, -time.Hour, time.Nanosecond} {
		t.Run(delay.String(), func(t *testing.T) {
			h := func(_ context.Context, d *delivery.Delivery) error {
				if d.Deferrals > 0 {
					return nil
				}
				return fmt.Errorf("wrapped: %w", &failure.RetryAfterError{Delay: delay})
			}
			run(t, h, func(b *bundle) {
				wantWaits(t, b.drive(b.Context(), b.deliver(), 5), 100*time.Millisecond)
			})
		})
	}
}

func TestLongDeferralIsNotCapped(t *testing.T) {
	h := func(_ context.Context, d *delivery.Delivery) error {
		if d.Deferrals > 0 {
			return nil
		}
		return &failure.RetryAfterError{Delay: 48 * time.Hour}
	}
	run(t, h, func(b *bundle) {
		wantWaits(t, b.drive(b.Context(), b.deliver(), 5), 48*time.Hour)
	})
}

func TestFirstAttemptIsTheTimeOfTheFirst(t *testing.T) {
	var first []time.Time
	h := func(_ context.Context, d *delivery.Delivery) error {
		first = append(first, d.FirstAttempt)
		if len(first) < 3 {
			return errBroken
		}
		return nil
	}
	run(t, h, func(b *bundle) {
		began := time.Now()
		b.drive(b.Context(), b.deliver(), 5)
		if diff := cmp.Diff([]time.Time{began, began, began}, first); diff != "" {
			t.Errorf("first attempts (-want +got):\n%s", diff)
		}
	}, withAttempts(3))
}

func TestStalledEventIsTriedAgainEverLessOften(t *testing.T) {
	var attempts []int
	h := func(_ context.Context, d *delivery.Delivery) error {
		attempts = append(attempts, d.Attempt)
		return errBroken
	}
	run(t, h, func(b *bundle) {
		d := b.deliver()
		waits := b.drive(b.Context(), d, 8)
		wantWaits(t, waits, time.Second, // the declared retry
			10*time.Second, 20*time.Second, 40*time.Second, 80*time.Second, 160*time.Second,
			5*time.Minute, 5*time.Minute)
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, attempts); diff != "" {
			t.Errorf("the attempts do not count on (-want +got):\n%s", diff)
		}
		b.wantUnsettled()
		if got := b.logs.count("event stalled"); got != 1 {
			t.Errorf("logged %d times, want once", got)
		}
	}, withAttempts(2))
}

func TestStalledEventIsShownUntilItIsHandled(t *testing.T) {
	fails := true
	h := func(context.Context, *delivery.Delivery) error {
		if fails {
			return errBroken
		}
		return nil
	}
	run(t, h, func(b *bundle) {
		d := b.deliver()
		began := time.Now()
		b.drive(b.Context(), d, 2)
		b.wantState(state.Stalled)
		want := delivery.Stalled{Delivery: d, Since: began, Attempts: 2, Reason: "broken",
			NextRun: began.Add(30 * time.Second)}
		got := b.runner.Stalled()
		if len(got) != 1 || got[0] != want {
			t.Errorf("stalled: got %+v, want %+v", got, want)
		}
		if shown := b.Board.Current(); !shown.NextRetry.Equal(want.NextRun) {
			t.Errorf("the state shows the next attempt at %s, want %s", shown.NextRetry, want.NextRun)
		}
		fails = false
		b.drive(b.Context(), d, 1)
		b.wantState(state.Running)
		if got := b.runner.Stalled(); len(got) != 0 {
			t.Errorf("still listed: %+v", got)
		}
		b.wantSettled(fact.Handled)
	})
}

func TestHopelessEventWaitsUntilSomebodyAsks(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]handle{
		"permanent": func(context.Context, *delivery.Delivery) error {
			return &failure.PermanentError{Err: errBroken}
		},
		"decode": func(_ context.Context, d *delivery.Delivery) error {
			d.Stage = failure.Decode
			return errBroken
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, h, func(b *bundle) {
				if waits := b.drive(b.Context(), b.deliver(), 5); len(waits) != 1 || waits[0] >= 0 {
					t.Errorf("waits: got %v, want one without end", waits)
				}
				b.wantState(state.Stalled)
				if got := b.runner.Stalled(); len(got) != 1 || !got[0].NextRun.IsZero() {
					t.Errorf("stalled: got %+v, want one without a next run", got)
				}
			}, withAttempts(9))
		})
	}
}

func TestStalledEventOfAnEndedLeadershipIsNotShown(t *testing.T) {
	h := func(ctx context.Context, _ *delivery.Delivery) error { return errBroken }
	run(t, h, func(b *bundle) {
		ctx, cancel := context.WithCancel(b.Context())
		d := b.deliver()
		b.drive(ctx, d, 1)
		cancel()
		b.drive(ctx, d, 1)
		b.wantState(state.Running)
		b.wantUnsettled()
	})
}

func TestExhaustedSkipSettlesTheEvent(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]handle{
		"handler": func(context.Context, *delivery.Delivery) error { return errBroken },
		"permanent": func(context.Context, *delivery.Delivery) error {
			return &failure.PermanentError{Err: errBroken}
		},
		"decode": func(_ context.Context, d *delivery.Delivery) error {
			d.Stage = failure.Decode
			return errBroken
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 5)
				b.wantSettled(fact.Skipped)
				if got := b.counters.Skipped.Load(); got != 1 {
					t.Errorf("skipped: got %d, want 1", got)
				}
			}, withAttempts(2), withSkip)
		})
	}
}

func TestSkipOfAHandlerIsNoFailure(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error {
		return fmt.Errorf("wrapped: %w", &failure.SkipError{Reason: "not ours"})
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 5)
		b.wantSettled(fact.Skipped)
		if settled := b.facts[0].(fact.EventSettled); settled.Reason != "not ours" {
			t.Errorf("reason: got %q", settled.Reason)
		}
	}, withDLQ)
}

func TestEveryFailedAttemptIsToldOfAlsoOneThatEndsInASkip(t *testing.T) {
	fail := func(context.Context, *delivery.Delivery) error { return errBroken }
	told := func(b *bundle) (n int) {
		for _, f := range b.facts {
			if _, ok := f.(fact.AttemptFailed); ok {
				n++
			}
		}
		return n
	}
	t.Run("policy", func(t *testing.T) {
		run(t, fail, func(b *bundle) {
			b.drive(b.Context(), b.deliver(), 9)
			if n := told(b); n != 2 {
				t.Errorf("told of %d failed attempts, want 2", n)
			}
		}, withAttempts(2), withSkip)
	})
	t.Run("asked for", func(t *testing.T) {
		skip := func(context.Context, *delivery.Delivery) error {
			return &failure.SkipError{Reason: "not ours"}
		}
		run(t, skip, func(b *bundle) {
			b.drive(b.Context(), b.deliver(), 9)
			if n := told(b); n != 0 {
				t.Errorf("told of %d failed attempts, want none: to skip is no failure", n)
			}
		})
	})
}
