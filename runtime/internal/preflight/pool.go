package preflight

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// holdFor is how long a connection is held to see whether there is another beside it.
const holdFor = 250 * time.Millisecond

// Pool looks how many of the wanted connections a client's pool lends at the same time. The driver
// does not tell how large the pool is, so it is tried: as many calls as wanted, each of which the
// server answers after a moment. They have begun when Pool returns, so what comes later for a
// connection does not take one of theirs.
//
// lent waits for the answers and returns the number; wanted if that can't be found out, or if ctx
// ends before. It must be called.
func Pool(ctx context.Context, client *mongo.Client, wanted int) (lent func() int) {
	unknown := func() int { return wanted }
	first, err := ask(ctx, client, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return unknown
	}
	version, ok := first.Lookup("topologyVersion").DocumentOK()
	if !ok {
		return unknown
	}
	p := &pool{seen: map[int64]struct{}{}}
	// With a deadline the driver would ask for an error in place of the late answer.
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := context.AfterFunc(ctx, cancel)
	for range wanted {
		p.calls.Go(func() { p.hold(patient, client, version) })
	}
	return func() int {
		defer cancel()
		defer ended()
		p.calls.Wait()
		if p.failed {
			return wanted
		}
		return len(p.seen)
	}
}

// pool is what the calls find out.
type pool struct {
	calls sync.WaitGroup

	mu     sync.Mutex // guards what follows
	seen   map[int64]struct{}
	failed bool
}

// hold makes a call that takes a while, and notes its connection.
func (p *pool) hold(ctx context.Context, client *mongo.Client, version bson.Raw) {
	answer, err := ask(ctx, client, bson.D{
		{Key: "hello", Value: 1}, {Key: "topologyVersion", Value: version},
		{Key: "maxAwaitTimeMS", Value: holdFor.Milliseconds()},
	})
	id, ok := answer.Lookup("connectionId").AsInt64OK()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = p.failed || err != nil || !ok
	p.seen[id] = struct{}{}
}
