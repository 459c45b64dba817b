package position_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/store"
)

// bundle is a tracker of a stream that began at token 0, with what a test does to it.
type bundle struct {
	*testing.T
	*position.Tracker
}

func newBundle(t *testing.T, limits position.Limits) *bundle {
	t.Helper()
	if limits.Window == 0 {
		limits.Window = 100
	}
	if limits.Bytes == 0 {
		limits.Bytes = 1 << 20
	}
	if limits.Every == 0 {
		limits.Every = 100
	}
	return &bundle{t, position.NewTracker(limits, readertest.Token(0))}
}

// arrive appends the nth event, for which there must be room.
func (b *bundle) arrive(n int) position.Slot {
	b.Helper()
	return b.append(readertest.Insert(n))
}

func (b *bundle) append(e change.Event) position.Slot {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	slot, err := b.Event(ctx, &e)
	if err != nil {
		b.Fatalf("no room for an event: %v", err)
	}
	return slot
}

// full reports whether there is no room for an event.
func (b *bundle) full(e change.Event) bool {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	_, err := b.Event(ctx, &e)
	return err != nil
}

func (b *bundle) wantAt(token change.Token, kind store.PositionKind) {
	b.Helper()
	got := b.Watermark().Position()
	if diff := cmp.Diff(token.Raw, got.Token); diff != "" {
		b.Errorf("watermark (-want +got):\n%s", diff)
	}
	if got.Kind != kind {
		b.Errorf("kind of the watermark: got %s, want %s", got.Kind, kind)
	}
}

func (b *bundle) wantNowhere() {
	b.Helper()
	if p := b.Watermark().Position(); !p.IsZero() {
		b.Errorf("the watermark moved to %v", p)
	}
}

func (b *bundle) wantDue(want bool) {
	b.Helper()
	select {
	case <-b.Due():
		if !want {
			b.Error("the position is due")
		}
	default:
		if want {
			b.Error("the position is not due")
		}
	}
}

func TestThePositionNeverPassesAnUnsettledEvent(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	first, second, third := b.arrive(1), b.arrive(2), b.arrive(3)
	b.Settle(third)
	b.Settle(second)
	b.wantNowhere()
	b.Settle(first)
	b.wantAt(readertest.Token(3), store.PositionEvent)
}

func TestSettlingTwiceIsHarmless(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Window: 2})
	first, second := b.arrive(1), b.arrive(2)
	b.Settle(second)
	b.Settle(second)
	b.Settle(first)
	b.Settle(first)
	b.arrive(3)
	b.arrive(4)
	if got := b.Load().Unsettled; got != 2 {
		t.Errorf("unsettled: got %d, want 2", got)
	}
	if !b.full(readertest.Insert(5)) {
		t.Error("the window lets in more than it may")
	}
}

func TestMarkerBehindAnUnsettledEventDoesNotMoveThePosition(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	slot := b.arrive(1)
	b.Marker(readertest.PBRT(1), store.PositionIdle)
	b.wantNowhere()
	b.Settle(slot)
	b.wantAt(readertest.PBRT(1), store.PositionIdle)
}

func TestMarkerOfAnIdleStreamSettlesItself(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	b.Marker(readertest.PBRT(3), store.PositionIdle)
	b.wantAt(readertest.PBRT(3), store.PositionIdle)
	if at := b.Watermark().Position().ClusterTime; at.I != 3 {
		t.Errorf("cluster time of a post-batch token: got %v, want increment 3", at)
	}
}

func TestMarkerThatIsNotBeyondTheLastEntryIsDropped(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	slot := b.arrive(2)
	b.Marker(readertest.PBRT(1), store.PositionIdle)
	b.Marker(readertest.Token(2), store.PositionIdle)
	b.Settle(slot)
	b.wantAt(readertest.Token(2), store.PositionEvent)
	passed := b.Watermark().Passed
	b.Marker(readertest.Token(2), store.PositionIdle)
	b.Marker(change.Token{}, store.PositionIdle)
	if got := b.Watermark().Passed; got != passed {
		t.Error("a marker that says nothing new counts as a new position")
	}
	b.wantAt(readertest.Token(2), store.PositionEvent)
}

func TestMarkerBeforeWhereTheStreamBeganIsDropped(t *testing.T) {
	t.Parallel()
	from := readertest.Token(9)
	tracker := position.NewTracker(position.Limits{Window: 1, Bytes: 1, Every: 1}, from)
	tracker.Marker(readertest.PBRT(4), store.PositionIdle)
	if p := tracker.Watermark().Position(); !p.IsZero() {
		t.Errorf("the position went back to %v", p)
	}
}

func TestMarkersDoNotCountForTheWindowAndReplaceEachOther(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Window: 2})
	first := b.arrive(1)
	for n := 1; n < 1000; n++ {
		b.Marker(readertest.PBRT(n), store.PositionIdle)
	}
	second := b.arrive(1000)
	b.Settle(first)
	b.wantAt(readertest.PBRT(999), store.PositionIdle)
	if got := b.Watermark().Passed; got != 2 {
		t.Errorf("entries passed: got %d, want the event and one marker", got)
	}
	b.Settle(second)
	b.wantAt(readertest.Token(1000), store.PositionEvent)
}

func TestInvalidateIsKeptAsSuch(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	b.Settle(b.append(readertest.Event(1, "drop")))
	b.Marker(readertest.PBRT(1), store.PositionInvalidate)
	b.wantAt(readertest.PBRT(1), store.PositionInvalidate)
}

func TestWindowCountsFromTheOldestUnsettledEventToTheReader(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Window: 3})
	first := b.arrive(1)
	b.Settle(b.arrive(2))
	b.Settle(b.arrive(3))
	if !b.full(readertest.Insert(4)) {
		t.Fatal("settled events behind an unsettled one do not count for the window")
	}
	b.Settle(first)
	b.arrive(4)
}

func TestBytesAreThoseOfUnsettledEvents(t *testing.T) {
	t.Parallel()
	size := int64(len(readertest.Insert(1).Raw))
	b := newBundle(t, position.Limits{Bytes: 2 * size})
	b.arrive(1)
	second := b.arrive(2)
	if !b.full(readertest.Insert(3)) {
		t.Fatal("more bytes are let in than the limit")
	}
	b.Settle(second)
	b.arrive(3)
	if got := b.Load().Bytes; got != 2*size {
		t.Errorf("bytes in flight: got %d, want %d", got, 2*size)
	}
}

func TestOneEventIsLetInHoweverLargeItIs(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Bytes: 1})
	slot := b.arrive(1)
	if !b.full(readertest.Insert(2)) {
		t.Fatal("a second event is let in beyond the limit")
	}
	b.Settle(slot)
	b.arrive(2)
}

func TestReaderWaitsUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBundle(t, position.Limits{Window: 1})
		slot := b.arrive(1)
		arrived := make(chan error)
		go func() {
			e := readertest.Insert(2)
			_, err := b.Event(t.Context(), &e)
			arrived <- err
		}()
		synctest.Wait()
		select {
		case <-arrived:
			t.Fatal("a full window lets an event in")
		default:
		}
		b.Settle(slot)
		if err := <-arrived; err != nil {
			t.Errorf("an event that there is room for: %v", err)
		}
	})
}

func TestWaitForRoomEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBundle(t, position.Limits{Window: 1})
		b.arrive(1)
		cause := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		e := readertest.Insert(2)
		if _, err := b.Event(ctx, &e); !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
	})
}

func TestPositionIsDueOnceForEverySoManyEvents(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Every: 3})
	n := 0
	settle := func(events int) {
		for range events {
			n++
			b.Settle(b.arrive(n))
		}
	}
	settle(2)
	b.wantDue(false)
	settle(1)
	b.wantDue(true)
	mark := b.Watermark()
	settle(2) // while the save is under way
	b.Saved(mark)
	b.wantDue(false)
	settle(1)
	b.wantDue(true)
}

func TestPositionThatFellDueDuringASaveIsDueAfterIt(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Every: 2})
	b.Settle(b.arrive(1))
	b.Settle(b.arrive(2))
	b.wantDue(true)
	mark := b.Watermark()
	b.Settle(b.arrive(3))
	b.Settle(b.arrive(4))
	b.Saved(mark)
	b.wantDue(true)
}

func TestMarkersDoNotMakeThePositionDue(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Every: 1})
	b.Marker(readertest.PBRT(1), store.PositionIdle)
	b.wantDue(false)
}

func TestLoadNamesTheOldestUnsettledEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBundle(t, position.Limits{})
		e := readertest.Insert(1)
		read := time.Now()
		first := b.append(e)
		time.Sleep(time.Second)
		second := b.arrive(2)
		b.Settle(second)
		load := b.Load()
		want := position.Load{Unsettled: 1, Bytes: int64(len(e.Raw)), OldestID: e.ID(),
			OldestAt: e.ClusterTime, Since: read}
		if diff := cmp.Diff(want, load); diff != "" {
			t.Errorf("load (-want +got):\n%s", diff)
		}
		b.Settle(first)
		if diff := cmp.Diff(position.Load{}, b.Load()); diff != "" {
			t.Errorf("load of nothing (-want +got):\n%s", diff)
		}
	})
}

func TestPositionHasBytesOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	e := readertest.Insert(1)
	b.Settle(b.append(e))
	p := b.Watermark().Position()
	for i := range e.Raw {
		e.Raw[i] = 0xAA
	}
	if diff := cmp.Diff(readertest.Token(1).Raw, p.Token); diff != "" {
		t.Errorf("the stored token changed with the event (-want +got):\n%s", diff)
	}
}

func TestPositionOfAnEventNamesIt(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{})
	e := readertest.Insert(7)
	b.Settle(b.append(e))
	want := store.Position{Token: e.Token.Raw, Kind: store.PositionEvent,
		ClusterTime: e.ClusterTime, EventID: e.ID()}
	if diff := cmp.Diff(want, b.Watermark().Position()); diff != "" {
		t.Errorf("position (-want +got):\n%s", diff)
	}
}

// Settled events let go of their bytes even while the tracker lives on, or a stream would keep what
// it has handled.
func TestSettledEventsLetGoOfTheirBytes(t *testing.T) {
	t.Parallel()
	b := newBundle(t, position.Limits{Window: 5000})
	gone := make(chan struct{})
	e := readertest.Insert(1)
	runtime.AddCleanup(&e.Raw[0], func(struct{}) { close(gone) }, struct{}{})
	first, second := b.append(e), b.arrive(2)
	b.arrive(3)
	b.Settle(first)
	b.Settle(second)
	e = change.Event{}
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(b.Tracker)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the bytes of a settled event are still held")
}
