package storage

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

// Txn is a multi-document transaction. One operation at a time may use it; [Txn.Abort], Done and
// Err may be called beside it. An operation that fails does not end it: the caller aborts it.
type Txn struct {
	engine *Engine
	done   chan struct{}
	timer  *time.Timer // ends the transaction when its lifetime is over

	// These are guarded by the engine's mutex.
	draft *draft
	used  map[Namespace]bool
	locks []lock
	phase phase
}

// phase is what has become of a transaction.
type phase int

const (
	open phase = iota
	committed
	aborted
)

// Begin opens a transaction on a snapshot of what is committed now, so it is called with the
// transaction's first operation.
func (e *Engine) Begin(w Write) *Txn {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := &Txn{engine: e, done: make(chan struct{}), used: map[Namespace]bool{}}
	t.draft = e.draft(t, w)
	if e.closed {
		t.phase = aborted
		close(t.done)
		return t
	}
	e.open[t] = struct{}{}
	e.running.Add(1)
	t.timer = time.AfterFunc(e.lifetime, func() {
		defer e.running.Done()
		t.Abort()
	})
	return t
}

// View returns the snapshot with the transaction's own writes so far, for a command that uses
// these collections. From then on whoever wants to drop or change them waits for the end of the
// transaction. 246 SnapshotUnavailable where a collection is newer than the snapshot; 251 after
// the end.
func (t *Txn) View(ns ...Namespace) (View, error) {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	if err := t.ended(); err != nil {
		return View{}, err
	}
	for _, ns := range ns {
		if err := t.touch(ns); err != nil {
			return View{}, err
		}
	}
	return View{state: t.draft.now}, nil
}

// touch is the first use of a collection. Its definition is that of now, whatever it was at the
// time of the snapshot, and stays until the transaction ends.
func (t *Txn) touch(ns Namespace) error {
	if t.used[ns] {
		return nil
	}
	d := t.draft
	latest, mine := t.engine.state.Load().collection(ns), d.now.collection(ns)
	switch {
	case latest == nil:
		d.base, d.now = d.base.without(ns), d.now.without(ns)
	case latest.since.Compare(d.base.at) > 0:
		return mongoerr.New(mongoerr.SnapshotUnavailable, "Unable to read from a snapshot due to "+
			"pending collection catalog changes; please retry the operation. Snapshot timestamp "+
			"is Timestamp(%d, %d). Collection minimum is Timestamp(%d, %d)",
			d.base.at.T, d.base.at.I, latest.since.T, latest.since.I)
	case latest.definition != mine.definition:
		mine = mine.withDefinition(latest.definition)
		d.base, d.now = d.base.with(mine), d.now.with(mine)
	}
	t.used[ns] = true
	return nil
}

// Insert adds a document, which must have an _id (see [Engine.Prepare]), and creates the
// collection where there is none.
func (t *Txn) Insert(ns Namespace, doc bson.D) error {
	return t.do(func(d *draft) error { return d.insert(ns, doc) })
}

// Update puts an update's result in a record's place.
func (t *Txn) Update(ns Namespace, rec Record, r update.Result) error {
	return t.do(func(d *draft) error { return d.update(ns, rec, r) })
}

// Delete removes a record.
func (t *Txn) Delete(ns Namespace, rec Record) error {
	return t.do(func(d *draft) error { return d.delete(ns, rec) })
}

// Create makes a collection, as [Engine.Create] does.
func (t *Txn) Create(ns Namespace, options bson.D) error {
	return t.do(func(d *draft) error { return d.createExplicitly(ns, options) })
}

// CreateIndexes makes indexes on a collection that the transaction made or makes by it. 263 where
// it existed and lacks one.
func (t *Txn) CreateIndexes(ns Namespace, specs []bson.D) (counts IndexCounts, err error) {
	err = t.do(func(d *draft) (err error) {
		counts, err = d.createIndexes(ns, specs)
		return err
	})
	return counts, err
}

func (t *Txn) do(write func(d *draft) error) error {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	if err := t.ended(); err != nil {
		return err
	}
	return write(t.draft)
}

// SetBypassValidation says whether the writes from now on may be what a validator refuses.
func (t *Txn) SetBypassValidation(bypass bool) {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	t.draft.write.BypassValidation = bypass
}

// Commit makes all writes visible at one cluster time, which it returns. A transaction without
// writes returns the time of the last commit. 251 where the transaction has been aborted, 112
// where a collection that it made has been made by another, which aborts it.
func (t *Txn) Commit() (bson.Timestamp, error) {
	e := t.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := t.ended(); err != nil {
		return bson.Timestamp{}, err
	}
	for _, c := range t.draft.changes {
		if c.entry.Op == OpCreate && e.state.Load().collection(c.entry.NS) != nil {
			t.end(aborted)
			return bson.Timestamp{}, writeConflict()
		}
	}
	at := e.ClusterTime()
	if len(t.draft.changes) > 0 {
		at = e.commit(t.draft.changes, true)
	}
	t.end(committed)
	return at, nil
}

// Abort forgets the writes. It may be called at any time, also more than once, and does nothing
// after the commit.
func (t *Txn) Abort() {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	t.end(aborted)
}

// end frees what the transaction holds and wakes those who wait for it. The caller holds the
// mutex.
func (t *Txn) end(how phase) {
	if t.phase != open {
		return
	}
	t.phase = how
	for _, l := range t.locks {
		delete(t.engine.locks, l)
	}
	delete(t.engine.open, t)
	t.engine.forget()
	t.draft = &draft{write: t.draft.write}
	if t.timer.Stop() {
		t.engine.running.Done()
	}
	close(t.done)
}

// Done is closed when the transaction has ended, by whatever.
func (t *Txn) Done() <-chan struct{} { return t.done }

// Err is nil while the transaction is open. After that it says why it can no longer be used: 251
// after an abort, whoever made it, 256 after the commit.
func (t *Txn) Err() error {
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	return t.ended()
}

func (t *Txn) ended() error {
	number := int64(0)
	if n := t.draft.write.TxnNumber; n != nil {
		number = *n
	}
	switch t.phase {
	case aborted:
		return mongoerr.New(mongoerr.NoSuchTransaction,
			"Transaction with { txnNumber: %d } has been aborted.", number)
	case committed:
		return mongoerr.New(mongoerr.TransactionCommitted,
			"Transaction with { txnNumber: %d } has been committed.", number)
	case open:
	}
	return nil
}
