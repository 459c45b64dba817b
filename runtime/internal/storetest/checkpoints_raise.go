package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

var raiseTests = []checkpointTest{
	{"RaiseMakesACheckpoint", func(c *checkpoints) {
		if before := c.raise(3); !sameCheckpoint(before, store.Checkpoint{}) {
			c.Errorf("Raise = %+v, want zero: there was none", before)
		}
		after := c.look()
		if after.Term != 3 || after.Seq != 0 || !after.Position.IsZero() || after.ID != stream {
			c.Errorf("got %+v, want term 3 and no position", after)
		}
		require(c.T, c.save(3, 0)) // nothing is in the way of the first save
	}},

	{"RaiseReturnsThePositionAndChangesTheTermAlone", func(c *checkpoints) {
		c.raise(1)
		require(c.T, c.save(1, 5))
		c.mustBe(c.raise(4), 1, position(stream, 1, 5))
		c.mustBe(c.look(), 4, position(stream, 1, 5))
	}},

	{"RaiseToATermThatIsNotHigherChangesNothing", func(c *checkpoints) {
		c.raise(1 << 40)
		require(c.T, c.save(1<<40, 5))
		for _, term := range []int64{0, 1, 1<<40 - 1, 1 << 40} {
			c.mustBe(c.raise(term), 1<<40, position(stream, 1<<40, 5))
		}
		c.mustBe(c.look(), 1<<40, position(stream, 1<<40, 5))
	}},
}

var mintTests = []checkpointTest{
	{"MintRaisesTheTermByOne", func(c *checkpoints) {
		first, err := c.Mint(c.ctx, stream, "a", month)
		require(c.T, err)
		if first.Term != 1 || first.Owner != "a" || !first.Position.IsZero() {
			c.Errorf("first = %+v, want term 1 of a", first)
		}
		require(c.T, c.save(1, 5))
		second, err := c.Mint(c.ctx, stream, "$owner", month)
		require(c.T, err)
		c.mustBe(second, 2, position(stream, 1, 5))
		if err := c.save(1, 6); !errors.Is(err, store.ErrFenced) {
			c.Errorf("save under the first term: %v, want ErrFenced", err)
		}
		require(c.T, c.save(2, 6))
	}},

	{"EachMintHasItsOwnTerm", func(c *checkpoints) {
		var terms sync.Map
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				minted, err := c.Mint(c.ctx, stream, "a", month)
				if err != nil {
					c.Error(err)
				}
				if _, twice := terms.LoadOrStore(minted.Term, true); twice {
					c.Errorf("term %d twice", minted.Term)
				}
			})
		}
		wg.Wait()
		if last := c.look(); last.Term != 20 {
			c.Errorf("Term = %d after 20, want 20", last.Term)
		}
	}},
}

var raceTests = []checkpointTest{
	// The rule that everything else rests on: when a raise has returned, no save of a smaller
	// term takes effect, and the position that it returned is the last one before.
	{"NoStaleSaveAfterARaise", func(c *checkpoints) {
		var newest atomic.Int64
		var stop atomic.Bool
		newest.Store(1)
		c.raise(1)
		require(c.T, c.save(1, 0))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { c.keepSaving(&newest, &stop) })
		}
		for term := int64(2); term <= 30; term++ {
			taken := c.raise(term)
			newest.Store(term)
			for range 3 {
				now := c.look()
				if now.Term != term || stale(now, taken, term) {
					c.Errorf("term %d took over at %v, later the position is %v",
						term, taken.Position.ClusterTime, now.Position.ClusterTime)
				}
				time.Sleep(time.Millisecond)
			}
		}
		stop.Store(true)
		wg.Wait()
	}},
}

// stale reports whether a position was saved after the take-over, by an earlier term.
func stale(now, taken store.Checkpoint, term int64) bool {
	by := now.Position.ClusterTime // who saved it
	return by != taken.Position.ClusterTime && int64(by.T) < term
}

// keepSaving saves under whatever term was the newest a moment ago.
func (c *checkpoints) keepSaving(newest *atomic.Int64, stop *atomic.Bool) {
	for seq := int64(1); !stop.Load(); seq++ {
		term := newest.Load()
		for range 3 {
			save := position(stream, term, seq)
			save.Position.ClusterTime = bson.Timestamp{T: uint32(term), I: uint32(seq)}
			if err := c.Save(c.ctx, save); err != nil && !errors.Is(err, store.ErrFenced) {
				c.Errorf("save: %v", err)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
}
