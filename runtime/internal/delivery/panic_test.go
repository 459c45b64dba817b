package delivery_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
)

func TestB100PanicIsAFailureWithAStack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		panics   func()
		message  string
		kindOf   string
		hasStack bool
	}{
		"panic":   {func() { panic("on the loose") }, "on the loose", "failure.PanicError", true},
		"of nil":  {func() { panic(nil) }, "nil", "runtime.PanicNilError", true},
		"nil map": {func() { mark(nil) }, "nil map", "runtime", true},
		"error":   {func() { panic(errBroken) }, "broken", "errors.errorString", true},
		"Goexit":  {runtime.Goexit, "Goexit", "errors.errorString", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := func(context.Context, *delivery.Delivery) error {
				test.panics()
				return nil
			}
			run(t, h, func(b *bundle) {
				if got := len(b.drive(b.Context(), b.deliver(), 9)); got != 1 {
					t.Errorf("waits: got %d, want one between two attempts", got)
				}
				letter := b.one()
				if letter.Error.Kind != "panic" || letter.Attempts != 2 {
					t.Errorf("kind %s after %d attempts, want panic after 2",
						letter.Error.Kind, letter.Attempts)
				}
				if !strings.Contains(letter.Error.Message, test.message) {
					t.Errorf("message %q says nothing of %q", letter.Error.Message, test.message)
				}
				if !strings.Contains(letter.Error.Type, test.kindOf) {
					t.Errorf("type %s, want %s", letter.Error.Type, test.kindOf)
				}
				if got := strings.Contains(letter.Error.StackTrace, "panic_test.go"); got != test.hasStack {
					t.Errorf("stack of the place: %t, want %t:\n%s", got, test.hasStack,
						letter.Error.StackTrace)
				}
				b.wantSettled(fact.DeadLettered)
			}, withAttempts(2), withDLQ)
		})
	}
}

func TestStackIsLeftOutWhereTheStreamSaysSo(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error { panic("on the loose") }
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 2)
		if got := b.one().Error.StackTrace; got != "" {
			t.Errorf("stored:\n%s", got)
		}
	}, withDLQ, func(c *delivery.Config) { c.Letters.OmitStack = true })
}

func TestB047PanicWhileDecodingIsADecodeFailure(t *testing.T) {
	calls := 0
	h := func(_ context.Context, d *delivery.Delivery) error {
		calls++
		d.Stage = failure.Decode
		panic("index out of range")
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		if kind := b.one().Error.Kind; kind != "decode" || calls != 1 {
			t.Errorf("%d calls and kind %s, want one and decode", calls, kind)
		}
	}, withAttempts(3), withDLQ)
}

// A panic that carries one of the runtime's words is a panic, not a word.
func TestPanicIsNoWord(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error {
		panic(&failure.SkipError{Reason: "never mind"})
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		b.wantSettled(fact.DeadLettered)
	}, withDLQ)
}

// brokenError is an error whose methods panic on a nil pointer, as those of os.PathError do.
type brokenError struct{ text string }

func (e *brokenError) Error() string { return e.text }

func TestErrorWhoseMethodsPanicIsAPanic(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"of ours":   (*brokenError)(nil),
		"PathError": (*os.PathError)(nil),
		"joined":    errors.Join(errBroken, (*os.PathError)(nil)),
	} {
		t.Run(name, func(t *testing.T) {
			h := func(context.Context, *delivery.Delivery) error { return err }
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 9)
				if got := b.one().Error.Kind; got != "panic" {
					t.Errorf("kind: got %s, want panic", got)
				}
				b.wantSettled(fact.DeadLettered)
			}, withDLQ)
		})
	}
}

func TestOnErrorThatDoesNotAnswerLeavesItToThePolicy(t *testing.T) {
	t.Parallel()
	for name, onError := range map[string]func(error) failure.Action{
		"panic":   func(error) failure.Action { panic("on the loose") },
		"Goexit":  func(error) failure.Action { runtime.Goexit(); return failure.Skip },
		"unknown": func(error) failure.Action { return 99 },
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			h := func(_ context.Context, d *delivery.Delivery) error {
				calls++
				d.OnError = onError
				return errBroken
			}
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 9)
				if calls != 2 {
					t.Errorf("calls: got %d, want the 2 of the policy", calls)
				}
				letter := b.one()
				if letter.Error.Message != "broken" || letter.Error.Kind != "handler" {
					t.Errorf("the dead letter tells of %+v, want the handler's error", letter.Error)
				}
				b.wantSettled(fact.DeadLettered)
			}, withAttempts(2), withDLQ)
		})
	}
}

func TestOnErrorIsAskedAboutThisAttemptOnly(t *testing.T) {
	asked := 0
	h := func(_ context.Context, d *delivery.Delivery) error {
		if d.Attempt == 1 {
			d.OnError = func(error) failure.Action { asked++; return failure.Retry }
		}
		return errBroken
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 9)
		if asked != 1 {
			t.Errorf("asked %d times, want once", asked)
		}
	}, withAttempts(2), withDLQ)
}

// mark writes to a map, which panics for one that was never made.
func mark(seen map[int]int) { seen[1] = 1 }
