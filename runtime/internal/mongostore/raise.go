package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Raise implements [store.Checkpoints].
//
// A leader that died within the transaction of a dead letter keeps the document locked until the
// server gives the transaction up, a minute or more later. Raise first ends the session that the
// checkpoint names, if its term is smaller, and again when it has to wait all the same. That takes
// the right to run killSessions on the sessions of its own user, as every user has. Where it is
// refused Raise waits as long as its context allows, and names the refusal in its error.
func (c *Checkpoints) Raise(
	ctx context.Context, id string, term int64,
) (store.Checkpoint, error) {
	stored, err := c.takeOver(ctx, term-1, modification{
		collection: c.collection,
		id:         id,
		pipeline:   raise(term),
		upsert:     true,
		before:     true,
	})
	if err != nil {
		return store.Checkpoint{}, fmt.Errorf("raise term of checkpoint %q to %d: %w", id, term, err)
	}
	return checkpoint(id, stored), nil
}

// raise changes the term and nothing else. A checkpoint that is new gets the fields that the
// filters of later writes compare.
func raise(term int64) bson.A {
	return pipeline(
		kv("term", op("$max", "$term", term)),
		kv("seq", orElse("$seq", int64(0))),
		kv("fence", orElse("$fence", int64(0))),
		kv("updatedAt", orElse("$updatedAt", now)),
	)
}

// Mint implements [store.Checkpoints].
func (c *Checkpoints) Mint(
	ctx context.Context, id, owner string, lifetime time.Duration,
) (store.Checkpoint, error) {
	stored, err := c.takeOver(ctx, anyTerm, modification{
		collection: c.collection,
		id:         id,
		upsert:     true,
		pipeline: pipeline(
			kv("term", op("$add", whole("$term"), int64(1))),
			kv("seq", orElse("$seq", int64(0))),
			kv("fence", orElse("$fence", int64(0))),
			kv("owner", literal(owner)),
			kv("updatedAt", now),
			kv("expiresAt", expiry(lifetime)),
		),
	})
	if err != nil {
		return store.Checkpoint{}, fmt.Errorf("mint term of checkpoint %q: %w", id, err)
	}
	return checkpoint(id, stored), nil
}

// takeOver modifies a checkpoint, after ending the session of a term up to stale whose transaction
// may be in its way. What that meets counts for nothing: the write waits if it must, and endWriters
// tries again.
func (c *Checkpoints) takeOver(
	ctx context.Context, stale int64, m modification,
) (document, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	c.clear(ctx, m.id, stale)
	var stored document
	err := c.unblocked(ctx, m.id, stale, func() (err error) {
		stored, _, err = c.db.modify(ctx, m)
		return err
	})
	return stored, err
}
