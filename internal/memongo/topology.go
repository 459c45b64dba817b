package memongo

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// topology is what the one node knows of its replica set: whether it is the primary. It loses
// that by a step-down and elects itself again when the time of the step-down is over.
type topology struct {
	process bson.ObjectID

	mu       sync.Mutex // guards what follows
	counter  int64      // of topologyVersion: changes so far
	changed  chan struct{}
	primary  bool
	election int32
	reign    context.Context // ends when the node steps down; commands that write run under it
	depose   context.CancelCauseFunc
}

func newTopology() *topology {
	t := &topology{process: bson.NewObjectID(), changed: make(chan struct{})}
	t.elect()
	return t
}

// elect makes the node the primary of a new election. The caller holds mu, or nobody else knows t.
func (t *topology) elect() {
	t.primary = true
	t.election++
	t.reign, t.depose = context.WithCancelCause(context.Background())
	t.change()
}

func (t *topology) change() {
	t.counter++
	close(t.changed)
	t.changed = make(chan struct{})
}

// stepDown makes the node a secondary until it is elected again. Commands that write and wait are
// interrupted.
func (t *topology) stepDown() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.primary {
		return mongoerr.New(mongoerr.NotWritablePrimary, "not primary so can't step down")
	}
	t.primary = false
	t.depose(mongoerr.New(mongoerr.InterruptedDueToReplState,
		"operation was interrupted"))
	t.change()
	return nil
}

// stepUp ends a step-down.
func (t *topology) stepUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.primary {
		return false
	}
	t.elect()
	return true
}

// snapshot is what the topology is at one moment.
type snapshot struct {
	process  bson.ObjectID
	counter  int64
	changed  <-chan struct{} // closed at the next change
	primary  bool
	election int32
	reign    context.Context
}

func (t *topology) now() snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return snapshot{t.process, t.counter, t.changed, t.primary, t.election, t.reign}
}

// version is the topology's version as clients compare it.
func (n snapshot) version() bson.D {
	return bson.D{{Key: "processId", Value: n.process}, {Key: "counter", Value: n.counter}}
}

// electionID grows with each election.
func (n snapshot) electionID() bson.ObjectID {
	var id bson.ObjectID
	copy(id[:4], []byte{0x7f, 0xff, 0xff, 0xff})
	id[8], id[9] = byte(n.election>>24), byte(n.election>>16)
	id[10], id[11] = byte(n.election>>8), byte(n.election)
	return id
}

// refusal is how long it takes to say that the node is not the primary. A client that has not
// noticed asks again at once, until it looks at the topology the next time: without this that
// would never be in virtual time, where nothing else takes any.
const refusal = 5 * time.Millisecond

// refused answers a command that only the primary runs.
func (r *request) refused(why error) error {
	if err := sleep(r.ctx, refusal); err != nil {
		return err
	}
	return r.labelled(why)
}

// writable returns an error unless the node is the primary.
func (n snapshot) writable() error {
	if n.primary {
		return nil
	}
	return mongoerr.New(mongoerr.NotWritablePrimary, "not primary")
}
