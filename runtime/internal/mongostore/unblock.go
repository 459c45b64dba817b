package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	// patience is how long a write of a checkpoint may take before a transaction is suspected to
	// be in its way. Writes to a majority take some milliseconds.
	patience = 500 * time.Millisecond

	// insistence is the time between two attempts to end that transaction.
	insistence = 2 * time.Second

	anyTerm = math.MaxInt64
)

// unblocked runs a write of a checkpoint. When the write does not come back soon, it ends the
// session that dead letters of terms up to stale are written in, and with it the transaction that
// may keep the document locked.
func (c *Checkpoints) unblocked(
	ctx context.Context, id string, stale int64, write func() error,
) error {
	waiting, answered := context.WithCancel(ctx)
	refused := make(chan error, 1)
	go func() { refused <- c.endWriters(waiting, id, stale) }()
	err := write()
	answered()
	if refusal := <-refused; err != nil {
		return errors.Join(err, refusal)
	}
	return nil
}

// clear ends the recorded session ahead of a write, which then has nothing to wait for. It takes
// no longer than an unhindered write may.
func (c *Checkpoints) clear(ctx context.Context, id string, stale int64) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_ = c.endWriter(ctx, id, stale)
}

// endWriters works until ctx ends, and returns the last refusal that it met.
func (c *Checkpoints) endWriters(ctx context.Context, id string, stale int64) (refusal error) {
	wait := patience
	for {
		select {
		case <-ctx.Done():
			return refusal
		case <-time.After(wait):
		}
		if err := c.endWriter(ctx, id, stale); err == nil {
			refusal = nil
		} else if ctx.Err() == nil {
			refusal = fmt.Errorf("end the transaction that may hold it: %w", err)
		}
		wait = insistence
	}
}

// endWriter ends the session that is recorded in the checkpoint, if its term is stale.
func (c *Checkpoints) endWriter(ctx context.Context, id string, stale int64) error {
	stored, err := c.db.find(ctx, c.collection, id, "local")
	if err != nil {
		return err
	}
	session := stored.sub("session")
	if session == nil || session.int("term") > stale {
		return nil
	}
	return c.killSession(ctx, session.lookup("id"))
}

// killSession aborts the transaction of a session in the server.
func (c *Checkpoints) killSession(ctx context.Context, id bson.RawValue) error {
	admin := commands{c.db.db.Client().Database("admin")}
	_, err := admin.run(ctx, bson.D{kv("killSessions", bson.A{bson.D{kv("id", id)}})})
	return err
}
