// Package billing bills the orders that arrive in MongoDB.
package billing

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/examples/orders/bank"
	fw "github.com/fwgen/fwgen/runtime"
)

//go:generate go tool fwgen

// Order is a document of the collection orders.
type Order struct {
	ID    string          `bson:"_id"`
	Card  string          `bson:"card"`
	Total bson.Decimal128 `bson:"total"`
}

// Handler charges new orders and writes a bill for each. A card that is declined is not tried
// again; a bank that does not answer is, up to five times in all. What can't be billed becomes a
// dead letter.
//
//fw:changestream collection=orders mode=single_leader retry=5 dlq
//fw:retry initial=200ms max=10s except=bank.ErrDeclined
type Handler struct {
	Bank  *bank.Bank
	Bills *mongo.Collection
}

// Bill is a document of the collection bills. Its id is that of the event: an order that is
// handled again after a crash, because nobody could know any more that it had been, gets no
// second bill.
type Bill struct {
	Event   string          `bson:"_id"`
	Order   string          `bson:"order"`
	Total   bson.Decimal128 `bson:"total"`
	Handled []Handled       `bson:"handled"` // once, or again after a crash
}

// Handled says who handled an order, and when.
type Handled struct {
	Term    int64     `bson:"term"` // of the leader
	Attempt int       `bson:"attempt"`
	At      time.Time `bson:"at"`
}

// OnInsert bills an order.
func (h *Handler) OnInsert(ctx context.Context, o *Order, ev *fw.Event[Order]) error {
	if err := h.Bank.Charge(ctx, ev.ID, o.Card, o.Total); err != nil {
		return fmt.Errorf("charge order %s: %w", o.ID, err)
	}
	bill := bson.M{
		"$setOnInsert": bson.M{"order": o.ID, "total": o.Total},
		"$push":        bson.M{"handled": Handled{ev.Term, ev.Attempt, time.Now()}},
	}
	_, err := h.Bills.UpdateByID(ctx, ev.ID, bill, options.UpdateOne().SetUpsert(true))
	if err != nil {
		return fmt.Errorf("write bill of order %s: %w", o.ID, err)
	}
	return nil
}
