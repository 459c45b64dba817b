package memongo

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// What a server tells clients of its limits.
const (
	maxDocument    = 16 << 20
	maxAnswered    = maxDocument + 16<<10 // a document that a stage has made
	maxMessage     = 48_000_000
	maxWriteBatch  = 100_000
	maxWireVersion = 17 // of 6.0
	sessionMinutes = 30
)

// hello answers at once, or when the topology is no longer the one that the client knows.
func hello(r *request) (bson.D, error) {
	if client, ok := r.args.document("client"); ok {
		r.conn.introduce(client)
	}
	now := r.server.topology.now()
	known, awaiting := r.args.document("topologyVersion")
	limit, limited := r.args.int("maxAwaitTimeMS")
	if awaiting != limited {
		return nil, mongoerr.New(31368, "A request with a 'topologyVersion' must include "+
			"'maxAwaitTimeMS' and the other way round")
	}
	if awaiting && isCurrent(known, now) {
		now = r.server.await(r.ctx, now, time.Duration(limit)*time.Millisecond)
	}
	r.again = awaiting
	return r.server.describe(r, now), nil
}

func isCurrent(known bson.D, now snapshot) bool {
	process := value.Lookup(known, "processId")
	counter, _ := value.Int64(value.Lookup(known, "counter"))
	return process == any(now.process) && counter == now.counter
}

// await waits for another topology than known.
func (s *Server) await(ctx context.Context, known snapshot, limit time.Duration) snapshot {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-known.changed:
	case <-timer.C:
	case <-ctx.Done():
	}
	return s.topology.now()
}

// introduce takes what the client says of itself.
func (c *conn) introduce(client bson.D) {
	if name, ok := value.Lookup(client, "application", "name").(string); ok {
		c.appName = name
	}
}

func (s *Server) describe(r *request, now snapshot) bson.D {
	address := r.conn.address
	answer := bson.D{
		{Key: "topologyVersion", Value: now.version()},
		{Key: "hosts", Value: bson.A{address}},
		{Key: "setName", Value: SetName},
		{Key: "setVersion", Value: int32(1)},
	}
	primaryField := "isWritablePrimary"
	if r.legacyHello() {
		primaryField = "ismaster"
	}
	answer = append(answer,
		bson.E{Key: primaryField, Value: now.primary},
		bson.E{Key: "secondary", Value: !now.primary})
	if now.primary {
		answer = append(answer, bson.E{Key: "primary", Value: address})
	}
	answer = append(answer, bson.E{Key: "me", Value: address})
	if now.primary {
		answer = append(answer, bson.E{Key: "electionId", Value: now.electionID()})
	}
	answer = append(answer, bson.E{Key: "lastWrite", Value: s.lastWrite(now)})
	if _, ok := r.args.get("helloOk"); ok {
		answer = append(answer, bson.E{Key: "helloOk", Value: true})
	}
	return append(answer,
		bson.E{Key: "maxBsonObjectSize", Value: int32(maxDocument)},
		bson.E{Key: "maxMessageSizeBytes", Value: int32(maxMessage)},
		bson.E{Key: "maxWriteBatchSize", Value: int32(maxWriteBatch)},
		bson.E{Key: "localTime", Value: s.clock()},
		bson.E{Key: "logicalSessionTimeoutMinutes", Value: int32(sessionMinutes)},
		bson.E{Key: "connectionId", Value: int32(r.conn.id)},
		bson.E{Key: "minWireVersion", Value: int32(0)},
		bson.E{Key: "maxWireVersion", Value: int32(maxWireVersion)},
		bson.E{Key: "readOnly", Value: false})
}

func (s *Server) lastWrite(now snapshot) bson.D {
	ts := s.engine.ClusterTime()
	at := bson.D{{Key: "ts", Value: ts}, {Key: "t", Value: int64(now.election)}}
	date := bson.DateTime(int64(ts.T) * 1000)
	return bson.D{
		{Key: "opTime", Value: at},
		{Key: "lastWriteDate", Value: date},
		{Key: "majorityOpTime", Value: at},
		{Key: "majorityWriteDate", Value: date},
	}
}

// clock is the server's time as a value of BSON.
func (s *Server) clock() bson.DateTime { return bson.NewDateTimeFromTime(s.options.Now()) }
