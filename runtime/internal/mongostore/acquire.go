package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Acquire implements [store.Leases]. An attempt that is refused writes nothing, unless it is
// announced.
func (l *Leases) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	stored, at, err := l.db.modify(ctx, modification{
		collection: l.collection,
		id:         req.Stream,
		pipeline:   append(grant(req), announce(req)...),
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
	next := op("$add", whole("$term"), int64(1))
	return when(or(free, termTooSmall),
		kv("instanceId", literal(req.Owner)),
		kv("term", bson.D{kv("$toLong", op("$max", next, req.MinTerm))}),
		kv("acquiredAt", now),
		kv("heartbeatAt", now),
		kv("expiresAt", from(req.TTL)),
		kv("ttlMs", milliseconds(req.TTL)),
		kv("priority", req.Priority),
		kv("instance", instanceFields(req.Instance)),
		kv("released", remove),
		kv("contender", remove),
	)
}

// announce makes the asker of a lease that was not granted its contender, where that has a chance.
func announce(req store.AcquireRequest) bson.A {
	return when(
		and(
			leaseLive, not(leaseFree), not(leaseHeld),
			not(eq("$instanceId", literal(req.Owner))),
			lt(orElse("$priority", 0), req.Priority),
			or(
				not(gt("$contender.expiresAt", now)),
				eq("$contender.instanceId", literal(req.Owner)),
				lt(orElse("$contender.priority", 0), req.Priority),
			),
		),
		kv("contender", bson.D{
			kv("instanceId", literal(req.Owner)),
			kv("priority", req.Priority),
			kv("expiresAt", from(req.TTL/2)),
			kv("instance", instanceFields(req.Instance)),
		}),
	)
}

func instanceFields(i store.Instance) bson.D {
	return literal(bson.D{
		kv("name", i.Name), kv("host", i.Host), kv("pid", i.PID), kv("process", i.Process),
	})
}
