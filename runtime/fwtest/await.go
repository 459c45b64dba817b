package fwtest

import (
	"errors"
	"time"
)

// The time between two looks at a condition. What takes a moment is looked for every millisecond,
// so that nobody waits for what has just happened; what takes longer ten times a second, so that a
// minute of virtual time is not sixty thousand looks.
const (
	firstPause = time.Millisecond
	firstLooks = 1000
	laterPause = 100 * time.Millisecond
)

// Await waits until a condition holds, and fails the test if it does not within [Patience]. The
// condition is asked every millisecond for a second, and every tenth of a second from then on, by
// the goroutine that called Await: it may call methods of t.
func Await(t TB, condition func() bool) {
	t.Helper()
	if err := await(condition, nil); err != nil {
		t.Fatalf("fwtest: %v", err)
	}
}

// await waits until the condition holds, or until what it waits for has ended.
func await(condition func() bool, ended <-chan struct{}) error {
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for look := 1; !condition(); look++ {
		pause := firstPause
		if look > firstLooks {
			pause = laterPause
		}
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
