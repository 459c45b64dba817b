package store

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Checkpoints keeps one position per stream (in mode all_instances one per stream and instance),
// with the highest term that was shown to it.
//
// Implementations are safe for concurrent use. Every call ends by the deadline of its context.
type Checkpoints interface {
	// Raise raises the term of a checkpoint to term and returns the checkpoint as it was before,
	// in one step; a checkpoint that did not exist is made and returned zero. From then on every
	// write of a smaller term is refused. It changes nothing but the term, and nothing at all
	// where the stored term is not smaller: the caller sees that in the answer's Term, and must
	// then not lead under term.
	//
	// A write that an earlier leader began must not keep Raise waiting beyond its context.
	Raise(ctx context.Context, id string, term int64) (Checkpoint, error)

	// Mint raises the term of a checkpoint by one, without a lease, for a stream that runs on
	// every instance. It returns the checkpoint with its new term. lifetime is how long an unused
	// checkpoint is kept, by the server's clock.
	Mint(ctx context.Context, id, owner string, lifetime time.Duration) (Checkpoint, error)

	// Save stores a position. It takes effect if the stored term is smaller than Save.Term, or
	// equal with a stored seq of at most Save.Seq: neither a stale leader nor a delayed save of
	// one's own moves a position back. It returns [ErrFenced] or [ErrMissing] if it did not.
	// A save whose outcome is unknown is repeated as it was.
	Save(ctx context.Context, save Save) error
}

// Checkpoint is the stored state of a stream's position.
type Checkpoint struct {
	ID       string
	Term     int64 // 0: there was none
	Seq      int64
	Owner    string
	Position Position // zero: none stored yet
	Scope    Scope
}

// Save is one position to store.
type Save struct {
	ID       string
	Term     int64
	Seq      int64
	Owner    string
	Position Position
	Scope    Scope
	Lifetime time.Duration // how long it is kept unused; 0: for ever
}

// Position is a place in a change stream. It means: everything up to here is settled.
type Position struct {
	Token       bson.Raw       // a resume token; empty: no position
	Kind        PositionKind   // what the token belongs to
	ClusterTime bson.Timestamp // zero if unknown
	EventID     string         // of the last settled event, where Kind is PositionEvent
}

// IsZero reports whether there is no position.
func (p Position) IsZero() bool { return len(p.Token) == 0 }

// PositionKind says what the token of a position belongs to.
type PositionKind string

// The kinds, as they are stored.
const (
	PositionEvent      PositionKind = "event"      // a settled event
	PositionIdle       PositionKind = "idle"       // a post-batch resume token
	PositionStart      PositionKind = "start"      // where a new stream began
	PositionInvalidate PositionKind = "invalidate" // the end of a stream's collection
)

// Scope says what a position is a position of. Another deployment, collection, pipeline or option
// makes another scope.
type Scope struct {
	Deployment  string // identity of the replica set or sharded cluster; "" unknown
	Database    string
	Collections []string
	Hash        string // of the pipeline and the options
}
