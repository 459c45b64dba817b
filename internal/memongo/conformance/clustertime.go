package conformance

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// timesOf returns the two times that an answer carries.
func (c *C) timesOf(answer bson.D) (operation, cluster bson.Timestamp) {
	c.Helper()
	operation, ok := lookup(answer, "operationTime").(bson.Timestamp)
	cluster, ok2 := lookup(answer, "$clusterTime", "clusterTime").(bson.Timestamp)
	if !ok || !ok2 || cluster.Before(operation) {
		c.Errorf("times of %s", show(answer))
	}
	return operation, cluster
}

func clusterTimeEverywhere(c *C) {
	for _, command := range []string{
		`{ping: 1}`, `{hello: 1}`, `{find: 'c'}`, `{nosuch: 1}`, `{find: 'c', nope: 1}`,
		`{insert: 'c', documents: [{_id: 1}]}`, `{insert: 'c', documents: [{_id: 1}]}`,
		`{aggregate: 'c', pipeline: [{$changeStream: {}}], cursor: {}}`,
		`{getMore: long(5), collection: 'c'}`,
	} {
		answer := c.Do(command)
		c.timesOf(answer)
		c.typed(answer, bson.D{{Key: "$clusterTime", Value: bson.D{}}})
		signature, _ := lookup(answer, "$clusterTime", "signature").(bson.D)
		c.typed(signature, bson.D{
			{Key: "hash", Value: bson.Binary{}}, {Key: "keyId", Value: int64(0)},
		})
	}
}

func clusterTimeAdvances(c *C) {
	first, _ := c.timesOf(c.Do(`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 'majority'}}`))
	second, _ := c.timesOf(c.Do(`{insert: 'c', documents: [{_id: 2}], writeConcern: {w: 'majority'}}`))
	read, _ := c.timesOf(c.Do(`{find: 'c'}`))
	noOp, _ := c.timesOf(c.Do(`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {_id: 1}}}]}`))
	if !first.Before(second) || read.Before(second) || noOp.Before(second) {
		c.Errorf("insert %v, insert %v, find %v, update %v", first, second, read, noOp)
	}
	if wall := time.Now().Unix(); int64(second.T) < wall-60 || int64(second.T) > wall+60 {
		c.Errorf("operationTime is %v at %d", second, wall)
	}
}

func clusterTimeOfEvent(c *C) {
	stream, err := c.Collection().Watch(c.Context(), mongo.Pipeline{})
	if err != nil {
		c.Fatalf("watch: %v", err)
	}
	defer func() { _ = stream.Close(cleaning(c)) }()
	written, _ := c.timesOf(c.Do(`{insert: 'c', documents: [{_id: 1}]}`))
	if !stream.Next(c.Context()) {
		c.Fatalf("no event: %v", stream.Err())
	}
	var event struct{ ClusterTime bson.Timestamp }
	if err := stream.Decode(&event); err != nil || !event.ClusterTime.Equal(written) {
		c.Errorf("the write's time is %v, the event's %v (%v)", written, event.ClusterTime, err)
	}
}

// clusterTimeGossip tells the server a time a little ahead of its own, as a driver that talks to
// other nodes does.
func clusterTimeGossip(c *C) {
	answer := c.Do(`{ping: 1}`)
	_, cluster := c.timesOf(answer)
	ahead := bson.Timestamp{T: cluster.T + 1, I: cluster.I}
	signed, _ := lookup(answer, "$clusterTime").(bson.D)
	told := append(bson.D{{Key: "clusterTime", Value: ahead}}, signed[1:]...)
	raw, err := bson.Marshal(told)
	if err != nil {
		c.Fatalf("marshal: %v", err)
	}
	session, err := c.Connect().StartSession()
	if err != nil {
		c.Fatalf("start session: %v", err)
	}
	wrapped, _ := bson.Marshal(bson.D{{Key: "$clusterTime", Value: bson.Raw(raw)}})
	if err := session.AdvanceClusterTime(wrapped); err != nil {
		c.Fatalf("advance: %v", err)
	}
	db := session.Client().Database(c.DB.Name())
	ctx := mongo.NewSessionContext(c.Context(), session)
	after, err := answerOf(db.RunCommand(ctx, bson.D{{Key: "ping", Value: 1}}).Raw())
	if err != nil {
		c.Fatalf("ping: %v", err)
	}
	if _, now := c.timesOf(after); now.Before(ahead) {
		c.Errorf("told %v the server says %v", ahead, now)
	}
	insert := `{insert: 'c', documents: [{_id: 1}]}`
	if written, _ := c.timesOf(c.Do(insert)); !ahead.Before(written) {
		c.Errorf("told %v the server writes at %v", ahead, written)
	}
}
