package state_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/internal/state"
)

func running() *state.Board {
	b := state.NewBoard(nil)
	b.Set(state.Condition{State: state.Running})
	return b
}

func wantCode(t *testing.T, b *state.Board, want state.State, code string) {
	t.Helper()
	if got := b.Current(); got.State != want || got.Code != code {
		t.Errorf("got %+v, want %s %s", got, want, code)
	}
}

func TestGravestTroubleIsShown(t *testing.T) {
	t.Parallel()
	order := []state.Trouble{state.Reader, state.DeadLetters, state.Checkpoints, state.Stall,
		state.Overdue, state.Setup}
	b := running()
	for i := len(order) - 1; i >= 0; i-- {
		b.Trouble(order[i], state.Condition{Code: string(order[i])})
		wantCode(t, b, state.BackingOff, string(order[i]))
	}
	for i, trouble := range order[:len(order)-1] {
		b.Clear(trouble)
		wantCode(t, b, state.BackingOff, string(order[i+1]))
	}
	b.Clear(state.Setup)
	wantCode(t, b, state.Running, "")
}

func TestTroubleCountsOnlyWhileTheStreamRuns(t *testing.T) {
	t.Parallel()
	b := running()
	b.Trouble(state.Checkpoints, state.Condition{Code: "unsaved"})
	for _, base := range []state.State{state.Standby, state.HistoryLost, state.Failed, state.Stopped} {
		b.Set(state.Condition{State: base})
		wantCode(t, b, base, "")
	}
	b.Set(state.Condition{State: state.Running})
	wantCode(t, b, state.BackingOff, "unsaved")
	b.ClearAll()
	wantCode(t, b, state.Running, "")
}

func TestSinceIsWhenTheStateBegan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b := state.NewBoard(nil)
		if got := b.Current(); got.State != state.Starting || !got.Since.Equal(began) {
			t.Errorf("at first: %+v", got)
		}
		b.Set(state.Condition{State: state.Running})
		time.Sleep(time.Minute)
		for try := range 3 {
			b.Trouble(state.Reader, state.Condition{Code: "transient", Reason: fmt.Sprint(try),
				NextRetry: time.Now().Add(time.Second)})
			time.Sleep(time.Second)
		}
		got := b.Current()
		want := state.Condition{State: state.BackingOff, Code: "transient", Reason: "2",
			Since: began.Add(time.Minute), NextRetry: began.Add(time.Minute + 3*time.Second)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("condition (-want +got):\n%s", diff)
		}
	})
}

func TestChangesAreToldOnceAndInOrder(t *testing.T) {
	t.Parallel()
	var told []string
	b := state.NewBoard(func(from, to state.Condition) {
		told = append(told, fmt.Sprintf("%s %s > %s %s", from.State, from.Code, to.State, to.Code))
	})
	b.Set(state.Condition{State: state.Running})
	b.Set(state.Condition{State: state.Running, Reason: "another reason"})
	b.Clear(state.Stall)
	b.Trouble(state.Stall, state.Condition{State: state.Stalled, Code: "stalled"})
	b.Trouble(state.Stall, state.Condition{State: state.Stalled, Code: "stalled"})
	b.Trouble(state.Reader, state.Condition{Code: "transient"})
	b.Trouble(state.Reader, state.Condition{Code: "unauthorized"})
	b.ClearAll()
	want := []string{
		"starting  > running ", "running  > stalled stalled",
		"stalled stalled > backing_off transient", "backing_off transient > backing_off unauthorized",
		"backing_off unauthorized > running ",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestResetEndsTroublesAtOnceAndLeavesAFailedStreamFailed(t *testing.T) {
	t.Parallel()
	var told []state.State
	b := state.NewBoard(func(_, to state.Condition) { told = append(told, to.State) })
	b.Set(state.Condition{State: state.Running})
	b.Trouble(state.Stall, state.Condition{State: state.Stalled, Code: "stalled"})
	b.Reset(state.Condition{State: state.Stopped})
	if want := []state.State{state.Running, state.Stalled, state.Stopped}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	b.Set(state.Condition{State: state.Failed})
	b.Reset(state.Condition{State: state.Starting})
	if got := b.Current().State; got != state.Failed {
		t.Errorf("state: got %s, want %s", got, state.Failed)
	}
}
