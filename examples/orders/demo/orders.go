package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/examples/orders/bank"
)

// kind is what an order is meant to meet.
type kind int

const (
	plain      kind = iota // billed at once
	flaky                  // billed at the third attempt
	declined               // a dead letter: the handler fails for good
	unreadable             // a dead letter: it can't be decoded
)

// rhythm is the time between two orders of the customers.
const rhythm = 15 * time.Millisecond

// customers order.
type customers struct {
	orders *mongo.Collection

	mu      sync.Mutex // guards written
	written map[string]kind
}

// order writes the next order and returns its id.
func (c *customers) order(ctx context.Context, k kind) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprintf("A-%04d", len(c.written)+1)
	doc := bson.M{"_id": id, "card": "4000-0000-0000-9995", "total": bson.NewDecimal128(0, 1999)}
	switch k {
	case flaky:
		doc["card"] = bank.Flaky
	case declined:
		doc["card"] = bank.Expired
	case unreadable:
		doc["total"] = "nineteen ninety-nine"
	}
	if _, err := c.orders.InsertOne(ctx, doc); err != nil {
		return "", fmt.Errorf("write order %s: %w", id, err)
	}
	c.written[id] = k
	return id, nil
}

// keepOrdering writes one order after another until enough is closed.
func (c *customers) keepOrdering(ctx context.Context, enough <-chan struct{}) error {
	next := time.NewTicker(rhythm)
	defer next.Stop()
	for {
		select {
		case <-next.C:
		case <-enough:
			return nil
		}
		if _, err := c.order(ctx, plain); err != nil {
			return err
		}
	}
}

// all returns what was written so far.
func (c *customers) all() map[string]kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]kind{}
	for id, k := range c.written {
		all[id] = k
	}
	return all
}
