package storetest

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

var saveTests = []checkpointTest{
	{"ASaveStoresEverything", func(c *checkpoints) {
		c.raise(2)
		require(c.T, c.save(2, 1))
		c.mustBe(c.look(), 2, position(stream, 2, 1))

		idle := position(stream, 2, 2)
		idle.Owner = "b"
		idle.Position.Kind, idle.Position.EventID = store.PositionIdle, ""
		idle.Position.ClusterTime = bson.Timestamp{}
		idle.Scope = store.Scope{}
		require(c.T, c.Save(c.ctx, idle))
		c.mustBe(c.look(), 2, idle)
	}},

	{"AStaleTermCannotSave", func(c *checkpoints) { // B096
		c.raise(1)
		require(c.T, c.save(1, 50))
		c.raise(2)
		if err := c.save(1, 51); !errors.Is(err, store.ErrFenced) {
			c.Errorf("got %v, want ErrFenced", err)
		}
		c.mustBe(c.look(), 2, position(stream, 1, 50))
		require(c.T, c.save(2, 51))
		if err := c.save(1, 100); !errors.Is(err, store.ErrFenced) {
			c.Errorf("got %v, want ErrFenced", err)
		}
		c.mustBe(c.look(), 2, position(stream, 2, 51))
	}},

	{"ADelayedSaveOfOnesOwnCannotMoveThePositionBack", func(c *checkpoints) {
		c.raise(1)
		require(c.T, c.save(1, 7))
		if err := c.save(1, 6); !errors.Is(err, store.ErrFenced) {
			c.Errorf("got %v, want ErrFenced", err)
		}
		c.mustBe(c.look(), 1, position(stream, 1, 7))
	}},

	{"ASaveCanBeRepeated", func(c *checkpoints) {
		c.raise(1)
		for range 3 {
			require(c.T, c.save(1, 7))
		}
		c.mustBe(c.look(), 1, position(stream, 1, 7))
	}},

	{"AHigherTermSavesWithASmallerSeq", func(c *checkpoints) {
		c.raise(1)
		require(c.T, c.save(1, 1000))
		require(c.T, c.save(2, 3))
		c.mustBe(c.look(), 2, position(stream, 2, 3))
	}},

	{"ASaveMakesNoCheckpoint", func(c *checkpoints) {
		if err := c.save(1, 1); !errors.Is(err, store.ErrMissing) {
			c.Errorf("got %v, want ErrMissing", err)
		}
		if before := c.raise(1); before.Term != 0 {
			c.Errorf("got %+v, want that there was none", before)
		}
	}},

	{"ADeletedCheckpointIsMissing", func(c *checkpoints) {
		if c.Delete == nil {
			c.Skip("no way to delete a checkpoint")
		}
		c.raise(1)
		require(c.T, c.save(1, 1))
		require(c.T, c.Delete(c.ctx, stream))
		if err := c.save(1, 2); !errors.Is(err, store.ErrMissing) {
			c.Errorf("got %v, want ErrMissing", err)
		}
	}},

	{"CheckpointsAreApart", func(c *checkpoints) {
		c.raise(9)
		require(c.T, c.save(9, 1))
		_, err := c.Raise(c.ctx, "other", 1)
		require(c.T, err)
		require(c.T, c.Save(c.ctx, position("other", 1, 1)))
		c.mustBe(c.look(), 9, position(stream, 9, 1))
	}},
}
