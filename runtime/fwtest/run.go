package fwtest

import (
	"context"
	"errors"
	"strings"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// Patience is how long functions of this package wait for what they require, before they fail the
// test. Within a bubble of testing/synctest it is virtual, so nobody waits for it.
const Patience = 30 * time.Second

// The time between two looks at a condition: at first short, so that nobody waits for what has
// just happened, then longer, so that a minute of virtual time is not ten thousand looks.
const (
	firstPause = time.Millisecond
	mostPause  = 100 * time.Millisecond
)

// Run runs an app in the background until the test ends or stop is called, and fails the test if
// it does not end cleanly. Stop may be called more than once.
func Run(t TB, app *fw.App) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	stopped := false
	stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("fwtest: the app ended with: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// RunUntil runs an app until a condition holds, and stops it. It fails the test if the condition
// does not hold within [Patience], if the app ends before, or if it does not end cleanly.
func RunUntil(t TB, app *fw.App, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	err := await(condition, ended)
	cancel()
	if errors.Is(err, errEnded) {
		t.Fatalf("fwtest: %v", err)
	}
	if end := <-ended; end != nil {
		t.Errorf("fwtest: the app ended with: %v", end)
	}
	if err != nil {
		t.Fatalf("fwtest: %v; %s", err, summary(app))
	}
}

// Await waits until a condition holds, and fails the test if it does not within [Patience]. The
// condition is asked again and again, at most a tenth of a second apart.
func Await(t TB, condition func() bool) {
	t.Helper()
	if err := await(condition, nil); err != nil {
		t.Fatalf("fwtest: %v", err)
	}
}

var (
	errEnded    = errors.New("the app ended before the condition held")
	errPatience = errors.New("the condition does not hold after " + Patience.String())
)

func await(condition func() bool, ended <-chan error) error {
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for pause := firstPause; !condition(); pause = min(2*pause, mostPause) {
		select {
		case err := <-ended:
			return errors.Join(errEnded, err)
		case <-limit.C:
			return errPatience
		case <-time.After(pause):
		}
	}
	return nil
}

// summary says in what state an app's streams are, for whoever looks at a failed test.
func summary(app *fw.App) string {
	var b strings.Builder
	b.WriteString("the streams:")
	for _, s := range app.Status().Streams {
		b.WriteString(" " + s.Name + " is " + string(s.State))
		if s.Reason != "" {
			b.WriteString(" (" + s.Reason + ")")
		}
	}
	return b.String()
}
