// Package shop has what surrounds the handler in a story about it: customers who order, and what
// they and the handler leave in the database.
package shop

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/examples/orders/bank"
)

// Kind is what an order is meant to meet.
type Kind int

// The kinds.
const (
	Plain      Kind = iota // billed at once
	Flaky                  // billed at the third attempt
	Declined               // a dead letter: the handler fails for good
	Unreadable             // a dead letter: it can't be decoded
	Panics                 // a dead letter: the handler panics at every attempt
)

// Rhythm is the time between two orders of [Customers.KeepOrdering].
const Rhythm = 15 * time.Millisecond

// Customers order.
type Customers struct {
	orders *mongo.Collection

	mu      sync.Mutex // guards what follows
	written map[string]Kind
	times   map[bson.Timestamp]string // the orders by the cluster time of their events
}

// NewCustomers returns customers who have not ordered yet.
func NewCustomers(db *mongo.Database) *Customers {
	return &Customers{
		orders: db.Collection("orders"), written: map[string]Kind{},
		times: map[bson.Timestamp]string{},
	}
}

// Order writes the next order and returns its id.
func (c *Customers) Order(ctx context.Context, k Kind) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprintf("A-%04d", len(c.written)+1)
	doc := bson.M{"_id": id, "card": "4000-0000-0000-9995", "total": bson.NewDecimal128(0, 1999)}
	switch k {
	case Flaky:
		doc["card"] = bank.Flaky
	case Declined:
		doc["card"] = bank.Expired
	case Panics:
		doc["card"] = bank.Broken
	case Unreadable:
		doc["total"] = "nineteen ninety-nine"
	}
	var at bson.Timestamp
	err := c.orders.Database().Client().UseSession(ctx, func(ctx context.Context) error {
		_, err := c.orders.InsertOne(ctx, doc)
		if t := mongo.SessionFromContext(ctx).OperationTime(); t != nil {
			at = *t
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write order %s: %w", id, err)
	}
	c.written[id], c.times[at] = k, id
	return id, nil
}

// KeepOrdering writes one order after another until enough is closed.
func (c *Customers) KeepOrdering(ctx context.Context, enough <-chan struct{}) error {
	next := time.NewTicker(Rhythm)
	defer next.Stop()
	for {
		select {
		case <-next.C:
		case <-enough:
			return nil
		}
		if _, err := c.Order(ctx, Plain); err != nil {
			return err
		}
	}
}

// All returns what was written so far.
func (c *Customers) All() map[string]Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.written)
}

// Of returns the order that an event is about.
func (c *Customers) Of(event string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.times[ClusterTime(event)]
}

// ClusterTime reads the time of an event from its id, which begins with it.
func ClusterTime(event string) (t bson.Timestamp) {
	_, _ = fmt.Sscanf(event, "%d.%d-", &t.T, &t.I) // zero where it does not: judged as early
	return t
}
