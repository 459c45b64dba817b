package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Look implements [store.Leases]. It tells what a majority has.
func (l *Leases) Look(ctx context.Context, stream string) (store.Lease, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	answer, err := l.db.run(ctx, bson.D{
		kv("find", l.collection),
		kv("filter", bson.D{kv("_id", stream)}),
		kv("projection", withTime),
		kv("limit", 1), kv("singleBatch", true),
		kv("readConcern", bson.D{kv("level", "majority")}),
	})
	var found document
	if err == nil {
		found, err = firstOf(answer)
	}
	if err != nil {
		return store.Lease{}, fmt.Errorf("look at lease %q: %w", stream, err)
	}
	return lease(stream, found.sub("document"), found.time("now")), nil
}
