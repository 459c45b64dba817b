package update

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
)

// Kind is how a change goes into the oplog, and so which operation its event names.
type Kind int

// The kinds of changes.
const (
	// Updated is a change that a [Description] tells.
	Updated Kind = iota
	// Replaced is a change that only the whole new document tells.
	Replaced
)

// Truncation says that an array lost its end.
type Truncation struct {
	Field   string
	NewSize int32
}

// Description is what an event's updateDescription says, in the server's order.
type Description struct {
	Updated   bson.D
	Removed   []string
	Truncated []Truncation
}

// Context is what an update is applied with.
type Context struct {
	// Vars holds the time for $currentDate and the variables of a pipeline.
	Vars *expr.Vars

	// Tick gives cluster times for timestamps that the server sets. Defaults to the one in Vars
	// for all.
	Tick func() bson.Timestamp

	// Position is the array index that the filter matched, for the operator `$`; -1 if none.
	Position int

	// Insert says that an upsert inserts, so that $setOnInsert applies.
	Insert bool
}

// Result is what an update made of a document.
type Result struct {
	// Doc is the new document. Where nothing changed it is the old one.
	Doc bson.D

	// Changed says whether the new document differs in any byte.
	Changed bool

	// Kind is how the change goes into the oplog.
	Kind Kind

	// Logged is the new document as a replacement wrote it, with the _id where it was given: an
	// event has it so. It is nil where the kind is Updated.
	Logged bson.D

	// Desc tells the change where its kind is Updated.
	Desc Description
}

func (c Context) timestamp() bson.Timestamp {
	if c.Tick != nil {
		return c.Tick()
	}
	return c.Vars.ClusterTime
}

func (c Context) complete() Context {
	if c.Vars == nil {
		c.Vars = &expr.Vars{}
	}
	return c
}
