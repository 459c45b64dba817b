package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Acquire implements [store.Leases]. An attempt that is refused writes nothing.
func (l *Leases) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	stored, at, err := l.db.modify(ctx, modification{
		collection: l.collection,
		id:         req.Stream,
		pipeline:   grant(req),
		upsert:     true,
	})
	if err != nil {
		return store.Lease{}, fmt.Errorf("acquire lease %q: %w", req.Stream, err)
	}
	return lease(req.Stream, stored, at), nil
}

// grant is the decision and its effect. Whoever is granted a lease gets a new term, also the owner
// that had it last: between the two others may have led.
func grant(req store.AcquireRequest) bson.A {
	free := and(leaseFree, not(leaseHeld))
	termTooSmall := and(leaseOf(req.Owner, req.Term), leaseLive, lt("$term", req.MinTerm))
	next := op("$add", orElse("$term", int64(0)), int64(1))
	return when(or(free, termTooSmall),
		kv("instanceId", literal(req.Owner)),
		kv("term", bson.D{kv("$toLong", op("$max", next, req.MinTerm))}),
		kv("acquiredAt", now),
		kv("heartbeatAt", now),
		kv("expiresAt", from(req.TTL)),
		kv("ttlMs", milliseconds(req.TTL)),
		kv("priority", req.Priority),
		kv("instance", literal(bson.D{
			kv("name", req.Instance.Name),
			kv("host", req.Instance.Host),
			kv("pid", req.Instance.PID),
			kv("process", req.Instance.Process),
		})),
		kv("released", remove),
	)
}
