package changestream_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wantToken compares a batch's post-batch resume token.
func (b *bench) wantToken(got batch, what, want string) {
	b.t.Helper()
	if data(got.pbrt) != want {
		b.t.Errorf("%s: the token is %s, want %s", what, data(got.pbrt), want)
	}
}

// These are the steps that were taken with 6.0.5, and its answers.
func TestThePostBatchResumeToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	b.create("db.o")
	start := b.now()
	s := b.open(on("db.c"))
	if data(s.Position()) != highWater(*start) {
		t.Errorf("a new stream's token is %v, want the next time's", s.Position())
	}
	b.wantToken(b.next(s, 0), "nothing there", highWater(*start))

	for i := range 3 {
		b.insert("db.c", int32(i))
	}
	b.insert("db.o", int32(0))
	end := highWater(b.engine.ClusterTime())
	o := on("db.c")
	o.StartAt = start
	s = b.open(o)
	whole := b.next(s, 0)
	b.wantToken(whole, "the batch ends at the oplog's end", end)
	b.wantToken(b.next(s, 0), "nothing more", end)

	s = b.open(o)
	two := b.next(s, 2)
	b.wantToken(two, "the batch is full", data(idOf(whole.events[1])))
	b.wantToken(b.next(s, 1), "the batch is full at the last event", data(idOf(whole.events[2])))
	b.wantToken(b.next(s, 1), "nothing more after that", end)

	s = b.open(after("db.c", idOf(whole.events[0])))
	if data(s.Position()) != data(idOf(whole.events[0])) {
		t.Errorf("a resumed stream's token is %v", s.Position())
	}

	b.insert("db.c", int32(9))
	last := b.next(s, 0)
	want := data(idOf(last.events[len(last.events)-1]))
	b.wantToken(last, "the last event is the oplog's end", want)
	b.wantToken(b.next(s, 0), "an empty batch after it", want)
	ts := b.engine.Noop("periodic noop")
	b.wantToken(b.next(s, 0), "a no-op moves the token", highWater(ts))
}

func TestTheTokenStaysInsideATransactionThatWasCut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	s := b.open(on("db.c"))
	b.transaction(func(w writer) {
		for i := range 3 {
			b.insertBy(w, "db.c", int32(i))
		}
	})
	first := b.next(s, 1)
	b.wantToken(first, "the first of three", data(idOf(first.events[0])))
	rest := b.all(after("db.c", first.pbrt))
	b.want(rest, "behind it", "insert c 1", "insert c 2")
	b.wantToken(rest, "the end", data(idOf(rest.events[1])))
}

func TestABatchEndsBeforeSixteenMegabytes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	s := b.open(on("db.c"))
	for i := range 5 {
		b.insert("db.c", int32(i), bson.E{Key: "s", Value: string(make([]byte, 4<<20))})
	}
	got := b.next(s, 0)
	b.want(got, "the first", "insert c 0", "insert c 1", "insert c 2")
	b.wantToken(got, "a full batch", data(idOf(got.events[2])))
	b.want(b.next(s, 0), "the rest", "insert c 3", "insert c 4")
	s = b.open(after("db.c", got.pbrt))
	events, _, _, err := s.Next(t.Context(), 0, 100, false)
	b.check(err)
	b.want(batch{events: events}, "an event above the limit comes alone", "insert c 3")
}
