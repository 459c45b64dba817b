package storage

import (
	"sort"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Oplog is the list of all changes in the order of their commits. Its window may be bounded: the
// oldest entries are forgotten, and positions before them are lost.
type Oplog struct {
	mu        sync.Mutex
	entries   []Entry       // never empty; those that were handed out are not written again
	truncated bool          // something has been forgotten
	window    int           // the bound; 0 is none
	changed   chan struct{} // nil while nobody waits
}

// Since returns the entries behind a position, in order. The slice is shared: it is not to be
// changed. Lost says that the position is before the oldest entry and some were forgotten, so
// that nobody knows what came after it.
//
// A reader that waits takes [Oplog.Changed] first, then calls Since, then waits.
func (o *Oplog) Since(p Position) (entries []Entry, lost bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.truncated && p.TS.Compare(o.entries[0].TS) < 0 {
		return nil, true
	}
	n := len(o.entries)
	i := sort.Search(n, func(i int) bool { return o.entries[i].Position().Compare(p) > 0 })
	return o.entries[i:n:n], false
}

// Changed returns a channel that is closed when something is appended after the call.
func (o *Oplog) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// First returns the cluster time of the oldest entry.
func (o *Oplog) First() bson.Timestamp {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entries[0].TS
}

// Last returns the cluster time of the newest entry.
func (o *Oplog) Last() bson.Timestamp {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entries[len(o.entries)-1].TS
}

// Truncate forgets all but the newest entries. It keeps at least the last one, and transactions
// as a whole.
func (o *Oplog) Truncate(keep int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.truncate(keep)
}

// SetWindow bounds the number of entries from now on; 0 lifts the bound.
func (o *Oplog) SetWindow(entries int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.window = entries
	o.bound()
}

// append adds the entries of a commit and wakes who waits.
func (o *Oplog) append(entries ...Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, entries...)
	o.bound()
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

func (o *Oplog) bound() {
	if o.window > 0 {
		o.truncate(o.window)
	}
}

// truncate cuts the front off. The memory goes with the next growth of the slice, which copies
// what is left.
func (o *Oplog) truncate(keep int) {
	cut := min(len(o.entries)-keep, len(o.entries)-1)
	for cut > 0 && o.entries[cut].TxnIndex > 0 {
		cut--
	}
	if cut > 0 {
		o.entries = o.entries[cut:]
		o.truncated = true
	}
}
