package failure_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/failure"
)

var errPlain = errors.New("plain")

// words are what handlers return, each with what it says.
var words = []struct {
	name      string
	err       error
	says      *failure.Decision // nil: nothing
	permanent bool
}{
	{"plain", errPlain, nil, false},
	{"context.Canceled", context.Canceled, nil, false},
	{"permanent", &failure.PermanentError{Err: errPlain}, nil, true},
	{"permanent, wrapped", fmt.Errorf("w: %w", &failure.PermanentError{}), nil, true},
	{"permanent, joined", errors.Join(errPlain, &failure.PermanentError{}), nil, true},
	{"skip", &failure.SkipError{Reason: "r"},
		&failure.Decision{Do: failure.DoSkip, Reason: "r"}, false},
	{"skip, wrapped", fmt.Errorf("w: %w", &failure.SkipError{Reason: "r"}),
		&failure.Decision{Do: failure.DoSkip, Reason: "r"}, false},
	{"dead letter", &failure.DeadLetterError{Reason: "r", Err: errPlain},
		&failure.Decision{Do: failure.DoDeadLetter, Reason: "r"}, false},
	{"dead letter of a permanent one",
		&failure.DeadLetterError{Reason: "r", Err: &failure.PermanentError{}},
		&failure.Decision{Do: failure.DoDeadLetter, Reason: "r"}, true},
	{"later", &failure.RetryAfterError{Delay: time.Hour},
		&failure.Decision{Do: failure.DoDefer, Wait: time.Hour}, false},
	{"later, at once", &failure.RetryAfterError{},
		&failure.Decision{Do: failure.DoDefer, Wait: 100 * time.Millisecond}, false},
	{"later, joined", errors.Join(errPlain, &failure.RetryAfterError{Delay: time.Hour}),
		&failure.Decision{Do: failure.DoDefer, Wait: time.Hour}, false},
}

// input is one failure under one policy, in plain values.
type input struct {
	interrupted bool
	kind        failure.Kind
	word        int
	attempt     int
	action      failure.Action
	asked       bool // there is an OnError
	attempts    int
	retryable   bool
	deadLetters bool
	skip        bool
}

// expected is the order of the contract, written down once more.
func (in input) expected() failure.Decision {
	w := words[in.word]
	permanent := w.permanent || in.kind == failure.Decode
	exhausted := failure.Decision{Do: failure.DoStall, Hopeless: permanent}
	if in.skip {
		exhausted = failure.Decision{
			Do: failure.DoSkip, Reason: "attempts exhausted: " + w.err.Error(),
		}
	}
	if in.deadLetters {
		exhausted = failure.Decision{Do: failure.DoDeadLetter}
	}
	retryable := in.retryable
	switch {
	case in.interrupted:
		return failure.Decision{Do: failure.DoLeave}
	case w.says != nil && in.kind != failure.Panic:
		return *w.says
	case in.asked && in.action == failure.Skip:
		return failure.Decision{Do: failure.DoSkip, Reason: "OnError: " + w.err.Error()}
	case in.asked && in.action == failure.DLQ:
		return failure.Decision{Do: failure.DoDeadLetter}
	case in.asked && in.action == failure.Retry:
		retryable = true
	}
	if retryable && !permanent && in.attempt < in.attempts {
		return failure.Decision{Do: failure.DoRetry, Wait: time.Duration(in.attempt) * time.Second}
	}
	return exhausted
}

func (in input) decide() failure.Decision {
	f := failure.Failure{
		Interrupted: in.interrupted, Kind: in.kind, Err: words[in.word].err, Attempt: in.attempt,
	}
	if in.asked {
		f.OnError = func(error) failure.Action { return in.action }
	}
	return failure.Decide(failure.Policy{
		Attempts:    in.attempts,
		Retryable:   func(error) bool { return in.retryable },
		Backoff:     func(n int) time.Duration { return time.Duration(n) * time.Second },
		DeadLetters: in.deadLetters, SkipExhausted: in.skip,
	}, f)
}

func TestDecisionFollowsTheOrderOfTheContract(t *testing.T) {
	t.Parallel()
	kinds := []failure.Kind{
		failure.Decode, failure.Filter, failure.Handler, failure.Panic, failure.Timeout,
	}
	actions := []failure.Action{
		failure.Rethrow, failure.Retry, failure.Skip, failure.DLQ, failure.Action(99),
	}
	rapid.Check(t, func(t *rapid.T) {
		in := input{
			interrupted: rapid.IntRange(0, 9).Draw(t, "interrupted") == 0,
			kind:        rapid.SampledFrom(kinds).Draw(t, "kind"),
			word:        rapid.IntRange(0, len(words)-1).Draw(t, "word"),
			attempt:     rapid.IntRange(1, 5).Draw(t, "attempt"),
			action:      rapid.SampledFrom(actions).Draw(t, "action"),
			asked:       rapid.Bool().Draw(t, "asked"),
			attempts:    rapid.IntRange(1, 5).Draw(t, "attempts"),
			retryable:   rapid.Bool().Draw(t, "retryable"),
			deadLetters: rapid.Bool().Draw(t, "dead letters"),
			skip:        rapid.Bool().Draw(t, "skip"),
		}
		if diff := cmp.Diff(in.expected(), in.decide()); diff != "" {
			t.Fatalf("%s, %+v (-want +got):\n%s", words[in.word].name, in, diff)
		}
	})
}

func TestOnErrorIsNotAskedAboutWhatIsDecided(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]failure.Failure{
		"interrupted": {Interrupted: true, Kind: failure.Handler, Err: errPlain},
		"skip":        {Kind: failure.Handler, Err: &failure.SkipError{}},
		"later":       {Kind: failure.Timeout, Err: &failure.RetryAfterError{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.OnError = func(error) failure.Action {
				t.Error("asked")
				return failure.DLQ
			}
			_ = failure.Decide(failure.Policy{Attempts: 1}, f)
		})
	}
}

func TestRetryOfOnErrorRevivesNothingPermanent(t *testing.T) {
	t.Parallel()
	retry := func(error) failure.Action { return failure.Retry }
	p := failure.Policy{Attempts: 9, DeadLetters: true, Backoff: func(int) time.Duration { return 1 }}
	for name, f := range map[string]failure.Failure{
		"decode":    {Kind: failure.Decode, Err: errPlain},
		"permanent": {Kind: failure.Handler, Err: &failure.PermanentError{Err: errPlain}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.Attempt, f.OnError = 1, retry
			if got := failure.Decide(p, f); got.Do != failure.DoDeadLetter {
				t.Errorf("got %+v, want a dead letter", got)
			}
		})
	}
}

func TestErrorsOfNothingHaveAText(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&failure.PermanentError{}, &failure.RetryAfterError{}, &failure.SkipError{Reason: "r"},
		&failure.DeadLetterError{Reason: "r"}, &failure.PanicError{},
	} {
		if err.Error() == "" {
			t.Errorf("%T has no text", err)
		}
		if errors.Unwrap(err) != nil {
			t.Errorf("%T has a cause", err)
		}
	}
}

func TestCausesAreFoundBelowWords(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&failure.PermanentError{Err: errPlain}, &failure.RetryAfterError{Err: errPlain},
		&failure.DeadLetterError{Err: errPlain}, &failure.PanicError{Value: errPlain},
	} {
		if !errors.Is(err, errPlain) {
			t.Errorf("%T hides its cause", err)
		}
	}
}
