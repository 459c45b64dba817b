package mongostore

import (
	"context"
	"fmt"

	"github.com/fwgen/fwgen/runtime/store"
)

// Renew implements [store.Leases].
//
// A server fixes $$NOW when a command comes, and may run it after one that came later: a renewal
// whose caller has given up must not shorten the lease that the next one has extended, which the
// owner trusts. One that ends later than that comes of a clock that was set back since.
func (l *Leases) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	stored, at, err := l.db.modify(ctx, modification{
		collection: l.collection,
		id:         req.Stream,
		pipeline: when(and(leaseOf(req.Owner, req.Term), leaseLive),
			kv("heartbeatAt", now),
			kv("expiresAt", cond(lte("$expiresAt", from(2*req.TTL)),
				op("$max", "$expiresAt", from(req.TTL)), from(req.TTL))),
			kv("ttlMs", milliseconds(req.TTL)),
		),
	})
	if err != nil {
		return store.Lease{}, fmt.Errorf("renew lease %q: %w", req.Stream, err)
	}
	return lease(req.Stream, stored, at), nil
}
