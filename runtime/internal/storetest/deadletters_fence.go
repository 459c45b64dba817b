package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

var fenceTests = []letterTest{
	{"AStaleTermStoresNoDeadLetter", func(d *letters) { // B096
		old := d.lead(1)
		d.lead(2)
		if err := d.Write(d.ctx, old, failed(1)); !errors.Is(err, store.ErrFenced) {
			d.Errorf("got %v, want ErrFenced", err)
		}
		d.mustBeAbsent(letterID)
	}},

	{"WithoutACheckpointNoDeadLetterIsStored", func(d *letters) {
		fence := store.Fence{Checkpoint: stream, Term: 1}
		if err := d.Write(d.ctx, fence, failed(1)); !errors.Is(err, store.ErrMissing) {
			d.Errorf("got %v, want ErrMissing", err)
		}
		d.mustBeAbsent(letterID)
	}},

	{"ADeadLetterLeavesThePositionAlone", func(d *letters) {
		fence := d.lead(1)
		require(d.T, d.Checkpoints.Save(d.ctx, position(stream, 1, 5)))
		d.write(fence, failed(1))
		now, err := d.Checkpoints.Raise(d.ctx, stream, 0)
		require(d.T, err)
		want := position(stream, 1, 5)
		if now.Term != 1 || now.Seq != 5 || now.Position.EventID != want.Position.EventID {
			d.Errorf("the checkpoint is %+v", now)
		}
		require(d.T, d.Checkpoints.Save(d.ctx, position(stream, 1, 6)))
	}},

	{"ALaterTermWritesAfterAnEarlierOne", func(d *letters) {
		d.write(d.lead(1), failed(1))
		d.write(d.lead(2), failed(2))
		if n := len(d.history(d.row())); n != 2 {
			d.Errorf("%d attempts in the history, want 2", n)
		}
	}},

	{"NoStaleDeadLetterAfterARaise", func(d *letters) {
		var newest atomic.Int64
		var stop atomic.Bool
		newest.Store(1)
		d.lead(1)
		var wg sync.WaitGroup
		for writer := range 3 {
			wg.Go(func() { d.keepWriting(writer, &newest, &stop) })
		}
		for term := int64(2); term <= 15; term++ {
			d.lead(term)
			newest.Store(term)
			time.Sleep(20 * time.Millisecond)
		}
		stop.Store(true)
		wg.Wait()
	}},
}

// keepWriting writes under the newest term. A letter that succeeds although a higher term had been
// raised before it was begun is the fault that the test looks for.
func (d *letters) keepWriting(writer int, newest *atomic.Int64, stop *atomic.Bool) {
	for n := 0; !stop.Load(); n++ {
		letter := failed(1)
		letter.ID = fmt.Sprintf("%s/%d.%d", stream, writer, n)
		fence := store.Fence{Checkpoint: stream, Term: newest.Load()}
		time.Sleep(time.Duration(n%7) * time.Millisecond)
		raised := newest.Load()
		err := d.Write(d.ctx, fence, letter)
		switch {
		case err == nil && raised > fence.Term:
			d.Errorf("a letter of term %d was stored after the raise to %d", fence.Term, raised)
		case errors.Is(err, store.ErrFenced):
			d.mustBeAbsent(letter.ID)
		case err != nil:
			d.Errorf("write: %v", err)
			return
		}
	}
}

func (d *letters) mustBeAbsent(id string) {
	d.Helper()
	row, err := d.Row(d.ctx, letterCollection, id)
	if err != nil {
		d.Error(err)
	}
	if row != nil {
		d.Errorf("stored in spite of the fence: %v", row)
	}
}
