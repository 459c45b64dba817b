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

// Pool returns how many of the wanted connections a client's pool lends at the same time; wanted
// if that can't be found out. The driver does not tell how large the pool is, so it is tried: as
// many calls as wanted, each of which the server answers after a moment.
func Pool(ctx context.Context, client *mongo.Client, wanted int) int {
	first, err := ask(ctx, client, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return wanted
	}
	version, ok := first.Lookup("topologyVersion").DocumentOK()
	if !ok {
		return wanted
	}
	wait := bson.D{
		{Key: "hello", Value: 1}, {Key: "topologyVersion", Value: version},
		{Key: "maxAwaitTimeMS", Value: holdFor.Milliseconds()},
	}
	// With a deadline the driver would ask for an error in place of the late answer.
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	var mu sync.Mutex // guards seen and failed
	seen, failed := map[int64]struct{}{}, false
	var calls sync.WaitGroup
	for range wanted {
		calls.Go(func() {
			answer, err := ask(patient, client, wait)
			id, ok := answer.Lookup("connectionId").AsInt64OK()
			mu.Lock()
			defer mu.Unlock()
			failed = failed || err != nil || !ok
			seen[id] = struct{}{}
		})
	}
	calls.Wait()
	if failed {
		return wanted
	}
	return len(seen)
}
