package mongostore

import (
	"context"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Checkpoints keeps the positions of streams. It is safe for concurrent use.
type Checkpoints struct {
	db         commands
	collection string
}

// checkpoint reads a stored checkpoint. No document is the zero checkpoint.
func checkpoint(id string, stored document) store.Checkpoint {
	if stored == nil {
		return store.Checkpoint{}
	}
	return store.Checkpoint{
		ID:       id,
		Term:     stored.int("term"),
		Seq:      stored.int("seq"),
		Owner:    stored.str("owner"),
		Position: position(stored.sub("position")),
		Scope:    scope(stored.sub("scope")),
	}
}

func position(stored document) store.Position {
	position := store.Position{
		Token:   bson.Raw(stored.sub("token")),
		Kind:    store.PositionKind(stored.str("kind")),
		EventID: stored.str("eventId"),
	}
	if t, i, ok := stored.lookup("clusterTime").TimestampOK(); ok {
		position.ClusterTime = bson.Timestamp{T: t, I: i}
	}
	return position
}

func scope(stored document) store.Scope {
	return store.Scope{
		Deployment:  stored.str("deployment"),
		Database:    stored.str("db"),
		Collections: stored.strs("collections"),
		Hash:        stored.str("hash"),
	}
}

func positionFields(p store.Position) bson.D {
	fields := bson.D{
		kv("token", nil),
		kv("kind", string(p.Kind)),
		kv("clusterTime", nil),
	}
	if !p.IsZero() {
		fields[0].Value = p.Token
	}
	if !p.ClusterTime.IsZero() {
		fields[2].Value = p.ClusterTime
	}
	if p.EventID != "" {
		fields = append(fields, kv("eventId", p.EventID))
	}
	return fields
}

func scopeFields(s store.Scope) bson.D {
	collections := make(bson.A, 0, len(s.Collections))
	for _, name := range s.Collections {
		collections = append(collections, name)
	}
	return bson.D{
		kv("deployment", s.Deployment),
		kv("db", s.Database),
		kv("collections", collections),
		kv("hash", s.Hash),
	}
}

// expiry is the value of expiresAt for a checkpoint that is kept for lifetime.
func expiry(lifetime time.Duration) any {
	if lifetime <= 0 {
		return remove
	}
	return from(lifetime)
}

// noSeq stands for the seq of a write that is conditional on the term alone.
const noSeq = math.MaxInt64

// refusal tells why a write of a term matched no checkpoint. What it reads is on a majority, so
// that a take-over that is rolled back fences nobody; a take-over that is not there yet is waited
// for.
func (c *Checkpoints) refusal(ctx context.Context, id string, term, seq int64) error {
	const attempts = 10 // a second or so
	for attempt := range attempts {
		stored, err := c.db.find(ctx, c.collection, id, "majority")
		switch {
		case err != nil:
			return err
		case stored == nil:
			return store.ErrMissing
		case stored.int("term") > term, stored.int("term") == term && stored.int("seq") > seq:
			return store.ErrFenced
		}
		if pause(ctx, attempt) != nil {
			break
		}
	}
	return errUnsettled
}
