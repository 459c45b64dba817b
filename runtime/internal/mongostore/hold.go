package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Hold implements [store.Leases]. A stream without a lease gets a document that has only a hold.
func (l *Leases) Hold(ctx context.Context, req store.HoldRequest) error {
	hold := bson.D{
		kv("by", literal(req.By)), kv("reason", literal(req.Reason)), kv("at", now),
	}
	if !req.Until.IsZero() {
		hold = append(hold, kv("until", req.Until))
	}
	// Replaced, not merged with a hold that may have an end.
	set := append(pipeline(kv("hold", remove)), pipeline(kv("hold", hold))...)
	return l.change(ctx, "hold", modification{id: req.Stream, upsert: true, pipeline: set})
}

// Lift implements [store.Leases].
func (l *Leases) Lift(ctx context.Context, stream string) error {
	return l.change(ctx, "lift the hold of", modification{
		id: stream, pipeline: pipeline(kv("hold", remove)),
	})
}

// Withdraw implements [store.Leases].
func (l *Leases) Withdraw(ctx context.Context, req store.WithdrawRequest) error {
	return l.change(ctx, "withdraw from", modification{
		id: req.Stream,
		pipeline: when(eq("$contender.instanceId", literal(req.Owner)),
			kv("contender", remove)),
	})
}

func (l *Leases) change(ctx context.Context, verb string, m modification) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	m.collection = l.collection
	if _, _, err := l.db.modify(ctx, m); err != nil {
		return fmt.Errorf("%s lease %q: %w", verb, m.id, err)
	}
	return nil
}
