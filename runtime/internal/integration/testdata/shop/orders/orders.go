// Package orders bills what was ordered.
package orders

import (
	"context"
	"errors"

	fw "github.com/fwgen/fwgen/runtime"
	"go.mongodb.org/mongo-driver/v2/bson"
)

//go:generate go tool fwgen

// Order is a document of the collection orders.
type Order struct {
	ID     bson.ObjectID   `bson:"_id"`
	Status string          `bson:"status"`
	Total  bson.Decimal128 `bson:"total"`
}

// ErrInvalid says that an order can't be billed, however often one tries.
var ErrInvalid = errors.New("invalid order")

// OrderHandler bills new orders.
//
//fw:changestream collection=orders mode=single_leader retry=5 dlq
//fw:retry initial=200ms max=10s except=ErrInvalid
//fw:lease ttl=3s heartbeat=1s
type OrderHandler struct{ Billing *Billing }

// OnInsert bills an order.
func (h *OrderHandler) OnInsert(ctx context.Context, o *Order) error {
	return h.Billing.bill(o)
}

// OnUpdate notes what was paid.
func (h *OrderHandler) OnUpdate(ctx context.Context, o *Order, ev *fw.Event[Order]) error {
	ev.Set("changed", ev.Update.Changed("status"))
	if o.Status == "disputed" {
		return errors.New("somebody disputes it")
	}
	return h.Billing.note("update", o.ID, ev.Term, ev.Attempt)
}

// OnDelete notes what was withdrawn.
func (h *OrderHandler) OnDelete(ctx context.Context, ev *fw.Event[Order]) error {
	id, _ := ev.Key.Lookup("_id").ObjectIDOK()
	return h.Billing.note("delete", id, ev.Term, ev.Attempt)
}

// OnError leaves the decision to the directive.
func (h *OrderHandler) OnError(
	ctx context.Context, err error, ev *fw.Event[Order],
) fw.ErrorAction {
	return fw.ActionRethrow
}
