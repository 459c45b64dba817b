package storetest

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// CheckpointsUnderTest is an empty store and what a test may do to it from outside.
type CheckpointsUnderTest struct {
	store.Checkpoints

	// Delete removes a checkpoint, as somebody might by hand.
	Delete func(ctx context.Context, id string) error
}

// Checkpoints checks a [store.Checkpoints].
func Checkpoints(
	t *testing.T, newStore func(*testing.T) CheckpointsUnderTest, opts ...Option,
) {
	s := newSuite(opts)
	for _, group := range [][]checkpointTest{raiseTests, saveTests, mintTests, raceTests} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) {
				s.run(t, func(t *testing.T) {
					test.run(&checkpoints{t, newStore(t), callContext(t)})
				})
			})
		}
	}
}

type checkpointTest struct {
	name string
	run  func(*checkpoints)
}

// checkpoints is what one test works with.
type checkpoints struct {
	*testing.T
	CheckpointsUnderTest
	ctx context.Context
}

func (c *checkpoints) raise(term int64) store.Checkpoint {
	c.Helper()
	before, err := c.Raise(c.ctx, stream, term)
	require(c.T, err)
	return before
}

// look reads a checkpoint that exists: a raise to a smaller term changes nothing.
func (c *checkpoints) look() store.Checkpoint {
	c.Helper()
	return c.raise(0)
}

func (c *checkpoints) save(term, seq int64) error {
	return c.Save(c.ctx, position(stream, term, seq))
}

// position is a save that tells by its content which one it is.
func position(id string, term, seq int64) store.Save {
	token, err := bson.Marshal(bson.D{
		{Key: "_data", Value: "8263"},
		{Key: "$field.name", Value: bson.D{{Key: "$add", Value: "$_id"}}},
		{Key: "term", Value: term},
		{Key: "seq", Value: seq},
	})
	if err != nil {
		panic(err)
	}
	return store.Save{
		ID: id, Term: term, Seq: seq, Owner: "$owner",
		Position: store.Position{
			Token:       token,
			Kind:        store.PositionEvent,
			ClusterTime: bson.Timestamp{T: uint32(term), I: uint32(seq)},
			EventID:     "$1.2-abc",
		},
		Scope: store.Scope{
			Deployment: "rs0", Database: "$shop", Collections: []string{"$a", "b.c"}, Hash: "h",
		},
	}
}

// mustBe checks that a checkpoint has what a save stored, under a term.
func (c *checkpoints) mustBe(got store.Checkpoint, term int64, save store.Save) {
	c.Helper()
	want := store.Checkpoint{
		ID: save.ID, Term: term, Seq: save.Seq, Owner: save.Owner,
		Position: save.Position, Scope: save.Scope,
	}
	if !sameCheckpoint(got, want) {
		c.Fatalf("the checkpoint is\n     %+v\nwant %+v", got, want)
	}
}

func sameCheckpoint(a, b store.Checkpoint) bool {
	return a.ID == b.ID && a.Term == b.Term && a.Seq == b.Seq && a.Owner == b.Owner &&
		bytes.Equal(a.Position.Token, b.Position.Token) && a.Position.Kind == b.Position.Kind &&
		a.Position.ClusterTime.Equal(b.Position.ClusterTime) &&
		a.Position.EventID == b.Position.EventID &&
		a.Scope.Deployment == b.Scope.Deployment && a.Scope.Database == b.Scope.Database &&
		a.Scope.Hash == b.Scope.Hash && slices.Equal(a.Scope.Collections, b.Scope.Collections)
}

const month = 30 * 24 * time.Hour
