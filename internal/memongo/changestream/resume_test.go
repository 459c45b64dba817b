package changestream_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

const nonResumable = "NonResumableChangeStreamError"

// after returns options that resume behind a token.
func after(name string, tok bson.D) changestream.Options {
	o := on(name)
	o.StartAfter = tok
	return o
}

// wantError asks for the first batch and expects an error.
func (b *bench) wantError(
	s *changestream.Stream, getMore bool, code int32, message string, labels ...string,
) {
	b.t.Helper()
	_, _, _, err := s.Next(b.t.Context(), 0, 0, getMore)
	wantError(b.t, err, code, message, labels...)
	_, _, _, again := s.Next(b.t.Context(), 0, 0, getMore)
	if again == nil {
		b.t.Error("a stream that failed goes on")
	}
}

func wantError(t testing.TB, err error, code int32, message string, labels ...string) {
	t.Helper()
	e, ok := err.(*mongoerr.Error)
	if !ok || e.Code != code || e.Message != message || !slices.Equal(e.Labels, labels) {
		t.Errorf("error %v with labels %v, want (%d) %s with %v",
			err, labelsOf(err), code, message, labels)
	}
}

func labelsOf(err error) []string {
	if e, ok := err.(*mongoerr.Error); ok {
		return e.Labels
	}
	return nil
}

func notFound(prefix string, event bson.D) string {
	return prefix + " :: caused by :: cannot resume stream; the resume token was not found. " +
		`{_data: "` + data(event) + `"}`
}

const (
	inAggregate = "PlanExecutor error during aggregation"
	inGetMore   = "Executor error during getMore"
)

func TestAStreamResumesBehindAnEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start := b.now()
	b.insert("db.c", int32(1))
	b.insert("db.d", int32(2))
	b.transaction(func(w writer) {
		b.insertBy(w, "db.c", int32(3))
		b.insertBy(w, "db.d", int32(4))
		b.insertBy(w, "db.c", int32(5))
	})
	b.insert("db.c", int32(6))
	for _, scope := range []string{"db.c", "db", ""} {
		o := on(scope)
		o.StartAt = start
		all := b.all(o).events
		for i, event := range all {
			resume := on(scope)
			resume.ResumeAfter = idOf(event)
			got := b.all(resume)
			b.want(got, "resumeAfter "+summary(event), summaries(all[i+1:])...)
			b.want(b.all(after(scope, idOf(event))), "startAfter "+summary(event),
				summaries(all[i+1:])...)
		}
	}
}

func TestATokenOfAnotherStreamFailsAtTheFirstLaterEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := on("db.d")
	o.StartAt = b.now()
	b.create("db.c")
	b.insert("db.d", int32(1))
	foreign := idOf(b.all(o).events[0])

	s := b.open(after("db.c", foreign))
	b.want(b.next(s, 0), "nothing to say")
	b.insert("db.d", int32(2))
	b.want(b.next(s, 0), "still nothing")
	b.insert("db.c", int32(3))
	c := on("db.c")
	c.StartAt = o.StartAt
	first := idOf(b.all(c).events[0])
	b.wantError(s, true, 280, notFound(inGetMore, first), nonResumable)
	b.wantError(b.open(after("db.c", foreign)), false, 280, notFound(inAggregate, first), nonResumable)
	b.want(b.all(after("db", foreign)), "database", "insert d 2", "insert c 3")
}

func TestATokenOfAnEarlierPlaceInATransactionIsNotFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := on("db.d")
	b.create("db.c")
	b.create("db.d")
	o.StartAt = b.now()
	b.transaction(func(w writer) {
		b.insertBy(w, "db.d", int32(1))
		b.insertBy(w, "db.c", int32(2))
	})
	c := on("db.c")
	c.StartAt = o.StartAt
	b.wantError(b.open(after("db.c", idOf(b.all(o).events[0]))), false, 280,
		notFound(inAggregate, idOf(b.all(c).events[0])), nonResumable)
}

func TestAStreamResumesAroundItsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start := b.now()
	b.insert("db.c", int32(1))
	b.drop("db.c")
	b.insert("db.d", int32(2))
	b.insert("db.c", int32(3))
	o := on("db.c")
	o.StartAt = start
	all := b.all(o)
	b.want(all, "from the start", "insert c 1", "drop c", "invalidate")
	insert, drop, invalidate := idOf(all.events[0]), idOf(all.events[1]), idOf(all.events[2])

	b.want(b.all(after("db.c", insert)), "behind the insert", "drop c", "invalidate")
	again := b.all(after("db.c", drop))
	b.want(again, "behind the drop", "invalidate")
	if !again.closed {
		t.Error("a stream resumed behind the drop stays open")
	}
	b.want(b.all(after("db.c", invalidate)), "behind the invalidate", "insert c 3")

	o = on("db.c")
	o.ResumeAfter = invalidate
	_, err := changestream.Open(b.engine, o)
	wantError(t, err, 260, "Attempting to resume a change stream using 'resumeAfter' is not "+
		"allowed from an invalidate notification")
	for _, scope := range []string{"db.d", "db", ""} {
		event := on(scope)
		event.StartAt = start
		events := b.all(event).events
		later := events[slices.Index(summaries(events), "insert d 2")]
		b.wantError(b.open(after(scope, invalidate)), false, 280, notFound(inAggregate, idOf(later)),
			nonResumable)
	}
}

func TestADatabaseStreamResumesAroundItsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := on("db")
	b.create("db.c")
	o.StartAt = b.now()
	b.dropDatabase("db")
	b.insert("db.c", int32(1))
	all := b.all(o).events
	dropDatabase, invalidate := idOf(all[1]), idOf(all[2])
	b.want(b.all(after("db", dropDatabase)), "behind dropDatabase", "invalidate")
	b.want(b.all(after("db", invalidate)), "behind the invalidate", "insert c 1")
	b.want(b.all(after("", dropDatabase)), "the cluster", "insert c 1")
	resume := on("db.c")
	resume.ResumeAfter = invalidate
	_, err := changestream.Open(b.engine, resume)
	wantError(t, err, 260, "Attempting to resume a change stream using 'resumeAfter' is not "+
		"allowed from an invalidate notification")
	for _, tok := range []bson.D{dropDatabase, invalidate} {
		_, err := changestream.Open(b.engine, after("db.c", tok))
		wantError(t, err, 260, "Attempted to resume a single-collection stream, but the resume "+
			"token does not include a UUID")
	}
}

func TestHighWaterMarksFitAnyStream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.insert("db.c", int32(1))
	ts := b.engine.ClusterTime()
	b.insert("db.c", int32(2))
	mark := token.HighWater(ts).Document()
	for _, scope := range []string{"db.c", "db", ""} {
		b.want(b.all(after(scope, mark)), "high-water mark", "insert c 1", "insert c 2")
		o := on(scope)
		o.StartAt = &ts
		b.want(b.all(o), "startAtOperationTime", "insert c 1", "insert c 2")
	}
}

func TestAFutureTimeIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	future := b.engine.ClusterTime()
	future.T += 3600
	o := on("db.c")
	o.StartAt = &future
	s := b.open(o)
	b.insert("db.c", int32(1))
	got := b.next(s, 0)
	b.want(got, "before the time")
	if data(got.pbrt) != highWater(future) {
		t.Errorf("the token is %v, want the time's", got.pbrt)
	}
}

func TestMalformedTokensAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for text, code := range map[string]int32{"": 40649, "zz": 9, "82": 15, "DEADBEEF": 50811} {
		_, err := changestream.Open(b.engine, after("db.c", bson.D{{Key: "_data", Value: text}}))
		if !mongoerr.Is(err, code) {
			t.Errorf("token %q: %v, want code %d", text, err, code)
		}
	}
	bad := strings.Replace(highWater(bson.Timestamp{T: 1}), "296E", "296F", 1)
	_, err := changestream.Open(b.engine, after("db", bson.D{{Key: "_data", Value: bad}}))
	wantError(t, err, 6189505, "Invalid high water mark token")
}
