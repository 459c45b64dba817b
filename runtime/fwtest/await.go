package fwtest

import (
	"errors"
	"time"
)

// The time between two looks at a condition: at first short, so that nobody waits for what has
// just happened, then longer, so that a minute of virtual time is not thousands of looks.
const (
	firstPause = time.Millisecond
	mostPause  = 100 * time.Millisecond
)

// Await waits until a condition holds, and fails the test if it does not within [Patience]. The
// condition is asked again and again, at first after a millisecond and in the end ten times a
// second, by the goroutine that called Await: it may use t.
func Await(t TB, condition func() bool) {
	t.Helper()
	if err := await(condition, nil); err != nil {
		t.Fatalf("fwtest: %v", err)
	}
}

// await waits until the condition holds, or until what it waits for has ended.
func await(condition func() bool, ended <-chan struct{}) error {
	return awaitAt(mostPause, condition, ended)
}

// awaitAt is await with other pauses at most.
func awaitAt(most time.Duration, condition func() bool, ended <-chan struct{}) error {
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for pause := firstPause; !condition(); pause = min(2*pause, most) {
		select {
		case <-ended:
			return errEnded
		case <-limit.C:
			return errPatience
		case <-time.After(pause):
		}
	}
	return nil
}

var (
	errEnded    = errors.New("it has ended")
	errPatience = errors.New("the condition does not hold after " + Patience.String())
)
