package storage

import (
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Oplog is the list of all changes in the order of their commits. Its window may be bounded: the
// oldest entries are forgotten, and positions before them are lost.
type Oplog struct {
	mu      sync.Mutex
	entries []Entry
	changed chan struct{}
}

// Since returns the entries behind a position, in order. The slice is shared: it is not to be
// changed. Lost says that the position is before the oldest entry and some were forgotten, so
// that nobody knows what came after it.
//
// A reader that waits takes [Oplog.Changed] first, then calls Since, then waits.
func (o *Oplog) Since(p Position) (entries []Entry, lost bool) { return nil, false }

// Changed returns a channel that is closed when something is appended after the call.
func (o *Oplog) Changed() <-chan struct{} { return o.changed }

// First returns the cluster time of the oldest entry.
func (o *Oplog) First() bson.Timestamp { return bson.Timestamp{} }

// Last returns the cluster time of the newest entry.
func (o *Oplog) Last() bson.Timestamp { return bson.Timestamp{} }

// Truncate forgets all but the newest entries. It keeps at least the last one, and transactions
// as a whole.
func (o *Oplog) Truncate(keep int) {}

// SetWindow bounds the number of entries from now on; 0 lifts the bound.
func (o *Oplog) SetWindow(entries int) {}
