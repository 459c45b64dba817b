package mongostore

import (
	"context"
	"fmt"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/store"
)

// DeadLetters stores events that could not be handled, in transactions that a stale leader can't
// commit. It is safe for concurrent use; letters of one checkpoint are written one after another.
type DeadLetters struct {
	db          commands
	checkpoints *Checkpoints

	mu      sync.Mutex
	writers map[string]*writer // by checkpoint; guarded by mu
}

// writer returns the one writer of a checkpoint's dead letters.
func (d *DeadLetters) writer(checkpoint string) *writer {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, ok := d.writers[checkpoint]
	if !ok {
		w = &writer{letters: d, checkpoint: checkpoint, turn: make(chan struct{}, 1)}
		d.writers[checkpoint] = w
	}
	return w
}

// Write implements [store.DeadLetterWriter].
func (d *DeadLetters) Write(
	ctx context.Context, fence store.Fence, l store.DeadLetter,
) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := d.writer(fence.Checkpoint).write(ctx, fence.Term, l); err != nil {
		return fmt.Errorf("write dead letter %q to %s: %w", l.ID, l.Collection, explained(err))
	}
	return nil
}

// upsert is the command that stores a row, or adds an attempt to the one that is there.
//
// The filter is the _id alone: with the status in it, a row that is resolved would not match, and
// its upsert would be a duplicate key, which aborts the transaction.
func upsert(l store.DeadLetter, row letter.Row) bson.D {
	command := updateCommand(l.Collection, bson.D{kv("_id", l.ID)}, rowPipeline(l, row))
	statement := command[1].Value.(bson.A)[0].(bson.D)
	command[1].Value = bson.A{append(statement, kv("upsert", true))}
	return command
}

func rowPipeline(l store.DeadLetter, row letter.Row) bson.A {
	open := or(
		eq(op("$type", "$createdAt"), "missing"),
		eq("$status", string(letter.Pending)),
	)
	gone := bson.D{}
	for _, key := range row.Absent {
		gone = append(gone, kv(key, cond(open, remove, "$"+key)))
	}
	content := op("$mergeObjects", "$$ROOT", "$$row", bson.D{
		kv("status", string(letter.Pending)),
		kv("createdAt", orElse("$createdAt", now)),
		kv("expiresAt", retained(l)),
	})
	stages := bson.A{}
	if len(gone) > 0 {
		stages = append(stages, bson.D{kv("$set", gone)})
	}
	return append(stages,
		bson.D{kv("$replaceWith", bson.D{kv("$let", bson.D{
			kv("vars", bson.D{kv("row", literal(row.Content))}),
			kv("in", cond(open, content, "$$ROOT")),
		})})},
		bson.D{kv("$set", bson.D{kv("history", history(row))})},
	)
}

// history is all attempts for a new row. It appends the last one to that of a row that is there,
// unless it is there already: a write whose outcome was unknown is repeated as it was.
func history(row letter.Row) bson.D {
	known := cond(bson.D{kv("$isArray", bson.A{"$history"})}, "$history", literal(row.Earlier))
	appended := op("$concatArrays", "$$known", bson.A{"$$attempt"})
	return bson.D{kv("$let", bson.D{
		kv("vars", bson.D{kv("known", known), kv("attempt", literal(row.Attempt))}),
		kv("in", cond(
			eq(op("$arrayElemAt", "$$known", -1), "$$attempt"),
			"$$known",
			op("$slice", appended, -letter.HistoryLength),
		)),
	})}
}

// retained is the value of expiresAt. Zero is the default of the field's owner, not this one's.
func retained(l store.DeadLetter) any {
	if l.Retention <= 0 {
		return nil
	}
	return from(l.Retention)
}
