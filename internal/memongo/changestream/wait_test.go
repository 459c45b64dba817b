package changestream_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestNextWaitsForAnEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.create("db.c")
		s := b.open(on("db.c"))
		start := time.Now()
		go func() {
			time.Sleep(time.Hour)
			b.insert("db.other", int32(1)) // wakes, but is not seen
			time.Sleep(time.Hour)
			b.insert("db.c", int32(2))
		}()
		events, pbrt, closed, err := s.Next(t.Context(), 0, 0, true)
		b.check(err)
		b.want(batch{events, pbrt, closed}, "after a wait", "insert c 2")
		if waited := time.Since(start); waited != 2*time.Hour {
			t.Errorf("waited %v, want 2h", waited)
		}
	})
}

func TestNextReturnsAnEmptyBatchWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.create("db.c")
		s := b.open(on("db.c"))
		go func() {
			time.Sleep(time.Second)
			b.insert("db.other", int32(1))
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		events, pbrt, closed, err := s.Next(ctx, 0, 0, true)
		if err != nil || closed || len(events) > 0 {
			t.Errorf("Next = %v, %v, %v", events, closed, err)
		}
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("waited %v, want a minute", waited)
		}
		if want := highWater(b.engine.ClusterTime()); data(pbrt) != want {
			t.Errorf("the token is %v, want that of the other collection's insert", pbrt)
		}
		b.insert("db.c", int32(2))
		events, _, _, err = s.Next(ctx, 0, 0, true) // a context that is over still reads
		b.check(err)
		b.want(batch{events: events}, "with a context that is over", "insert c 2")
	})
}

func TestNextWakesWhenTheStreamEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.create("db.c")
		s := b.open(on("db.c"))
		go func() {
			time.Sleep(time.Second)
			b.drop("db.c")
		}()
		events, _, closed, err := s.Next(t.Context(), 0, 0, true)
		b.check(err)
		b.want(batch{events: events}, "the end", "drop c", "invalidate")
		if _, _, still, err := s.Next(t.Context(), 0, 0, true); !closed || !still || err != nil {
			t.Errorf("closed %v, then %v, %v", closed, still, err)
		}
	})
}
