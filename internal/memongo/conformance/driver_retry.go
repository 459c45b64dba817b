package conformance

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// retryChecks see what a program sees that uses the driver, whose retries need the right labels.
func retryChecks() []check {
	failing := []check{
		{name: "driver/a write is sent again when its connection is closed", run: writesAgain},
		{name: "driver/a write is sent again after a step-down's code", run: writesAgainAfterCode},
		{name: "driver/a write is sent again after a write concern error", run: writesAgainAfterConcern},
		{name: "driver/a read is sent again when its connection is closed", run: readsAgain},
		{name: "driver/a read has no write concern error", run: readsUnconcerned},
		{name: "driver/a stream is opened again when its connection closes", run: streamsAgain},
		{name: "driver/a stream is opened again after some errors", run: streamsAgainAfterCode},
		{name: "driver/a stream ends with an error that is not resumable", run: streamEnds},
		{name: "driver/WithTransaction runs again when a connection closes", run: withClosedConnection},
		{name: "driver/WithTransaction commits again when a commit is lost", run: withLostCommit},
	}
	for i := range failing {
		failing[i].needs, failing[i].uses = Features{TestCommands: true}, "failCommand"
	}
	return append(failing,
		check{name: "driver/WithTransaction commits", run: withTransaction},
		check{name: "driver/WithTransaction runs again after a conflict", run: withConflict},
		check{name: "driver/a stream goes on after killCursors", run: resumesAfterKill},
		check{name: "driver/a stream's positions", run: streamPositions},
		check{name: "driver/TryNext waits for about maxAwaitTime", run: tryNextWaits},
	)
}

// failing returns the check's collection for a client of its own, whose commands fail as the
// fields say, and that many times.
func (c *C) failing(times int32, fields string) *mongo.Collection {
	c.Helper()
	app := c.DB.Name()
	client := c.Connect(options.Client().SetAppName(app).SetHeartbeatInterval(heartbeat))
	data := append(doc(fields), bson.E{Key: "appName", Value: app})
	answer := c.send(client.Database("admin"), bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: bson.D{{Key: "times", Value: times}}},
		{Key: "data", Value: data},
	})
	c.has(answer, doc(`{ok: 1.0}`))
	return client.Database(app).Collection("c")
}

// contains fails unless the collection holds documents with these ids.
func (c *C) contains(ids ...int32) {
	c.Helper()
	cursor, err := c.Collection().Find(c.Context(), bson.D{},
		options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		c.Fatalf("find: %v", err)
	}
	var documents []struct {
		ID int32 `bson:"_id"`
	}
	if err := cursor.All(c.Context(), &documents); err != nil {
		c.Fatalf("read: %v", err)
	}
	var got []int32
	for _, d := range documents {
		got = append(got, d.ID)
	}
	if !slices.Equal(got, ids) {
		c.Errorf("there are %v, not %v", got, ids)
	}
}

func withID(id int32) bson.D { return bson.D{{Key: "_id", Value: id}} }

func writesAgain(c *C) {
	coll := c.failing(1, `{failCommands: ['insert'], closeConnection: true}`)
	if _, err := coll.InsertOne(c.Context(), withID(1)); err != nil {
		c.Errorf("insert: %v", err)
	}
	c.contains(1)
}

func writesAgainAfterCode(c *C) {
	coll := c.failing(1, `{failCommands: ['findAndModify'], errorCode: 189}`)
	upsert := options.FindOneAndUpdate().SetUpsert(true)
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: 1}}}}
	err := coll.FindOneAndUpdate(c.Context(), withID(1), set, upsert).Err()
	if !errors.Is(err, mongo.ErrNoDocuments) {
		c.Errorf("upsert: %v", err)
	}
	c.contains(1)
}

func writesAgainAfterConcern(c *C) {
	coll := c.failing(1, `{failCommands: ['insert'],
		writeConcernError: {code: 91, errmsg: 'shutting down'}}`)
	if _, err := coll.InsertMany(c.Context(), []bson.D{withID(1), withID(2)}); err != nil {
		c.Errorf("insert: %v", err)
	}
	c.contains(1, 2)
}

func readsAgain(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	coll := c.failing(1, `{failCommands: ['find'], closeConnection: true}`)
	if err := coll.FindOne(c.Context(), withID(1)).Err(); err != nil {
		c.Errorf("find: %v", err)
	}
}

func readsUnconcerned(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	coll := c.failing(1, `{failCommands: ['find', 'count', 'distinct'],
		writeConcernError: {code: 91, errmsg: 'shutting down'}}`)
	if err := coll.FindOne(c.Context(), withID(1)).Err(); err != nil {
		c.Errorf("find: %v", err)
	}
}

func withTransaction(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	c.inTransaction(c.Collection(), func(ctx context.Context) error {
		if _, err := c.Collection().InsertOne(ctx, withID(2)); err != nil {
			return err
		}
		_, err := c.Collection().DeleteOne(ctx, withID(1))
		return err
	})
	c.contains(2)
}

// inTransaction runs do and returns how often it was called.
func (c *C) inTransaction(coll *mongo.Collection, do func(context.Context) error) (calls int) {
	c.Helper()
	session, err := coll.Database().Client().StartSession()
	if err != nil {
		c.Fatalf("start session: %v", err)
	}
	defer session.EndSession(cleaning(c))
	_, err = session.WithTransaction(c.Context(), func(ctx context.Context) (any, error) {
		calls++
		return nil, do(ctx)
	})
	if err != nil {
		c.Errorf("transaction: %v", err)
	}
	return calls
}

func withConflict(c *C) {
	c.Do(`{insert: 'c', documents: [{_id: 1, n: 1}], writeConcern: {w: 'majority'}}`)
	inc := bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: int32(10)}}}}
	disturbed := false
	calls := c.inTransaction(c.Collection(), func(ctx context.Context) error {
		if err := c.Collection().FindOne(ctx, withID(1)).Err(); err != nil {
			return err
		}
		if !disturbed {
			disturbed = true
			c.Do(`{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 100}}}]}`)
		}
		_, err := c.Collection().UpdateOne(ctx, withID(1), inc)
		return err
	})
	if calls != 2 {
		c.Errorf("%d calls", calls)
	}
	c.Expect(`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, n: 111}]}}`)
}

func withClosedConnection(c *C) {
	c.Do(`{create: 'c'}`)
	coll := c.failing(1, `{failCommands: ['insert'], closeConnection: true}`)
	calls := c.inTransaction(coll, func(ctx context.Context) error {
		_, err := coll.InsertOne(ctx, withID(1))
		return err
	})
	if calls != 2 {
		c.Errorf("%d calls", calls)
	}
	c.contains(1)
}

func withLostCommit(c *C) {
	c.Do(`{create: 'c'}`)
	coll := c.failing(2, `{failCommands: ['commitTransaction'], closeConnection: true}`)
	calls := c.inTransaction(coll, func(ctx context.Context) error {
		_, err := coll.InsertOne(ctx, withID(1))
		return err
	})
	if calls != 1 {
		c.Errorf("%d calls", calls)
	}
	c.contains(1)
}
