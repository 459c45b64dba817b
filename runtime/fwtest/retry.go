package fwtest

import (
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// AdvancePastRetry waits until an event of a stream waits for its next attempt, or its reader for
// being opened again, and then until that time has come. Within a bubble of testing/synctest no
// time passes outside of it.
func AdvancePastRetry(t TB, app *fw.App, stream string) {
	t.Helper()
	var next time.Time
	err := await(func() bool {
		next = nextRetry(t, app, stream)
		return next.After(time.Now())
	}, nil)
	if err != nil {
		t.Fatalf("fwtest: stream %s waits for no retry after %s; %s", stream, Patience, summary(app))
	}
	time.Sleep(time.Until(next))
	// What was waited for happens in other goroutines at the same instant.
	err = await(func() bool { return !nextRetry(t, app, stream).Equal(next) }, nil)
	if err != nil {
		t.Fatalf("fwtest: the retry of stream %s does not begin; %s", stream, summary(app))
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
	t.Fatalf("fwtest: no stream is named %q; %s", stream, summary(app))
	return fw.StreamStatus{}
}
