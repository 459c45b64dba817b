package memstore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fwtest/leasetest"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/internal/storetest"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestLeases(t *testing.T) {
	t.Parallel()
	newStore := func(t testing.TB) leasetest.Store {
		leases := &severable{Leases: memstore.NewLeases()}
		return leasetest.Store{
			Leases: leases,
			Writes: changes(t, leases.Leases),
			Break: func() {
				leases.gone.Store(true)
				leases.SetFault(func(memstore.Call) memstore.Fault { return memstore.Fault{Fail: errGone} })
			},
			Delete: func(_ context.Context, stream string) error {
				leases.Delete(stream)
				return nil
			},
			Advance: func(_ context.Context, d time.Duration) error {
				leases.Step(d)
				return nil
			},
		}
	}
	leasetest.Run(t, leasetest.Options{New: newStore, Bubble: true})
}

var errGone = errors.New("gone")

// severable fails the calls of operators, too, for which the store chooses no fault.
type severable struct {
	*memstore.Leases
	gone atomic.Bool
}

func (s *severable) Hold(ctx context.Context, req store.HoldRequest) error {
	if s.gone.Load() {
		return errGone
	}
	return s.Leases.Hold(ctx, req)
}

func (s *severable) Lift(ctx context.Context, stream string) error {
	if s.gone.Load() {
		return errGone
	}
	return s.Leases.Lift(ctx, stream)
}

// changes counts what a watch tells of, which is every change.
func changes(t testing.TB, leases *memstore.Leases) func(context.Context) (int64, error) {
	t.Helper()
	var n atomic.Int64
	ready := make(chan struct{})
	go func() {
		_ = leases.Watch(t.Context(), func() { close(ready) }, func(store.Lease) { n.Add(1) })
	}()
	<-ready
	return func(context.Context) (int64, error) {
		synctest.Wait()
		return n.Load(), nil
	}
}

func TestCheckpoints(t *testing.T) {
	storetest.Checkpoints(t, func(*testing.T) storetest.CheckpointsUnderTest {
		checkpoints := memstore.NewCheckpoints()
		return storetest.CheckpointsUnderTest{
			Checkpoints: checkpoints,
			Delete: func(_ context.Context, id string) error {
				checkpoints.Delete(id)
				return nil
			},
		}
	}, storetest.InBubble())
}

func TestDeadLetters(t *testing.T) {
	storetest.DeadLetters(t, func(*testing.T) storetest.DeadLettersUnderTest {
		checkpoints := memstore.NewCheckpoints()
		letters := memstore.NewDeadLetters(checkpoints)
		return storetest.DeadLettersUnderTest{
			DeadLetterWriter: letters,
			Checkpoints:      checkpoints,
			Row: func(_ context.Context, collection, id string) (bson.Raw, error) {
				return letters.Row(collection, id), nil
			},
			SetStatus: func(_ context.Context, collection, id, status string) error {
				letters.SetStatus(collection, id, letter.Status(status))
				return nil
			},
		}
	}, storetest.InBubble())
}
