package reader

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/fwgen/fwgen/runtime/internal/change"
)

// maxAwait is how long the server waits for events before it answers with none. It bounds how long
// a stop waits for the call in flight.
const maxAwait = time.Second

// batchSize bounds a reply; larger ones gain nothing and cost memory.
const batchSize = 5000

// From is where to begin to read. The zero value is now.
type From struct {
	After  change.Token   // the next event after this token
	AtTime bson.Timestamp // or: the first event of this time, where After is zero
}

// Cursor is what a reader needs of a change stream; a *mongo.ChangeStream is one.
type Cursor interface {
	TryNext(ctx context.Context) bool
	ResumeToken() bson.Raw
	RemainingBatchLength() int
	ID() int64
	Err() error
	Close(ctx context.Context) error
}

// Source opens change streams.
type Source interface {
	// Open opens a cursor and returns it with a function that returns the event under it.
	Open(ctx context.Context, from From) (Cursor, func() bson.Raw, error)
}

// Collection is the source of one collection's events.
type Collection struct {
	Collection   *mongo.Collection
	Stream       string // names the cursor on the server
	Pipeline     mongo.Pipeline
	UpdateLookup bool
}

// Open opens a change stream without reading from it.
func (c Collection) Open(ctx context.Context, from From) (Cursor, func() bson.Raw, error) {
	opts := options.ChangeStream().SetBatchSize(0).SetMaxAwaitTime(maxAwait).
		SetComment("fw:" + c.Stream)
	if c.UpdateLookup {
		opts.SetFullDocument(options.UpdateLookup)
	}
	switch {
	case !from.After.IsZero(): // works for every token, an invalidate's too
		opts.SetStartAfter(from.After.Raw)
	case from.AtTime != (bson.Timestamp{}):
		opts.SetStartAtOperationTime(&from.AtTime)
	}
	// The server refuses change streams with another read concern, which may be the client's.
	majority := c.Collection.Clone(options.Collection().SetReadConcern(readconcern.Majority()))
	stream, err := majority.Watch(ctx, passingInvalidate(c.Pipeline), opts)
	if err != nil {
		return nil, nil, err
	}
	stream.SetBatchSize(batchSize)
	return stream, func() bson.Raw { return stream.Current }, nil
}

// passingInvalidate returns the pipeline with the invalidate event let through by every $match. A
// server that hides it ends the cursor without a word, and the driver then does not tell the token
// after which it would go on.
func passingInvalidate(pipeline mongo.Pipeline) mongo.Pipeline {
	passing := mongo.Pipeline{}
	for _, stage := range pipeline {
		if len(stage) == 1 && stage[0].Key == "$match" {
			invalidate := bson.D{{Key: "operationType", Value: "invalidate"}}
			either := bson.D{{Key: "$or", Value: bson.A{stage[0].Value, invalidate}}}
			stage = bson.D{{Key: "$match", Value: either}}
		}
		passing = append(passing, stage)
	}
	return passing
}
