// Package bank stands in for a payment service. Like the test mode of a real one, it decides by
// the card's number what happens.
package bank

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Cards with a fate of their own. All others are charged.
const (
	Flaky   = "4000-0000-0000-0002" // the bank does not answer the first two times
	Expired = "4000-0000-0000-0069" // always declined
	Broken  = "4000-0000-0000-0119" // the bank's client panics
)

// Errors of a charge.
var (
	ErrNoAnswer = errors.New("the bank does not answer") // may work later
	ErrDeclined = errors.New("card declined")            // never will
)

// Bank charges cards.
type Bank struct {
	mu    sync.Mutex     // guards tries
	tries map[string]int // of charges to flaky cards, by key
}

// Charge charges a card. The key names the charge: repeating it does not charge again.
func (b *Bank) Charge(_ context.Context, key, card string, amount bson.Decimal128) error {
	switch {
	case amount.IsNaN():
		return fmt.Errorf("charge %s: no amount", amount)
	case card == Expired:
		return ErrDeclined
	case card == Broken:
		panic("no terminal for card " + card)
	case card == Flaky && b.count(key) <= 2:
		return ErrNoAnswer
	}
	return nil
}

// count returns how often the charge was tried, this time included.
func (b *Bank) count(key string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tries == nil {
		b.tries = map[string]int{}
	}
	b.tries[key]++
	return b.tries[key]
}
