package fwtest

import (
	"context"
	"strings"
	"sync"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// Patience is how long functions of this package wait for what they require, before they fail the
// test. Within a bubble of testing/synctest it is virtual, so nobody waits for it.
const Patience = 30 * time.Second

// Run runs an app in the background until the test ends or stop is called. It returns when every
// stream of the app reads its changes, so that what is written afterwards is handled, or shows why
// it does not, as one that stands by because another app leads. Stop returns when the app has
// ended, and may be called more than once.
//
// Run fails the test at once if the app ends by itself, or if a stream has not started after
// [Patience]; and at the stop if that is not clean: the error names the handlers that hold it up,
// which it waits for as long as [fw.Config.DrainTimeout] and 5 s more.
func Run(t TB, app *fw.App) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{t: t, app: app, cancel: cancel, ended: make(chan struct{})}
	go r.run(ctx)
	t.Cleanup(r.stop)
	// An app that runs already looks as if it ran by this call, and ends it in a moment.
	moment := false
	err := await(func() bool {
		before := moment
		moment = true
		return before && started(app)
	}, r.ended)
	switch over := r.watch(); {
	case over:
		t.Fatalf("fwtest: the app does not run: %v; %s", r.err, summary(app))
	case err != nil:
		t.Fatalf("fwtest: the app has not started after %s; %s", Patience, summary(app))
	}
	return r.stop
}

// RunUntil runs an app until a condition holds, and stops it. The condition is asked again and
// again once the app's streams have started. RunUntil fails the test if the condition does not hold
// within [Patience], and as [Run] does.
func RunUntil(t TB, app *fw.App, condition func() bool) {
	t.Helper()
	stop := Run(t, app)
	err := await(condition, nil)
	state := summary(app)
	stop()
	if err != nil {
		t.Fatalf("fwtest: %v; %s", err, state)
	}
}

// run is an app that runs.
type run struct {
	t      TB
	app    *fw.App
	cancel context.CancelFunc
	ended  chan struct{} // closed when the app has ended; err and asked are final then
	err    error
	asked  bool // the app was stopped, and did not end by itself

	mu      sync.Mutex // guards what follows
	over    bool
	watched bool // an end is a failure from now on
	stopped bool
}

func (r *run) run(ctx context.Context) {
	defer close(r.ended)
	r.err = r.app.Run(ctx)
	r.asked = ctx.Err() != nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.watched && !r.asked {
		r.t.Errorf("fwtest: the app ended by itself: %v; %s", r.err, summary(r.app))
	}
}

// watch makes it a failure if the app ends by itself, and reports whether it has already.
func (r *run) watch() (over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched = true
	return r.over
}

// stop stops the app, and fails the test if that is not clean.
func (r *run) stop() {
	r.t.Helper()
	r.mu.Lock()
	again := r.stopped
	r.stopped = true
	r.mu.Unlock()
	r.cancel()
	<-r.ended
	if r.asked && r.err != nil && !again {
		r.t.Errorf("fwtest: the app did not stop cleanly: %v", r.err)
	}
}

// started reports whether no stream of the app is still on its way. One that waits for the first
// answer of its change stream misses nothing any more.
func started(app *fw.App) bool {
	streams := app.Status().Streams
	for _, s := range streams {
		if s.State == fw.StateStarting && s.Code != "opening" {
			return false
		}
	}
	return len(streams) > 0
}

// summary says in what state an app's streams are, for whoever looks at a failed test.
func summary(app *fw.App) string {
	var streams []string
	for _, s := range app.Status().Streams {
		text := "stream " + s.Name + " is " + string(s.State)
		if s.Reason != "" {
			text += " (" + s.Reason + ")"
		}
		streams = append(streams, text)
	}
	if len(streams) == 0 {
		return "the app has no streams"
	}
	return strings.Join(streams, ", ")
}
