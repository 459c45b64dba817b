package fwtest

import (
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// retryPause is the time between two looks at what waits: a wait may be short, and a look is cheap.
const retryPause = 5 * time.Millisecond

// AdvancePastRetry waits until an event of a stream waits for its next attempt, or its reader for
// being opened again, then until that time has come and the attempt has begun. Within a bubble of
// testing/synctest no time passes outside of it. Outside of one it takes the time that the retry
// policy says, and a wait below 10 ms may be over before it is noticed.
//
// It fails the test if nothing waits within [Patience], as when the last attempt is over.
func AdvancePastRetry(t TB, app *fw.App, stream string) {
	t.Helper()
	var next time.Time
	err := awaitAt(retryPause, func() bool {
		next = nextRetry(t, app, stream)
		return next.After(time.Now())
	}, nil)
	if err != nil {
		t.Fatalf("fwtest: nothing of stream %s waits for a retry within %s; %s", stream, Patience,
			summary(app))
	}
	time.Sleep(time.Until(next))
	// What was waited for happens in other goroutines at the same instant.
	err = awaitAt(retryPause, func() bool { return !nextRetry(t, app, stream).Equal(next) }, nil)
	if err != nil {
		t.Fatalf("fwtest: the retry of stream %s was due at %s and does not begin; %s", stream,
			next.Format(time.TimeOnly), summary(app))
	}
}

func nextRetry(t TB, app *fw.App, stream string) time.Time {
	t.Helper()
	return StreamStatus(t, app, stream).NextRetry
}

// StreamStatus returns what [fw.App.Status] says of one stream, and fails the test if there is no
// stream of that name.
func StreamStatus(t TB, app *fw.App, stream string) fw.StreamStatus {
	t.Helper()
	for _, s := range app.Status().Streams {
		if s.Name == stream {
			return s
		}
	}
	t.Fatalf("fwtest: the app has no stream %q; %s", stream, summary(app))
	return fw.StreamStatus{}
}
