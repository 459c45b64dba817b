package conformance

import (
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// watch opens a stream that is closed after the check.
func (c *C) watch(coll *mongo.Collection, opts ...options.Lister[options.ChangeStreamOptions],
) *mongo.ChangeStream {
	c.Helper()
	stream, err := coll.Watch(c.Context(), mongo.Pipeline{}, opts...)
	if err != nil {
		c.Fatalf("watch: %v", err)
	}
	c.Cleanup(func() { _ = stream.Close(cleaning(c)) })
	return stream
}

// reads fails unless the next events are of these documents.
func (c *C) reads(stream *mongo.ChangeStream, ids ...int32) {
	c.Helper()
	for _, id := range ids {
		if !stream.Next(c.Context()) {
			c.Fatalf("no event of %d: %v", id, stream.Err())
		}
		if got, _ := stream.Current.Lookup("documentKey", "_id").AsInt64OK(); got != int64(id) {
			c.Errorf("the event is of %d, not of %d", got, id)
		}
	}
}

func streamsAgain(c *C) {
	c.Do(`{create: 'c'}`)
	coll := c.failing(2, `{failCommands: ['getMore'], closeConnection: true}`)
	stream := c.watch(coll)
	c.Insert("c", `[{_id: 1}, {_id: 2}]`)
	c.reads(stream, 1, 2)
}

func streamsAgainAfterCode(c *C) {
	c.Do(`{create: 'c'}`)
	coll := c.failing(2, `{failCommands: ['getMore'], errorCode: 11602,
		errorLabels: ['ResumableChangeStreamError']}`)
	stream := c.watch(coll)
	c.Insert("c", `[{_id: 1}, {_id: 2}]`)
	c.reads(stream, 1, 2)
}

func streamEnds(c *C) {
	c.Do(`{create: 'c'}`)
	coll := c.failing(1, `{failCommands: ['getMore'], errorCode: 280}`)
	stream := c.watch(coll)
	if stream.Next(c.Context()) {
		c.Errorf("there is an event: %v", stream.Current)
	}
	var refused mongo.CommandError
	if !errors.As(stream.Err(), &refused) || refused.Code != 280 ||
		!refused.HasErrorLabel("NonResumableChangeStreamError") {
		c.Errorf("the error is %v", stream.Err())
	}
}

func resumesAfterKill(c *C) {
	c.Do(`{create: 'c'}`)
	stream := c.watch(c.Collection())
	c.Insert("c", `[{_id: 1}]`)
	c.reads(stream, 1)
	killed := c.send(c.DB, bson.D{
		{Key: "killCursors", Value: "c"}, {Key: "cursors", Value: bson.A{stream.ID()}},
	})
	if list, _ := lookup(killed, "cursorsKilled").(bson.A); len(list) != 1 {
		c.Errorf("killed: %s", show(killed))
	}
	c.Insert("c", `[{_id: 2}]`)
	c.reads(stream, 2)
}

func streamPositions(c *C) {
	c.Do(`{create: 'c'}`)
	stream := c.watch(c.Collection())
	if stream.ResumeToken() == nil {
		c.Errorf("there is no position before the first event")
	}
	c.Insert("c", `[{_id: 1}, {_id: 2}]`)
	c.reads(stream, 1)
	position := stream.ResumeToken()
	c.reads(stream, 2)
	again := c.watch(c.Collection(), options.ChangeStream().SetStartAfter(position))
	c.reads(again, 2)
}

func tryNextWaits(c *C) {
	c.Do(`{create: 'c'}`)
	wait := options.ChangeStream().SetMaxAwaitTime(200 * time.Millisecond)
	stream := c.watch(c.Collection(), wait)
	stream.TryNext(c.Context()) // the first batch needs no getMore
	begin := time.Now()
	if stream.TryNext(c.Context()) {
		c.Errorf("there is an event: %v", stream.Current)
	}
	if took := time.Since(begin); took < 150*time.Millisecond || took > 10*time.Second {
		c.Errorf("it took %s", took)
	}
}
