package supervisor_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestLeaderReadsHandlesAndSaves(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		i.wantState(state.Running, "")
		first, second := w.oplog.Insert(1), w.oplog.Insert(2)
		i.wantHandled(first, second)
		time.Sleep(time.Second)
		w.wantStored(second)
		snap := i.Snapshot()
		if !snap.Leads || snap.Term != 1 || snap.Load.Unsettled != 0 || snap.Attempts != 2 {
			t.Errorf("snapshot: got %+v", snap)
		}
	})
}

func TestB015StartIsStoredBeforeAnythingIsRead(t *testing.T) {
	bubble(t, func(w *world) {
		w.fail(failing(memstore.Save))
		i := w.start("blue")
		e := w.oplog.Insert(1)
		time.Sleep(10 * time.Second)
		i.wantHandled()
		got := i.wantState(state.BackingOff, "transient")
		if !strings.Contains(got.Reason, errDown.Error()) || !got.NextRetry.After(time.Now()) {
			t.Errorf("shown: %+v, want the reason and the next retry", got)
		}
		w.fail(nil)
		time.Sleep(30 * time.Second)
		i.wantHandled(e)
		saves := w.checkpoints.Saved()
		if saves[0].Position.Kind != store.PositionStart {
			t.Errorf("first save: got %+v, want the start", saves[0])
		}
	})
}

// A stream that never opened shows its latest failure, not its first one.
func TestLatestFailureIsShown(t *testing.T) {
	bubble(t, func(w *world) {
		w.oplog.SetFault(func(c readertest.Call) error {
			if c.Open < 3 {
				return errDown
			}
			return readertest.Code(13)
		})
		i := w.start("blue")
		time.Sleep(20 * time.Second)
		got := i.wantState(state.BackingOff, "unauthorized")
		if !got.NextRetry.After(time.Now()) {
			t.Errorf("next retry %s is over at %s", got.NextRetry, time.Now())
		}
		w.oplog.SetFault(nil)
		time.Sleep(time.Minute)
		i.wantState(state.Running, "")
	})
}

func TestB148ReaderThatFailsLogsOncePerStep(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		w.oplog.SetFault(func(readertest.Call) error { return errDown })
		time.Sleep(10 * time.Minute)
		i.wantState(state.BackingOff, "transient")
		opens := len(w.oplog.Opens())
		if lines := i.logs.count("level=WARN"); lines > opens {
			t.Errorf("%d lines for %d opens", lines, opens)
		}
		if opens > 20 {
			t.Errorf("%d opens in ten minutes", opens)
		}
		w.oplog.SetFault(nil)
		e := w.oplog.Insert(1)
		time.Sleep(2 * time.Minute)
		i.wantState(state.Running, "")
		i.wantHandled(e)
	})
}

func TestB120IdleStreamSavesItsPostBatchToken(t *testing.T) {
	bubble(t, func(w *world) {
		w.start("blue")
		start := w.stored()
		time.Sleep(10 * time.Minute)
		if got := w.stored(); got.Kind != store.PositionIdle ||
			time.Since(time.Unix(int64(got.ClusterTime.T), 0)) > 62*time.Second {
			t.Errorf("stored after ten idle minutes: %+v", got)
		}
		if got := len(w.checkpoints.Saved()); got < 10 || got > 12 {
			t.Errorf("saves: got %d, want one each minute", got)
		}
		if cmp.Equal(start.Token, w.stored().Token) {
			t.Error("the position did not move")
		}
	})
}

func TestB124FilteredEventsMoveThePosition(t *testing.T) {
	bubble(t, func(w *world) {
		w.start("blue", func(_ *instance, c *supervisor.Config) { c.Handler = filtered{} })
		var last change.Event
		for id := range 500 {
			last = w.oplog.Insert(id)
		}
		time.Sleep(2 * time.Second)
		w.wantStored(last)
	})
}

// filtered lets nothing through.
type filtered struct{}

func (filtered) Attempt(context.Context, *delivery.Delivery) delivery.Result {
	return delivery.Result{Outcome: fact.Filtered}
}

func TestB127StoreThatIsAwayIsShownAndHandlingGoesOn(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		w.fail(failing(memstore.Save))
		var want []change.Event
		for id := range 10 {
			want = append(want, w.oplog.Insert(id))
			time.Sleep(6 * time.Second)
		}
		i.wantState(state.BackingOff, "position_unsaved")
		i.wantHandled(want...)
		w.fail(nil)
		time.Sleep(10 * time.Second)
		i.wantState(state.Running, "")
		w.wantStored(want[9])
	})
}

func TestB102DeadLetterBlocksItsEventAndThePosition(t *testing.T) {
	bubble(t, func(w *world) {
		calls := 0
		i := w.start("blue", withDLQ, handling(func(_ context.Context, d *delivery.Delivery) error {
			if d.Event.Key.Lookup("_id").AsInt64() == 1 {
				calls++
				return errors.New("broken")
			}
			return nil
		}))
		writes := 0
		w.fail(func(c memstore.Call) memstore.Fault {
			if c.Method == memstore.Write {
				if writes++; writes <= 5 {
					return memstore.Fault{Fail: errDown}
				}
			}
			return memstore.Fault{}
		})
		bad, good := w.oplog.Insert(1), w.oplog.Insert(2)
		time.Sleep(2 * time.Second)
		i.wantState(state.BackingOff, "dead_letter_blocked")
		i.wantHandled()
		if got := w.stored(); got.EventID != "" {
			t.Errorf("the position moved to %+v", got)
		}
		time.Sleep(20 * time.Second)
		i.wantState(state.Running, "")
		i.wantHandled(good)
		w.wantStored(good)
		letters := w.letters.Letters("dlq")
		if calls != 1 || len(letters) != 1 || letters[0].ID != "orders/"+bad.ID() {
			t.Errorf("%d calls and the dead letters %v", calls, letters)
		}
	})
}

func TestB101NextEventFollowsTheDeadLetter(t *testing.T) {
	bubble(t, func(w *world) {
		var order []int
		i := w.start("blue", withDLQ, withAttempts(5, time.Second),
			handling(func(_ context.Context, d *delivery.Delivery) error {
				id := int(d.Event.Key.Lookup("_id").AsInt64())
				order = append(order, id)
				if id == 1 {
					return errors.New("broken")
				}
				return nil
			}))
		w.oplog.Insert(1)
		good := w.oplog.Insert(2)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]int{1, 1, 1, 1, 1, 2}, order); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		letters := w.letters.Letters("dlq")
		if len(letters) != 1 || letters[0].Attempts != 5 {
			t.Errorf("dead letters: %+v", letters)
		}
		i.wantHandled(good)
		w.wantStored(good)
	})
}

func TestStalledEventHoldsEverythingBehindIt(t *testing.T) {
	bubble(t, func(w *world) {
		var mended atomic.Bool
		i := w.start("blue", handling(func(_ context.Context, d *delivery.Delivery) error {
			if !mended.Load() && d.Event.Key.Lookup("_id").AsInt64() == 1 {
				return errors.New("broken")
			}
			return nil
		}))
		bad, good := w.oplog.Insert(1), w.oplog.Insert(2)
		time.Sleep(time.Hour)
		i.wantState(state.Stalled, "stalled")
		i.wantHandled()
		snap := i.Snapshot()
		if len(snap.Stalled) != 1 || snap.Stalled[0].Delivery.ID != bad.ID() ||
			snap.Load.OldestID != bad.ID() || snap.Load.Unsettled != 2 {
			t.Errorf("snapshot: got %+v", snap)
		}
		if snap.Lag < time.Hour {
			t.Errorf("lag: got %s, want an hour", snap.Lag)
		}
		mended.Store(true)
		time.Sleep(5 * time.Minute)
		i.wantState(state.Running, "")
		i.wantHandled(bad, good)
	})
}

func TestFullWindowStopsReading(t *testing.T) {
	bubble(t, func(w *world) {
		w.oplog.BatchSize = 5
		release := make(chan struct{})
		i := w.start("blue",
			func(_ *instance, c *supervisor.Config) {
				c.Limits = position.Limits{Window: 10, Bytes: 1 << 20, Every: 1000}
			},
			handling(func(context.Context, *delivery.Delivery) error { <-release; return nil }))
		var want []change.Event
		for id := range 100 {
			want = append(want, w.oplog.Insert(id))
		}
		time.Sleep(time.Minute)
		if got := i.Snapshot().Load; got.Unsettled != 10 || got.OldestID != want[0].ID() {
			t.Errorf("in flight: got %+v, want 10 from %s", got, want[0].ID())
		}
		close(release)
		time.Sleep(time.Minute)
		i.wantHandled(want...)
	})
}

func TestB005DropIsHandledAndTheStreamGoesOn(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		drop, invalidate := w.oplog.Drop()
		time.Sleep(2 * time.Second)
		i.wantHandled(drop)
		i.wantState(state.Running, "")
		if got := w.stored(); got.Kind != store.PositionInvalidate ||
			!cmp.Equal(got.Token, invalidate.Token.Raw) {
			t.Errorf("stored: got %+v, want the invalidate", got)
		}
		again := w.oplog.Insert(1)
		i.wantHandled(drop, again)
	})
}

func TestB006RestartAfterAnInvalidateLosesNothing(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		drop, invalidate := w.oplog.Drop()
		time.Sleep(2 * time.Second)
		i.wantHandled(drop)
		i.stop()
		<-i.ended
		first, second := w.oplog.Insert(1), w.oplog.Insert(2)
		next := w.start("green")
		next.wantHandled(first, second)
		opens := w.oplog.Opens()
		if last := opens[len(opens)-1].From; last.After.Compare(invalidate.Token) < 0 {
			t.Errorf("opened at %v", last)
		}
	})
}

func TestRenameIsHandledAndEndsTheStream(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		rename, _ := w.oplog.Rename()
		time.Sleep(time.Hour)
		i.wantHandled(rename)
		i.wantState(state.Invalidated, "renamed")
		if got := len(w.oplog.Opens()); got != 1 {
			t.Errorf("opens: got %d, want 1", got)
		}
		if got := w.stored(); got.Kind != store.PositionInvalidate {
			t.Errorf("stored: %+v", got)
		}
	})
}

func TestB001LostPositionIsShownAndKept(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		e := w.oplog.Insert(1)
		time.Sleep(2 * time.Second)
		w.wantStored(e)
		opens := len(w.oplog.Opens())
		w.oplog.SetFault(func(readertest.Call) error { return readertest.Code(286) })
		time.Sleep(2 * time.Minute) // what was read before is saved
		synctest.Wait()
		stored := w.stored()
		time.Sleep(time.Hour)
		got := i.wantState(state.HistoryLost, "position_lost")
		if !strings.Contains(got.Reason, `delete the checkpoint "orders"`) {
			t.Errorf("the reason says not what to do: %s", got.Reason)
		}
		if more := len(w.oplog.Opens()) - opens; more > 1 {
			t.Errorf("opened %d times more", more)
		}
		if diff := cmp.Diff(stored, w.stored()); diff != "" {
			t.Errorf("stored position (-before +after):\n%s", diff)
		}
		if lines := i.logs.count("level=ERROR"); lines != 1 {
			t.Errorf("logged %d errors, want one", lines)
		}
	})
}

func TestLostStreamBeginsAnewWhenItsCheckpointIsDeleted(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		w.oplog.Insert(1)
		time.Sleep(2 * time.Second)
		w.oplog.SetFault(func(readertest.Call) error { return readertest.Code(286) })
		time.Sleep(2 * time.Second)
		i.wantState(state.HistoryLost, "position_lost")
		w.checkpoints.Delete("orders")
		w.oplog.SetFault(nil)
		if err := i.Stream.Stop(w.Context()); err != nil {
			t.Fatal(err)
		}
		i.Start()
		time.Sleep(3 * time.Second)
		i.wantState(state.Running, "")
		if opens := w.oplog.Opens(); !opens[len(opens)-1].From.After.IsZero() {
			t.Errorf("opened at %+v, want now", opens[len(opens)-1].From)
		}
	})
}

func TestForeignPositionIsRefusedAndKept(t *testing.T) {
	bubble(t, func(w *world) {
		first := w.start("blue", withScope(store.Scope{Deployment: "setName:rs0"}))
		e := w.oplog.Insert(1)
		first.wantHandled(e)
		first.stop()
		<-first.ended
		opens := len(w.oplog.Opens())
		i := w.start("blue", withScope(store.Scope{Deployment: "setName:rs1"}))
		time.Sleep(time.Hour)
		got := i.wantState(state.HistoryLost, "foreign_deployment")
		for _, part := range []string{"rs0", "rs1", "delete the checkpoint"} {
			if !strings.Contains(got.Reason, part) {
				t.Errorf("the reason does not say %q: %s", part, got.Reason)
			}
		}
		if len(w.oplog.Opens()) != opens {
			t.Error("the stream was opened")
		}
		w.wantStored(e)
	})
}

func TestB011B014ChangedPipelineResumesByTimeWithoutRepeats(t *testing.T) {
	bubble(t, func(w *world) {
		first := w.start("blue", withScope(store.Scope{Hash: "a"}))
		settled := w.oplog.Insert(1)
		first.wantHandled(settled)
		first.stop()
		<-first.ended
		w.wantStored(settled)
		missed := w.oplog.Insert(2)
		i := w.start("blue", withScope(store.Scope{Hash: "b"}))
		i.wantHandled(missed)
		opens := w.oplog.Opens()
		if from := opens[len(opens)-1].From; !from.After.IsZero() ||
			from.AtTime != settled.ClusterTime {
			t.Errorf("opened at %+v, want the time of the settled event", from)
		}
	})
}

func TestCheckpointDeletedByHandIsMadeAgainFromWhatIsSettled(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]option{
		"single_leader": func(*instance, *supervisor.Config) {}, "all_instances": everywhere,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				i := w.start("blue", mode)
				id := "orders"
				if name == "all_instances" {
					id = "orders#blue"
				}
				first := w.oplog.Insert(1)
				time.Sleep(2 * time.Second)
				w.checkpoints.Delete(id)
				saves := len(w.checkpoints.Saved())
				second := w.oplog.Insert(2)
				time.Sleep(3 * time.Second)
				third := w.oplog.Insert(3)
				time.Sleep(3 * time.Second)
				i.wantHandled(first, second, third)
				i.wantState(state.Running, "")
				next := w.checkpoints.Saved()[saves].Position
				if next.Kind != store.PositionStart || !cmp.Equal(next.Token, second.Token.Raw) {
					t.Errorf("first save after it: got %+v, want the second event as a start", next)
				}
				if got := w.checkpoints.Get(id).Position; got.EventID != third.ID() {
					t.Errorf("stored: got %+v", got)
				}
				if got := i.toldOf(is[fact.CheckpointMissing]); got != 1 {
					t.Errorf("told %d times, want once", got)
				}
			})
		})
	}
}

func TestStreamThatGaveUpHasFailed(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue", func(_ *instance, c *supervisor.Config) { c.RestartAttempts = 3 })
		w.oplog.SetFault(func(readertest.Call) error { return errDown })
		time.Sleep(10 * time.Minute)
		got := i.wantState(state.Failed, "reader_gave_up")
		if !strings.Contains(got.Reason, errDown.Error()) {
			t.Errorf("reason: %s", got.Reason)
		}
		select {
		case <-i.ended:
		default:
			t.Error("Run goes on")
		}
		if l := w.leases.Get("orders"); l.Live() || l.Released != store.StreamFailing {
			t.Errorf("lease: got %+v, want released as failing", l)
		}
	})
}

func TestTakeOverThatFailsIsShownAndTriedAgain(t *testing.T) {
	bubble(t, func(w *world) {
		w.fail(failing(memstore.Raise))
		i := w.start("blue")
		time.Sleep(time.Minute)
		i.wantState(state.BackingOff, "checkpoint_unavailable")
		if got := len(w.oplog.Opens()); got != 0 {
			t.Errorf("opened %d times before the take-over", got)
		}
		w.fail(nil)
		time.Sleep(10 * time.Second)
		i.wantState(state.Running, "")
	})
}

func TestTakeOverAboveATermThatTheLeaseForgot(t *testing.T) {
	bubble(t, func(w *world) {
		if _, err := w.checkpoints.Raise(w.Context(), "orders", 41); err != nil {
			t.Fatal(err)
		}
		i := w.start("blue")
		i.wantState(state.Running, "")
		if got := i.Snapshot().Term; got != 42 {
			t.Errorf("term: got %d, want 42", got)
		}
	})
}

func TestLagAndPositionAge(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue")
		time.Sleep(30 * time.Second)
		synctest.Wait()
		snap := i.Snapshot()
		if snap.Lag > 2*time.Second {
			t.Errorf("lag of an idle stream: %s", snap.Lag)
		}
		if snap.PositionAge < 29*time.Second || snap.PositionAge > 33*time.Second {
			t.Errorf("age of the position: %s, want about 31s", snap.PositionAge)
		}
	})
}

func TestManualStreamWaitsForItsStart(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue", func(_ *instance, c *supervisor.Config) { c.ManualStart = true })
		i.wantState(state.Stopped, "manual")
		if got := w.leases.Get("orders"); got.Live() {
			t.Error("a stream that waits holds its lease")
		}
		i.Start()
		i.settle()
		i.wantState(state.Running, "")
		if err := i.Stream.Stop(w.Context()); err != nil {
			t.Fatal(err)
		}
		i.wantState(state.Stopped, "manual")
		if l := w.leases.Get("orders"); l.Live() || l.Released != store.StreamStopped {
			t.Errorf("lease: got %+v, want released by a stop", l)
		}
		i.Start()
		time.Sleep(3 * time.Second)
		i.wantState(state.Running, "")
		e := w.oplog.Insert(1)
		i.wantHandled(e)
	})
}

func TestHistoryOfAnUnknownTimeIsResumedByToken(t *testing.T) {
	bubble(t, func(w *world) {
		e := w.oplog.Insert(1)
		if _, err := w.checkpoints.Raise(w.Context(), "orders", 1); err != nil {
			t.Fatal(err)
		}
		if err := w.checkpoints.Save(w.Context(), store.Save{
			ID: "orders", Term: 1, Seq: 1, Scope: store.Scope{Hash: "a"},
			Position: store.Position{Token: e.Token.Raw, Kind: store.PositionEvent,
				ClusterTime: bson.Timestamp{}},
		}); err != nil {
			t.Fatal(err)
		}
		w.start("blue", withScope(store.Scope{Hash: "b"}))
		if from := w.oplog.Opens()[0].From; from.After.Compare(e.Token) != 0 {
			t.Errorf("opened at %+v", from)
		}
	})
}

func TestPipelineThatPanicsFailsItsStreamAlone(t *testing.T) {
	bubble(t, func(w *world) {
		i := w.start("blue", func(_ *instance, c *supervisor.Config) {
			c.Source = func() (reader.Source, store.Scope) { panic("no tenant is set") }
		})
		got := i.wantState(state.Failed, "pipeline_panicked")
		if !strings.Contains(got.Reason, "no tenant is set") {
			t.Errorf("reason: %s", got.Reason)
		}
		<-i.ended
		if l := w.leases.Get("orders"); l.Live() || l.Released != store.StreamFailing {
			t.Errorf("lease: got %+v, want released as failing", l)
		}
	})
}

func TestEventThatWaitsForItsNextAttemptIsShown(t *testing.T) {
	bubble(t, func(w *world) {
		fail := func(context.Context, *delivery.Delivery) error { return errDown }
		i := w.start("blue", handling(fail), withAttempts(2, time.Minute), withDLQ)
		e := w.oplog.Insert(1)
		i.settle()
		got := i.wantState(state.Running, "retrying")
		if !strings.Contains(got.Reason, e.ID()) || time.Until(got.NextRetry) > time.Minute {
			t.Errorf("shown: %+v", got)
		}
		time.Sleep(time.Minute)
		i.wantState(state.Running, "")
	})
}
