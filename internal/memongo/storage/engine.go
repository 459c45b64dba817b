package storage

import (
	"sync"
	"sync/atomic"
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

const (
	defaultTransactionLifetime = time.Minute
	defaultTTLMonitorInterval  = time.Minute
)

// Engine holds the data. Its methods may be called at any time from any goroutine.
type Engine struct {
	oplog *Oplog
	state atomic.Pointer[state] // replaced under mu
	over  chan struct{}         // closed from the beginning

	mu       sync.Mutex // guards what follows; held for short, never while waiting
	clock    clock
	locks    map[lock]*Txn
	open     map[*Txn]struct{}
	lifetime time.Duration
	closed   bool

	freed      map[lock]bson.Timestamp // see remember
	remembered int                     // how many there were when they were last looked through

	closing     chan struct{} // closed by Close
	ttlInterval chan time.Duration
	running     sync.WaitGroup // the monitors, and transactions' timers that have not been stopped
}

// New returns an empty engine. The caller must close it.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.TransactionLifetime == 0 {
		o.TransactionLifetime = defaultTransactionLifetime
	}
	if o.TTLMonitorInterval == 0 {
		o.TTLMonitorInterval = defaultTTLMonitorInterval
	}
	e := &Engine{
		oplog:       &Oplog{window: o.OplogEntries},
		over:        make(chan struct{}),
		clock:       clock{now: o.Now},
		locks:       map[lock]*Txn{},
		open:        map[*Txn]struct{}{},
		freed:       map[lock]bson.Timestamp{},
		lifetime:    o.TransactionLifetime,
		closing:     make(chan struct{}),
		ttlInterval: make(chan time.Duration),
	}
	close(e.over)
	e.state.Store(&state{})
	e.Noop("initiating set") // so that there is a last cluster time
	e.running.Go(func() { e.monitorTTL(o.TTLMonitorInterval) })
	if o.NoopInterval > 0 {
		e.running.Go(func() { e.monitorIdleness(o.NoopInterval) })
	}
	return e
}

// Close aborts the open transactions, ends the engine's goroutines and waits for them. What was
// committed can still be read.
func (e *Engine) Close() {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.closing)
	}
	for t := range e.open {
		t.end(aborted)
	}
	e.mu.Unlock()
	e.running.Wait()
}

// Oplog returns the list of changes.
func (e *Engine) Oplog() *Oplog { return e.oplog }

// ClusterTime returns the time of the last commit.
func (e *Engine) ClusterTime() bson.Timestamp { return e.state.Load().at }

// Gossip takes over a cluster time that a client has from elsewhere, so that the next write is
// later, and returns the latest that is known.
func (e *Engine) Gossip(told bson.Timestamp) bson.Timestamp {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clock.observed = later(e.clock.observed, told)
	return later(e.clock.observed, e.state.Load().at)
}

// Noop appends a no-op to the oplog with a message and returns its cluster time.
func (e *Engine) Noop(message string) bson.Timestamp {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.commit([]change{{entry: Entry{
		Op: OpNoop, Detail: bson.D{{Key: "msg", Value: message}},
	}}}, false)
}

// SetTransactionLifetime changes the lifetime of transactions that begin from now on.
func (e *Engine) SetTransactionLifetime(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lifetime = d
}

// draft returns an empty one. The caller holds the mutex.
func (e *Engine) draft(owner *Txn, w Write) *draft {
	now := e.state.Load()
	return &draft{engine: e, owner: owner, write: w, base: now, now: now}
}

// busy returns a Busy where an open transaction has used a namespace whose definition is to
// change. The caller holds the mutex.
func (e *Engine) busy(concerned func(Namespace) bool) error {
	for t := range e.open {
		for ns := range t.used {
			if concerned(ns) {
				return &Busy{Done: t.done}
			}
		}
	}
	return nil
}
