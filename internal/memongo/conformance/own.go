package conformance

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// ownChecks disturb a server, which is therefore their own. One runs at a time, as servers are
// dear.
func ownChecks() []check {
	all := needing(Features{Own: true}, []check{
		{name: "own server/what is older than the oplog is lost", run: onOwn(lostHistory)},
		{name: "own server/a transaction is open for so long", run: onOwn(transactionLifetime)},
		{name: "own server/the only member steps down", run: onOwn(stepDown)},
	})
	for i := range all {
		all[i].uses = "own server"
	}
	return all
}

// onOwn makes a check of what it does with a server of its own.
func onOwn(do func(*C, Own)) func(*C) {
	return func(c *C) {
		own := c.Server.Own(c.tb)
		mine := *c
		mine.Client = own.Client(c.tb, options.Client().SetDirect(true))
		mine.DB = mine.Client.Database(c.DB.Name())
		do(&mine, own)
	}
}

// stream is the body of an aggregate that opens a change stream.
func stream(position string, at any, size int32) bson.D {
	stage := bson.D{}
	if position != "" {
		stage = bson.D{{Key: position, Value: at}}
	}
	return bson.D{
		{Key: "aggregate", Value: "c"},
		{Key: "pipeline", Value: bson.A{bson.D{{Key: "$changeStream", Value: stage}}}},
		{Key: "cursor", Value: bson.D{{Key: "batchSize", Value: size}}},
	}
}

// more is a getMore on the cursor of an answer.
func more(answer bson.D, size int32) bson.D {
	return bson.D{
		{Key: "getMore", Value: lookup(answer, "cursor", "id")},
		{Key: "collection", Value: "c"},
		{Key: "batchSize", Value: size},
		{Key: "maxTimeMS", Value: 1000},
	}
}

// in sends a command in a session.
func (c *C) in(session *mongo.Session, command bson.D) bson.D {
	c.Helper()
	ctx := mongo.NewSessionContext(c.Context(), session)
	answer, err := answerOf(c.DB.RunCommand(ctx, command).Raw())
	if err != nil {
		c.Fatalf("%s: %v", show(command), err)
	}
	return answer
}

func (c *C) session() *mongo.Session {
	c.Helper()
	session, err := c.Client.StartSession()
	if err != nil {
		c.Fatalf("start session: %v", err)
	}
	c.Cleanup(func() { session.EndSession(cleaning(c)) })
	return session
}

// lost is what a server says when a position is older than its oplog.
const lost = `{ok: 0.0, code: 286, codeName: 'ChangeStreamHistoryLost',
	errorLabels: ['NonResumableChangeStreamError']}`

func lostHistory(c *C, own Own) {
	session := c.session()
	c.Do(`{create: 'c'}`)
	mark := lookup(c.in(session, stream("", nil, 0)), "cursor", "postBatchResumeToken")
	behind, idle := c.in(session, stream("", nil, 0)), c.in(session, stream("", nil, 0))
	written := c.Do(`{insert: 'c', documents: [{_id: 1}, {_id: 2}], writeConcern: {w: 'majority'}}`)
	read := c.in(session, more(behind, 1))
	token := lookup(read, "cursor", "postBatchResumeToken")
	c.has(c.in(session, more(idle, 10)), doc(`{ok: 1.0}`))
	own.RollOver(c.tb)
	c.lostWhileOpen(session, behind, idle)
	for _, test := range []struct {
		position string
		at       any
	}{
		{"resumeAfter", token}, {"startAfter", token},
		{"resumeAfter", mark}, {"startAfter", mark},
		{"startAtOperationTime", lookup(written, "operationTime")},
	} {
		c.has(c.in(session, stream(test.position, test.at, 10)), doc(lost))
		later := c.in(session, stream(test.position, test.at, 0))
		c.has(later, doc(`{ok: 1.0}`))
		c.has(c.in(session, more(later, 10)), doc(lost))
	}
	fresh := c.in(session, stream("", nil, 10))
	c.Do(`{insert: 'c', documents: [{_id: 3}], writeConcern: {w: 'majority'}}`)
	batch, _ := lookup(c.in(session, more(fresh, 10)), "cursor", "nextBatch").(bson.A)
	if len(batch) != 1 {
		c.Errorf("a new stream reads %v", batch)
	}
}

// lostWhileOpen reads on from two cursors: one was in the middle of what is lost, one had read all.
func (c *C) lostWhileOpen(session *mongo.Session, behind, idle bson.D) {
	c.Helper()
	for _, cursor := range []bson.D{behind, idle} {
		answer := c.in(session, more(cursor, 1))
		c.has(answer, doc(`{ok: 0.0, code: 136, codeName: 'CappedPositionLost'}`))
		if labels := lookup(answer, "errorLabels"); labels != (missing{}) {
			c.Errorf("labels: %v", labels)
		}
		c.has(c.in(session, more(cursor, 1)), doc(`{ok: 0.0, code: 43}`))
	}
}

func transactionLifetime(c *C, _ Own) {
	c.Expect(`admin {getParameter: 1, transactionLifetimeLimitSeconds: 1}`,
		`{transactionLifetimeLimitSeconds: 1}`)
	c.Do(`{insert: 'c', documents: [{_id: 1, n: 0}], writeConcern: {w: 'majority'}}`)
	session := c.session()
	begin := doc(`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {n: 1}}}],
		txnNumber: long(1), startTransaction: true, autocommit: false}`)
	c.has(c.in(session, begin), doc(`{n: 1}`))
	started := time.Now()
	c.Expect(`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {n: 2}}}]}`, `{n: 1, nModified: 1}`)
	if took := time.Since(started); took < 500*time.Millisecond {
		c.Errorf("the write waited for %s", took)
	}
	further := doc(`{find: 'c', txnNumber: long(1), autocommit: false}`)
	c.has(c.in(session, further), doc(`{ok: 0.0, code: 251, codeName: 'NoSuchTransaction',
		errorLabels: ['TransientTransactionError']}`))
	c.Expect(`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, n: 2}]}}`)
}
