package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Release implements [store.Leases]. The term stays in the document: the next owner's is above it.
func (l *Leases) Release(ctx context.Context, req store.ReleaseRequest) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	before, _, err := l.db.modify(ctx, modification{
		collection: l.collection,
		id:         req.Stream,
		before:     true,
		pipeline: when(leaseOf(req.Owner, req.Term),
			kv("instanceId", nil),
			kv("expiresAt", now),
			kv("released", bson.D{kv("reason", literal(string(req.Reason))), kv("at", now)}),
		),
	})
	if err != nil {
		return fmt.Errorf("release lease %q: %w", req.Stream, err)
	}
	term := before.lookup("term")
	if before.str("instanceId") != req.Owner || !term.IsNumber() || before.int("term") != req.Term {
		return fmt.Errorf("release lease %q: %w", req.Stream, store.ErrNotOwner)
	}
	return nil
}
