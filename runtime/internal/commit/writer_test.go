package commit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/commit"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("no primary")

const (
	interval = time.Second
	idle     = time.Minute
	term     = 3
)

// bundle is a writer in virtual time, over stores in memory whose checkpoint was taken over.
type bundle struct {
	*testing.T
	*commit.Writer
	checkpoints *memstore.Checkpoints
	letters     *memstore.DeadLetters
	board       *state.Board
	tracker     *position.Tracker
	logs        bytes.Buffer
	n           int

	mu      sync.Mutex // guards what follows
	facts   []fact.Fact
	refused []error
	running context.CancelFunc
	over    chan struct{}
}

func bubble(t *testing.T, f func(b *bundle)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{T: t, checkpoints: memstore.NewCheckpoints(), board: state.NewBoard(nil)}
		b.letters = memstore.NewDeadLetters(b.checkpoints)
		if _, err := b.checkpoints.Raise(t.Context(), "orders", term); err != nil {
			t.Fatal(err)
		}
		b.tracker = position.NewTracker(
			position.Limits{Window: 1 << 20, Bytes: 1 << 40, Every: 1000}, readertest.Token(0))
		b.board.Set(state.Condition{State: state.Running})
		b.Writer = commit.NewWriter(commit.Config{
			Checkpoints: b.checkpoints, DeadLetters: b.letters, Tracker: b.tracker,
			Stream: "orders", Save: store.Save{ID: "orders", Term: term, Seq: 40, Owner: "blue/1"},
			Interval: interval, Idle: idle, Board: b.board,
			Log: slog.New(slog.NewTextHandler(&b.logs, nil)),
			Report: func(f fact.Fact) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.facts = append(b.facts, f)
			},
			Refused: func(err error) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.refused = append(b.refused, err)
			},
		}, store.Position{Token: readertest.Token(0).Raw})
		f(b)
		b.end()
	})
}

// start runs the writer.
func (b *bundle) start() {
	ctx, cancel := context.WithCancel(b.Context())
	b.running, b.over = cancel, make(chan struct{})
	go func() {
		defer close(b.over)
		b.Writer.Run(ctx)
	}()
	synctest.Wait()
}

func (b *bundle) end() {
	if b.running != nil {
		b.running()
		<-b.over
	}
}

// settle has n events arrive and settled.
func (b *bundle) settle(n int) {
	b.Helper()
	for range n {
		b.n++
		e := readertest.Insert(b.n)
		slot, err := b.tracker.Event(b.Context(), &e)
		if err != nil {
			b.Fatal(err)
		}
		b.tracker.Settle(slot)
	}
}

// pbrt has a post-batch resume token arrive.
func (b *bundle) pbrt() {
	b.n++
	b.tracker.Marker(readertest.PBRT(b.n), store.PositionIdle)
}

// fail makes saves fail.
func (b *bundle) fail(fault memstore.Fault) {
	b.checkpoints.SetFault(func(memstore.Call) memstore.Fault { return fault })
}

func (b *bundle) wantSaves(want int) {
	b.Helper()
	synctest.Wait()
	if got := len(b.checkpoints.Saved()); got != want {
		b.Errorf("saves: got %d, want %d", got, want)
	}
}

// wantStored checks that the position of the last event or marker is stored.
func (b *bundle) wantStored(kind store.PositionKind) {
	b.Helper()
	synctest.Wait()
	want := b.tracker.Watermark().Position()
	got := b.checkpoints.Get("orders").Position
	if diff := cmp.Diff(want, got); diff != "" || got.Kind != kind {
		b.Errorf("stored position, want kind %s (-want +got):\n%s", kind, diff)
	}
	if known, _ := b.Stored(); !cmp.Equal(known, got) {
		b.Errorf("the writer tells of %v, stored is %v", known, got)
	}
}

func (b *bundle) toldOf(is func(fact.Fact) bool) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, f := range b.facts {
		if is(f) {
			n++
		}
	}
	return n
}

func saved(f fact.Fact) bool      { _, ok := f.(fact.PositionSaved); return ok }
func saveFailed(f fact.Fact) bool { _, ok := f.(fact.PositionSaveFailed); return ok }

func TestPositionIsSavedAfterTheInterval(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.settle(1)
		time.Sleep(interval - time.Millisecond)
		b.wantSaves(0)
		time.Sleep(time.Millisecond)
		b.wantSaves(1)
		b.wantStored(store.PositionEvent)
		time.Sleep(10 * interval)
		b.wantSaves(1)
	})
}

func TestPositionIsSavedAfterSoManyEvents(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.settle(999)
		b.wantSaves(0)
		b.settle(1)
		b.wantSaves(1)
		b.wantStored(store.PositionEvent)
	})
}

func TestB130TwentyThousandEventsAreFewSaves(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.fail(memstore.Fault{Before: time.Millisecond}) // a save takes its time
		b.start()
		for range 20_000 {
			b.settle(1)
			time.Sleep(50 * time.Microsecond)
		}
		time.Sleep(2 * interval)
		b.wantStored(store.PositionEvent)
		if got := len(b.checkpoints.Saved()); got > 22 {
			t.Errorf("saves: got %d, want one for every 1000 events and each second", got)
		}
	})
}

func TestB120IdleStreamSavesItsPostBatchToken(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		began := time.Now()
		for time.Since(began) < 3*idle {
			b.pbrt()
			time.Sleep(time.Second)
		}
		b.wantSaves(3)
		b.checkpoints.SetFault(nil)
		b.pbrt()
		time.Sleep(idle)
		b.wantStored(store.PositionIdle)
	})
}

func TestB120IdleStreamSavesAgainSoonAfterAFailure(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.pbrt()
		b.fail(memstore.Fault{Fail: errDown})
		time.Sleep(idle + time.Second)
		b.fail(memstore.Fault{})
		time.Sleep(10 * time.Second)
		b.wantStored(store.PositionIdle)
	})
}

func TestStreamWithoutNewsSavesNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		time.Sleep(time.Hour)
		b.wantSaves(0)
	})
}

func TestEveryPositionTakesANewSeqAboveTheStoredOne(t *testing.T) {
	bubble(t, func(b *bundle) {
		for range 3 {
			b.settle(1)
			if err := b.Flush(b.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(b.Context()); err != nil { // nothing new
			t.Fatal(err)
		}
		var seqs []int64
		for _, save := range b.checkpoints.Saved() {
			seqs = append(seqs, save.Seq)
			if save.Term != term || save.Owner != "blue/1" || save.ID != "orders" {
				t.Errorf("save: got %+v", save)
			}
		}
		if diff := cmp.Diff([]int64{41, 42, 43}, seqs); diff != "" {
			t.Errorf("seqs (-want +got):\n%s", diff)
		}
	})
}

func TestSaveOfUnknownOutcomeIsRepeatedAsItWas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault memstore.Fault
		seqs  []int64 // of the saves that took effect
	}{
		"not applied": {memstore.Fault{Fail: errDown}, []int64{41, 42}},
		"applied":     {memstore.Fault{Lose: errDown}, []int64{41, 41, 42}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.settle(1)
				first := b.tracker.Watermark().Position()
				b.fail(test.fault)
				if err := b.Flush(b.Context()); !errors.Is(err, errDown) {
					t.Fatalf("got %v, want %v", err, errDown)
				}
				if known, _ := b.Stored(); !cmp.Equal(known.Token, readertest.Token(0).Raw) {
					t.Errorf("an unknown outcome counts as stored: %v", known)
				}
				b.settle(1)
				b.fail(memstore.Fault{})
				if err := b.Flush(b.Context()); err != nil {
					t.Fatal(err)
				}
				b.wantStored(store.PositionEvent)
				var seqs []int64
				for _, save := range b.checkpoints.Saved() {
					seqs = append(seqs, save.Seq)
					if save.Seq == 41 && !cmp.Equal(save.Position, first) {
						t.Errorf("seq 41 saved %v, want %v", save.Position, first)
					}
				}
				if diff := cmp.Diff(test.seqs, seqs); diff != "" {
					t.Errorf("seqs (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestB015StartIsStoredAndAFailedOneRepeated(t *testing.T) {
	bubble(t, func(b *bundle) {
		start := store.Position{Token: readertest.Token(5).Raw, Kind: store.PositionStart}
		b.fail(memstore.Fault{Lose: errDown})
		if err := b.Start(b.Context(), start); !errors.Is(err, errDown) {
			t.Fatalf("got %v, want %v", err, errDown)
		}
		b.fail(memstore.Fault{})
		if err := b.Start(b.Context(), start); err != nil {
			t.Fatal(err)
		}
		stored := b.checkpoints.Get("orders")
		if !cmp.Equal(stored.Position, start) || stored.Seq != 41 {
			t.Errorf("stored: got seq %d at %v", stored.Seq, stored.Position)
		}
	})
}

func TestB127StoreThatFailsIsShownAndTriedUntilItAnswers(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.fail(memstore.Fault{Fail: errDown})
		for range 60 {
			b.settle(10)
			time.Sleep(time.Second)
		}
		got := b.board.Current()
		if got.State != state.BackingOff || got.Code != "position_unsaved" {
			t.Errorf("state: got %+v", got)
		}
		b.wantSaves(0)
		tries := b.checkpoints.Calls(memstore.Save)
		if tries < 10 || tries > 30 {
			t.Errorf("tries in a minute: got %d", tries)
		}
		if told := b.toldOf(saveFailed); told != tries {
			t.Errorf("failures told: got %d, want %d", told, tries)
		}
		b.fail(memstore.Fault{})
		time.Sleep(6 * time.Second)
		b.wantStored(store.PositionEvent)
		if got := b.board.Current(); got.State != state.Running {
			t.Errorf("state after recovery: got %+v", got)
		}
		if told := b.toldOf(saved); told != len(b.checkpoints.Saved()) {
			t.Errorf("saves told: got %d, want %d", told, len(b.checkpoints.Saved()))
		}
		if got := strings.Count(b.logs.String(), "level=ERROR"); got != 1 { // B148
			t.Errorf("logged %d errors, want one:\n%s", got, b.logs.String())
		}
	})
}

func TestSaveThatHangsIsGivenUpAndRepeated(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.fail(memstore.Fault{Before: time.Hour})
		b.settle(1)
		time.Sleep(12 * time.Second)
		b.fail(memstore.Fault{})
		time.Sleep(12 * time.Second)
		b.wantStored(store.PositionEvent)
	})
}

func TestRefusedSaveEndsTheLeadershipOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		harm func(b *bundle)
		want error
	}{
		"fenced": {func(b *bundle) {
			_, _ = b.checkpoints.Raise(b.Context(), "orders", term+1)
		}, store.ErrFenced},
		"missing": {func(b *bundle) { b.checkpoints.Delete("orders") }, store.ErrMissing},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.start()
				test.harm(b)
				b.settle(1)
				time.Sleep(time.Minute)
				select {
				case <-b.over:
				default:
					t.Error("the writer goes on")
				}
				err := b.DeadLetter(b.Context(), store.DeadLetter{ID: "orders/1", Stream: "orders"})
				if !errors.Is(err, test.want) {
					t.Errorf("dead letter: got %v, want %v", err, test.want)
				}
				if err := b.Flush(b.Context()); !errors.Is(err, test.want) {
					t.Errorf("flush: got %v, want %v", err, test.want)
				}
				if len(b.refused) != 1 || !errors.Is(b.refused[0], test.want) {
					t.Errorf("refused: got %v, want %v once", b.refused, test.want)
				}
				b.wantSaves(0)
			})
		})
	}
}

func TestRefusedDeadLetterEndsTheLeadership(t *testing.T) {
	bubble(t, func(b *bundle) {
		_, _ = b.checkpoints.Raise(b.Context(), "orders", term+1)
		err := b.DeadLetter(b.Context(), store.DeadLetter{ID: "orders/1", Collection: "dlq"})
		if !errors.Is(err, store.ErrFenced) || len(b.refused) != 1 {
			t.Errorf("got %v, and refused %v", err, b.refused)
		}
		if letters := b.letters.Letters("dlq"); len(letters) != 0 {
			t.Errorf("stored under a stale term: %v", letters)
		}
	})
}

func TestOneWriteAtATime(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		var mu sync.Mutex
		writing := 0
		enter := func(memstore.Call) memstore.Fault {
			mu.Lock()
			writing++
			if writing > 1 {
				t.Error("two writes of one stream at once")
			}
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			writing--
			mu.Unlock()
			return memstore.Fault{}
		}
		b.checkpoints.SetFault(enter)
		b.letters.SetFault(enter)
		var all sync.WaitGroup
		for range 5 {
			b.settle(1)
			all.Go(func() { _ = b.Flush(b.Context()) })
			all.Go(func() { _ = b.DeadLetter(b.Context(), store.DeadLetter{ID: "orders/1"}) })
			time.Sleep(time.Second)
		}
		all.Wait()
	})
}

// A dead letter is written under the term and the checkpoint of the writer.
func TestDeadLetterIsFencedByTheStreamsCheckpoint(t *testing.T) {
	bubble(t, func(b *bundle) {
		var calls []memstore.Call
		b.letters.SetFault(func(c memstore.Call) memstore.Fault {
			calls = append(calls, c)
			return memstore.Fault{}
		})
		letter := store.DeadLetter{ID: "orders/1", Collection: "dlq", InstanceID: "blue/1"}
		if err := b.DeadLetter(b.Context(), letter); err != nil {
			t.Fatal(err)
		}
		want := []memstore.Call{
			{Method: memstore.Write, Stream: "orders", Owner: "blue/1", Term: term},
		}
		if !slices.Equal(want, calls) {
			t.Errorf("calls: got %+v, want %+v", calls, want)
		}
	})
}

func TestWaitForTheTurnEndsWithTheContext(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.fail(memstore.Fault{Before: 5 * time.Second})
		b.settle(1)
		flushed := make(chan error)
		go func() { flushed <- b.Flush(b.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := b.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %s", took)
		}
		if err := <-flushed; err != nil {
			t.Error(err)
		}
	})
}

// A caller that gives up is no failure of the store.
func TestFlushThatItsCallerGivesUpIsNotShown(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.fail(memstore.Fault{Before: 5 * time.Second})
		b.settle(1)
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		if err := b.Flush(ctx); err == nil {
			t.Error("it is said to be saved")
		}
		if got := b.board.Current(); got.State != state.Running {
			t.Errorf("state: got %+v", got)
		}
		b.fail(memstore.Fault{})
		if err := b.Flush(b.Context()); err != nil {
			t.Fatal(err)
		}
		b.wantStored(store.PositionEvent)
	})
}

func TestRunEndsAtOnceDuringABackoff(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		b.fail(memstore.Fault{Fail: errDown})
		b.settle(1)
		time.Sleep(20*time.Second + time.Millisecond)
		began := time.Now()
		b.end()
		if took := time.Since(began); took != 0 {
			t.Errorf("took %s", took)
		}
	})
}
