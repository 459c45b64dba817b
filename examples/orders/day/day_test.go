package day_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/examples/orders/day"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play plays a day in virtual time, one that is over for a reason if that is given, and returns
// what was told.
func play(t *testing.T, over error) (told string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if over != nil {
			cancel(over)
		}
		var out bytes.Buffer
		err = day.Play(ctx, &out, time.Now())
		told = out.String()
	})
	return told, err
}

// Every kind of trouble is told, in the order in which it happens, and judged.
func TestDayIsToldAndJudged(t *testing.T) {
	t.Parallel()
	told, err := play(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	rest := told
	for _, line := range []string{
		`a test double`, `leads, under term 1`, `A-0001 is billed`,
		`A-0004 fails at attempt 1 \(handler\): .*does not answer; again in \d+ ms`,
		`A-0004 is billed at attempt 3`,
		`A-0007 fails at attempt 1 \(handler\): .*card declined; for good`, `A-0007 is a dead letter`,
		`A-0009 fails at attempt 1 \(decode\): .*total`, `A-0009 is a dead letter`,
		`A-0011 fails at attempt 5 \(panic\): .*; for good`, `A-0011 is a dead letter`,
		`A-0012 is billed`, `lease of term 1 given back`,
		`A-0013 arrives`, `leads, under term 2`, `A-0013 is billed`,
		`orders billed +10 +10\n`, `orders lost +0 +0\n`, `the handler panicked +1 +1\n`,
		`first order was billed \d+ ms after the program had begun`, `All as promised, in [\d.]+ s`,
	} {
		at := regexp.MustCompile(line).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("nothing like %q is told, or too early:\n%s", line, told)
		}
		rest = rest[at[1]:]
	}
}

func TestDayThatIsInterruptedSaysWhy(t *testing.T) {
	t.Parallel()
	why := errors.New("somebody pressed Ctrl-C")
	told, err := play(t, why)
	if !errors.Is(err, why) || strings.Contains(told, "All as promised") {
		t.Errorf("error %v, and told was\n%s", err, told)
	}
}

// Not parallel: it changes the environment.
func TestDayThatLosesABillIsAnError(t *testing.T) {
	t.Setenv("ORDERS_DEMO_FAULT", "day")
	told, err := play(t, nil)
	if err == nil || !strings.Contains(err.Error(), "wrong: orders billed; orders lost") {
		t.Errorf("error %v, want one that names the lost order", err)
	}
	if strings.Contains(told, "All as promised") || !strings.Contains(told, "WRONG") {
		t.Errorf("told was\n%s", told)
	}
}
