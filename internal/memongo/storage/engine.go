package storage

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Options are an engine's settings. The zero value is a server's default.
type Options struct {
	// Now is the clock for cluster times, wall times and TTL. Defaults to time.Now.
	Now func() time.Time

	// OplogEntries bounds the oplog. Defaults to 0, no bound.
	OplogEntries int

	// TransactionLifetime is how long a transaction may stay open. Defaults to 60 s.
	TransactionLifetime time.Duration

	// TTLMonitorInterval is the time between two searches for expired documents. Defaults to
	// 60 s; negative: none.
	TTLMonitorInterval time.Duration

	// NoopInterval is how long nothing is written before a no-op is, so that idle change
	// streams move on. A server's is 10 s. Defaults to 0: never.
	NoopInterval time.Duration
}

// Engine holds the data. Its methods may be called at any time from any goroutine.
type Engine struct {
	oplog *Oplog
}

// New returns an empty engine. The caller must close it.
func New(o Options) *Engine { return &Engine{oplog: &Oplog{}} }

// Close aborts the open transactions, ends the engine's goroutines and waits for them.
func (e *Engine) Close() {}

// Oplog returns the list of changes.
func (e *Engine) Oplog() *Oplog { return e.oplog }

// ClusterTime returns the time of the last commit.
func (e *Engine) ClusterTime() bson.Timestamp { return bson.Timestamp{} }

// Noop appends a no-op to the oplog with a message and returns its cluster time.
func (e *Engine) Noop(message string) bson.Timestamp { return bson.Timestamp{} }

// SetTransactionLifetime changes the lifetime of transactions that begin from now on.
func (e *Engine) SetTransactionLifetime(d time.Duration) {}

// SetTTLMonitorInterval changes the time between two searches; negative ends them.
func (e *Engine) SetTTLMonitorInterval(d time.Duration) {}

// Expire deletes what TTL indexes say has expired by now, as the monitor does, and returns how
// many documents that were. Those that an open transaction has written stay for the next time.
func (e *Engine) Expire() int { return 0 }
