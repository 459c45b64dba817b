package conformance

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// secondary is what hello says of a member that has stepped down.
const secondary = `{isWritablePrimary: false, secondary: true, ok: 1.0}`

// The only member of a set steps down and, when it may, makes itself primary again.
func stepDown(c *C, _ Own) {
	session, open := c.session(), c.session()
	c.Do(`{insert: 'c', documents: [{_id: 0}], writeConcern: {w: 'majority'}}`)
	cursor := c.in(session, stream("", nil, 0))
	c.Do(`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 'majority'}}`)
	before := c.Do(`admin {hello: 1}`)
	awaited := c.background(awaitedHello(lookup(before, "topologyVersion"), 20000))
	c.has(c.in(open, doc(`{update: 'c', updates: [{q: {_id: 0}, u: {$set: {a: 1}}}],
		txnNumber: long(1), startTransaction: true, autocommit: false}`)), doc(`{n: 1}`))
	waiting := c.background(doc(`{update: 'c', updates: [{q: {_id: 0}, u: {$set: {a: 2}}}]}`))
	select {
	case answer := <-waiting:
		c.Fatalf("the write does not wait: %s", show(answer))
	case <-time.After(stillWaiting):
	}
	c.Expect(`admin {replSetStepDown: 60, secondaryCatchUpPeriodSecs: 0, force: true}`, `{}`)
	c.has(<-awaited, doc(`{isWritablePrimary: false, ok: 1.0}`))
	c.has(<-waiting, doc(`{ok: 0.0, code: 11602, codeName: 'InterruptedDueToReplStateChange'}`))
	c.whileSecondary(before, session, open, cursor)

	c.Expect(`admin {replSetFreeze: 0}`, `{}`)
	for begin := time.Now(); lookup(c.Do(`{hello: 1}`), "isWritablePrimary") != true; {
		if time.Since(begin) > patience {
			c.Fatalf("it does not become primary again")
		}
	}
	if is, was := lookup(c.Do(`{hello: 1}`), "electionId"), lookup(before, "electionId"); is == was {
		c.Errorf("electionId is still %v", is)
	}
	retried := doc(`{insert: 'c', documents: [{_id: 2}], txnNumber: long(1),
		writeConcern: {w: 'majority'}}`)
	c.has(c.in(session, retried), doc(`{n: 1, ok: 1.0}`))
	c.eventsOf(c.in(session, more(cursor, 10)), 2)
	c.Expect(`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 0}, {_id: 1}, {_id: 2}]}}`)
}

// whileSecondary asks a member that has stepped down.
func (c *C) whileSecondary(before bson.D, session, open *mongo.Session, cursor bson.D) {
	c.Helper()
	after := c.Do(`admin {hello: 1}`)
	c.has(after, doc(secondary))
	was, _ := lookup(before, "topologyVersion", "counter").(int64)
	if is, _ := lookup(after, "topologyVersion", "counter").(int64); is <= was {
		c.Errorf("the topology's counter was %d and is %d", was, is)
	}
	if primary := lookup(after, "primary"); primary != (missing{}) {
		c.Errorf("primary is %v", primary)
	}
	refused := doc(`{ok: 0.0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary',
		topologyVersion: 0}`)
	refused[4].Value = lookup(after, "topologyVersion")
	label := func(name string) bson.E { return bson.E{Key: "errorLabels", Value: bson.A{name}} }
	write := doc(`{insert: 'c', documents: [{_id: 2}]}`)
	c.has(c.in(session, write), refused)
	write = append(write, bson.E{Key: "txnNumber", Value: int64(1)})
	c.has(c.in(session, write), append(refused, label("RetryableWriteError")))
	inside := doc(`{find: 'c', txnNumber: long(1), autocommit: false}`)
	c.has(c.in(open, inside), append(refused, label("TransientTransactionError")))
	c.Expect(`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 0}, {_id: 1}]}}`)
	c.eventsOf(c.in(session, more(cursor, 10)), 1)
}

// eventsOf fails unless a batch is of one event, of the document with that id.
func (c *C) eventsOf(answer bson.D, id int32) {
	c.Helper()
	batch, _ := lookup(answer, "cursor", "nextBatch").(bson.A)
	if len(batch) == 1 {
		event, _ := batch[0].(bson.D)
		if lookup(event, "documentKey", "_id") == any(id) {
			return
		}
	}
	c.Errorf("no event of %d: %s", id, show(answer))
}

// background sends a command, and its answer into the channel.
func (c *C) background(command bson.D) <-chan bson.D {
	answer := make(chan bson.D, 1)
	go func() {
		document, err := answerOf(c.DB.RunCommand(c.Context(), command).Raw())
		if err != nil {
			c.Errorf("%s: %v", show(command), err)
		}
		answer <- document
	}()
	return answer
}
