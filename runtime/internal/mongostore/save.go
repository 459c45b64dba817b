package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// errUnsettled says that a write matched nothing although a majority has seen nothing that forbids
// it: the checkpoint changed at the same time. The caller repeats.
var errUnsettled = errors.New("the checkpoint changed at the same time")

// Save implements [store.Checkpoints].
func (c *Checkpoints) Save(ctx context.Context, save store.Save) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var matched int64
	err := c.unblocked(ctx, save.ID, save.Term, func() (err error) {
		matched, err = c.db.update(ctx, c.collection, saveable(save), saved(save))
		return err
	})
	if err == nil && matched == 0 {
		err = c.refusal(ctx, save.ID, save.Term, save.Seq)
	}
	if err != nil {
		return fmt.Errorf("save checkpoint %q of term %d: %w", save.ID, save.Term, err)
	}
	return nil
}

// saveable matches the checkpoint while the save may take effect. The negations also match a
// field that is missing.
func saveable(save store.Save) bson.D {
	return bson.D{
		kv("_id", save.ID),
		kv("$or", bson.A{
			bson.D{kv("term", bson.D{kv("$not", bson.D{kv("$gte", save.Term)})})},
			bson.D{
				kv("term", save.Term),
				kv("seq", bson.D{kv("$not", bson.D{kv("$gt", save.Seq)})}),
			},
		}),
	}
}

func saved(save store.Save) bson.A {
	return pipeline(
		kv("term", save.Term),
		kv("seq", save.Seq),
		kv("owner", literal(save.Owner)),
		kv("position", literal(positionFields(save.Position))),
		kv("scope", literal(scopeFields(save.Scope))),
		kv("updatedAt", now),
		kv("expiresAt", expiry(save.Lifetime)),
	)
}
