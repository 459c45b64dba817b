package mongostore

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// Leases keeps the leases of streams. It is safe for concurrent use.
type Leases struct {
	db         commands
	collection string
}

// Conditions on a stored lease, evaluated by the server.
var (
	// leaseFree: nobody owns it. A document that a person damaged can be taken over: an owner that
	// is no text is none, and an expiry that is no date has passed, which is how they are read.
	leaseFree = or(
		not(eq(op("$type", "$instanceId"), "string")),
		eq("$instanceId", ""),
		not(leaseLive),
	)
	leaseLive = and(eq(op("$type", "$expiresAt"), "date"), gt("$expiresAt", now))

	// leaseHeld: somebody holds the stream, and no end of the hold has passed.
	leaseHeld = and(
		not(eq(orElse("$hold", nil), nil)),
		not(and(eq(op("$type", "$hold.until"), "date"), lte("$hold.until", now))),
	)
)

func leaseOf(owner string, term int64) bson.D {
	return and(eq("$instanceId", literal(owner)), eq("$term", term))
}

// from is the time ttl from now by the server's clock.
func from(ttl time.Duration) bson.D { return op("$add", now, milliseconds(ttl)) }

// milliseconds rounds up: a lease is never shorter than asked for.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// lease reads a stored lease as of an instant of the server's clock.
func lease(stream string, stored document, at time.Time) store.Lease {
	lease := store.Lease{
		Stream:    stream,
		Owner:     stored.str("instanceId"),
		Term:      stored.int("term"),
		TTL:       stored.milliseconds("ttlMs"),
		ExpiresIn: stored.left("expiresAt", at),
		Priority:  int(stored.int("priority")),
		Hold:      hold(stored, at),
		Released:  store.ReleaseReason(stored.sub("released").str("reason")),
		Instance:  instance(stored.sub("instance")),
	}
	lease.Contender = contender(stored.sub("contender"), lease.Priority, at)
	return lease
}

func instance(stored document) store.Instance {
	return store.Instance{
		Name:    stored.str("name"),
		Host:    stored.str("host"),
		PID:     int(stored.int("pid")),
		Process: stored.str("process"),
	}
}

// contender reads who asks for a lease whose owner has a priority. Nobody does whose announcement
// has lapsed.
func contender(stored document, priority int, at time.Time) *store.Contender {
	c := &store.Contender{
		Owner:     stored.str("instanceId"),
		Priority:  int(stored.int("priority")),
		Instance:  instance(stored.sub("instance")),
		ExpiresIn: stored.left("expiresAt", at),
	}
	if c.Owner == "" || c.ExpiresIn <= 0 || c.Priority <= priority {
		return nil
	}
	return c
}

// hold reads the hold of a stored lease, by the same rule as leaseHeld.
func hold(stored document, at time.Time) *store.Hold {
	value := stored.lookup("hold")
	if value.IsZero() || value.Type == bson.TypeNull || value.Type == bson.TypeUndefined {
		return nil
	}
	fields := stored.sub("hold")
	hold := &store.Hold{
		By:     fields.str("by"),
		Reason: fields.str("reason"),
		At:     fields.time("at"),
		Until:  fields.time("until"),
	}
	if !hold.Until.IsZero() {
		hold.ExpiresIn = hold.Until.Sub(at)
		if hold.ExpiresIn <= 0 {
			return nil
		}
	}
	return hold
}
