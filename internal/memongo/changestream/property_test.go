package changestream_test

import (
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

// Whatever is written, and wherever a reader stops and opens its stream again, it sees each event
// once and in order: the events that a stream sees that is never opened again.
func TestReopenedStreamsMissNothingAndRepeatNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := storage.New(storage.Options{TTLMonitorInterval: -1})
		defer e.Close()
		b := &bench{t: t, engine: e}
		scope := rapid.SampledFrom([]string{"db.a", "db.b", "db", ""}).Draw(rt, "scope")
		start := b.now()
		o := on(scope)
		o.StartAt = start
		if rapid.Bool().Draw(rt, "split") {
			o.Pipeline = bson.A{splitStage}
		}
		reader := &reader{bench: b, t: rt, options: o, stream: b.open(o)}
		for range rapid.IntRange(0, 25).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "write") {
				b.randomWrite(rt)
			} else {
				reader.step()
			}
		}
		for reader.step() {
		}
		want := b.history(o)
		if got := tokens(reader.events); !slices.Equal(got, tokens(want)) {
			rt.Fatalf("reader of %q saw\n%v\nwant\n%v", scope, summaries(reader.events), summaries(want))
		}
		if !slices.IsSorted(tokens(want)) {
			rt.Fatalf("tokens don't ascend: %v", tokens(want))
		}
		for i := range want {
			if keys(reader.events[i]) != keys(want[i]) {
				rt.Fatalf("event %d is %v, want %v", i, reader.events[i], want[i])
			}
		}
	})
}

func tokens(events []bson.D) []string {
	all := make([]string, len(events))
	for i, event := range events {
		all[i] = data(idOf(event))
	}
	return all
}

// history reads everything, also behind the ends of the stream.
func (b *bench) history(o changestream.Options) (events []bson.D) {
	for {
		got := b.all(o)
		events = append(events, got.events...)
		if !got.closed {
			return events
		}
		o.StartAt, o.StartAfter = nil, got.pbrt
	}
}

// reader reads a stream and opens it again at random.
type reader struct {
	*bench
	t       *rapid.T
	options changestream.Options
	stream  *changestream.Stream
	events  []bson.D
}

// step reads a batch. It reports whether there may be more.
func (r *reader) step() bool {
	before := data(r.stream.Position())
	got := r.next(r.stream, rapid.IntRange(0, 3).Draw(r.t, "limit"))
	r.events = append(r.events, got.events...)
	if data(got.pbrt) < before {
		r.t.Fatalf("the token went back from %s to %s", before, data(got.pbrt))
	}
	if n := len(got.events); n > 0 && data(got.pbrt) < data(idOf(got.events[n-1])) {
		r.t.Fatalf("the token %v is before the last event's", got.pbrt)
	}
	r.reopen(got)
	return len(got.events) > 0 || got.closed
}

// reopen opens the stream again at the batch's token, at the last event's, or at the time of a
// high-water mark; or not.
func (r *reader) reopen(got batch) {
	how := rapid.IntRange(0, 4).Draw(r.t, "reopen")
	n := len(got.events)
	if how == 0 && !got.closed {
		return
	}
	r.options.StartAt, r.options.StartAfter, r.options.ResumeAfter = nil, got.pbrt, nil
	tok, err := token.Parse(got.pbrt)
	r.check(err)
	switch {
	case how == 1 && n > 0:
		r.options.StartAfter = idOf(got.events[n-1])
	case how == 2 && tok.Kind == token.HighWaterMark:
		r.options.StartAt, r.options.StartAfter = &tok.TS, nil
	case how == 3 && !tok.FromInvalidate:
		r.options.StartAfter, r.options.ResumeAfter = nil, got.pbrt
	}
	r.stream = r.open(r.options)
}

// randomWrite changes something.
func (b *bench) randomWrite(t *rapid.T) {
	names := []string{"db.a", "db.b", "db2.a"}
	name := rapid.SampledFrom(names).Draw(t, "collection")
	view := b.engine.Latest()
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case kind == 0 && view.Exists(ns(name)):
		b.drop(name)
	case kind == 1 && view.Exists(ns(name)):
		other := map[string]string{"db.a": "db.b", "db.b": "db.a", "db2.a": "db2.b"}[name]
		b.rename(name, other)
	case kind == 2:
		b.dropDatabase(ns(name).DB)
	case kind == 3:
		b.engine.Noop("noop")
	case kind <= 6:
		b.transaction(func(w writer) {
			for range rapid.IntRange(1, 4).Draw(t, "writes") {
				b.randomChange(t, w, rapid.SampledFrom(names).Draw(t, "of"))
			}
		})
	default:
		b.randomChange(t, b.statement(), name)
	}
}

// randomChange inserts one of a few documents, or changes or deletes it if it is there.
func (b *bench) randomChange(t *rapid.T, w writer, name string) {
	id := rapid.SampledFrom([]any{int32(1), "two", 3.5}).Draw(t, "id")
	view, err := w.View(ns(name))
	b.check(err)
	_, there := view.ByID(ns(name), id)
	switch {
	case !there:
		b.insertBy(w, name, id)
	case rapid.Bool().Draw(t, "delete"):
		b.removeBy(w, name, id)
	default:
		b.setBy(w, name, id, "x", rapid.Int32().Draw(t, "x"))
	}
}
