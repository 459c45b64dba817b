package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/fwgen/fwgen/runtime/store"
)

const (
	// awaitTime is how long the server waits for a change before it answers that there is none,
	// and so how long Watch may take to notice that its context has ended.
	awaitTime = time.Second

	// answerTime is how long the server may take for any one answer. After it the watch breaks,
	// so that a server that hangs is noticed.
	answerTime = 10 * time.Second
)

// errWatchEnded says that the server closed the cursor, as when the collection is dropped.
var errWatchEnded = errors.New("the server ended the change stream")

// Watch implements [store.Leases]. It notices the end of ctx within a second: ending a wait in the
// middle would leave a cursor behind in the server for ten minutes.
func (l *Leases) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	stream, err := l.openWatch(ctx)
	if err != nil {
		return fmt.Errorf("watch leases: %w", err)
	}
	defer closeWatch(stream)
	ready()
	for ctx.Err() == nil {
		if nextChange(stream) {
			tell(stream.Current, changed)
			continue
		}
		if err := stream.Err(); err != nil {
			return fmt.Errorf("watch leases: %w", err)
		}
		if stream.ID() == 0 {
			return fmt.Errorf("watch leases: %w", errWatchEnded)
		}
	}
	return ctx.Err()
}

// openWatch opens the stream under a context of its own: one that ends while the server opens the
// cursor leaves it behind.
func (l *Leases) openWatch(ctx context.Context) (*mongo.ChangeStream, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	collection := l.db.db.Collection(l.collection, options.Collection().
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()))
	// A change by a pipeline arrives as update or as replace, whichever is shorter in the oplog,
	// so no filter on the kind.
	return collection.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().
		SetFullDocument(options.UpdateLookup).
		SetMaxAwaitTime(awaitTime).
		SetComment("fw:leases"))
}

// nextChange waits for a change at most awaitTime. Its context is not the caller's: a cancelled
// one kills the stream without closing the server's cursor. It has a deadline, because a Timeout
// of the client would apply otherwise.
func nextChange(stream *mongo.ChangeStream) bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	return stream.TryNext(ctx)
}

func closeWatch(stream *mongo.ChangeStream) {
	ctx, cancel := context.WithTimeout(context.Background(), awaitTime)
	defer cancel()
	_ = stream.Close(ctx) // the server drops the cursor by itself after ten minutes
}

// tell reports the lease of a change event. A deleted document is a lease that nobody owns.
func tell(event bson.Raw, changed func(store.Lease)) {
	change := document(event)
	switch change.str("operationType") {
	case "insert", "update", "replace", "delete":
		stream := change.sub("documentKey").str("_id")
		changed(lease(stream, change.sub("fullDocument"), change.time("wallTime")))
	}
}
