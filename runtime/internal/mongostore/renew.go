package mongostore

import (
	"context"
	"fmt"

	"github.com/fwgen/fwgen/runtime/store"
)

// Renew implements [store.Leases].
func (l *Leases) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	stored, at, err := l.db.modify(ctx, modification{
		collection: l.collection,
		id:         req.Stream,
		pipeline: when(and(leaseOf(req.Owner, req.Term), leaseLive),
			kv("heartbeatAt", now),
			kv("expiresAt", from(req.TTL)),
			kv("ttlMs", milliseconds(req.TTL)),
		),
	})
	if err != nil {
		return store.Lease{}, fmt.Errorf("renew lease %q: %w", req.Stream, err)
	}
	return lease(req.Stream, stored, at), nil
}
