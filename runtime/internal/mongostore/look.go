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
	found, err := l.db.findTimed(ctx, l.collection, 1, bson.D{kv("_id", stream)})
	if err != nil {
		return store.Lease{}, fmt.Errorf("look at lease %q: %w", stream, err)
	}
	if len(found) == 0 {
		return store.Lease{Stream: stream}, nil
	}
	return lease(stream, found[0].sub("document"), found[0].time("now")), nil
}
