package memstore_test

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/internal/storetest"
)

func TestLeases(t *testing.T) {
	storetest.Leases(t, func(*testing.T) storetest.LeasesUnderTest {
		leases := memstore.NewLeases()
		return storetest.LeasesUnderTest{
			Leases: leases,
			Delete: func(_ context.Context, stream string) error {
				leases.Delete(stream)
				return nil
			},
		}
	}, storetest.InBubble())
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
