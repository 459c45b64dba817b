package storage

import (
	"cmp"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/update"
)

// Op is what an oplog entry tells.
type Op int

// The operations.
const (
	OpNoop Op = iota
	OpInsert
	OpUpdate
	OpReplace
	OpDelete
	OpCreate
	OpCreateIndexes // Detail has the indexes
	OpDropIndexes   // Detail has the indexes
	OpDrop
	OpDropDatabase // NS.Collection is empty
	OpRename
	OpCollMod
)

// Position is a place in the oplog.
type Position struct {
	TS       bson.Timestamp
	TxnIndex int
}

// Before returns the position from which everything at a cluster time and later is still to come.
func Before(ts bson.Timestamp) Position { return Position{TS: ts, TxnIndex: -1} }

// After returns the position that has everything of a cluster time behind it.
func After(ts bson.Timestamp) Position { return Position{TS: ts, TxnIndex: math.MaxInt} }

// Compare orders positions as the oplog does.
func (p Position) Compare(q Position) int {
	return cmp.Or(p.TS.Compare(q.TS), cmp.Compare(p.TxnIndex, q.TxnIndex))
}

// Entry is a change in the oplog. Entries are shared: nobody may change one.
type Entry struct {
	TS       bson.Timestamp
	TxnIndex int // place within a transaction, from 0; 0 outside of one
	InTxn    bool
	Wall     bson.DateTime
	Op       Op
	NS       Namespace
	UUID     bson.Binary // the collection's; zero for a no-op and a dropped database

	DocumentKey bson.D             // {_id: …}, of changes of documents
	Doc         bson.D             // OpInsert, OpReplace: the whole new document
	Desc        update.Description // OpUpdate

	// Before and After are the images of a change of a document, kept always. HasImages says
	// whether the collection recorded them (changeStreamPreAndPostImages) at that time.
	Before, After bson.D
	HasImages     bool

	To         Namespace   // OpRename
	DropTarget bson.Binary // OpRename: the UUID of the collection that was in the way, or zero

	// Detail is the operationDescription of an expanded event, StateBefore its
	// stateBeforeChange.
	Detail      bson.D
	StateBefore bson.D

	LSID      bson.D // of retryable writes and transactions
	TxnNumber *int64
	StmtID    int32
}

// Position returns the entry's place.
func (e *Entry) Position() Position { return Position{TS: e.TS, TxnIndex: e.TxnIndex} }
