package conformance

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// wireChecks write messages themselves.
func wireChecks() []check {
	return needing(Features{Wire: true}, []check{
		{name: "wire/hello in an OP_QUERY", run: queryHello},
		{name: "wire/other commands in an OP_QUERY are refused", run: queryOther},
		{name: "wire/a command names its database", run: withoutDatabase},
		{name: "wire/no answer where more is to come", run: unanswered},
		{name: "wire/documents in a section of their own", run: documentSequence},
		{name: "wire/hello that goes on answering", run: exhaustHello},
		{name: "wire/requests are answered one after another", run: pipelined},
		{name: "wire/sessions of one's own", run: rawSessions},
		{name: "wire/a database's stream without a session", run: sessionless},
	})
}

func queryHello(c *C) {
	w := c.dial()
	for _, name := range []string{"isMaster", "ismaster", "hello"} {
		id := w.query("admin.$cmd", bson.D{{Key: name, Value: 1}, {Key: "helloOk", Value: true}})
		m := w.receive()
		if m.op != wiremessage.OpReply || m.responseTo != id {
			c.Errorf("%s: answered by %v to %d", name, m.op, m.responseTo)
		}
		c.has(m.document, doc(`{helloOk: true, maxWireVersion: 17, ok: 1.0}`))
		want := "ismaster"
		if name == "hello" {
			want = "isWritablePrimary"
		}
		c.has(m.document, bson.D{{Key: want, Value: true}})
	}
}

func queryOther(c *C) {
	w := c.dial()
	w.query("admin.$cmd", bson.D{{Key: "ping", Value: 1}})
	c.has(w.receive().document, doc(`{ok: 0.0, code: 352, codeName: 'UnsupportedOpQueryCommand'}`))
	w.query("admin.$cmd", bson.D{{Key: "hello", Value: 1}})
	c.has(w.receive().document, doc(`{ok: 1.0}`))
}

func withoutDatabase(c *C) {
	w := c.dial()
	id := w.msg(0, bson.D{{Key: "ping", Value: 1}})
	m := w.receive()
	if m.responseTo != id {
		c.Errorf("answered to %d", m.responseTo)
	}
	c.has(m.document, doc(`{ok: 0.0, code: 40571, codeName: 'Location40571'}`))
	w.msg(0, doc(`{ping: 1, $db: 'admin'}`))
	c.has(w.receive().document, doc(`{ok: 1.0}`))
}

// insertInto is an insert as it goes over the wire.
func insertInto(c *C, rest string) bson.D {
	return append(doc(`{insert: 'c', `+rest+`}`), bson.E{Key: "$db", Value: c.DB.Name()})
}

func unanswered(c *C) {
	w := c.dial()
	w.msg(wiremessage.MoreToCome, insertInto(c, `documents: [{_id: 1}], writeConcern: {w: 0}`))
	w.msg(wiremessage.MoreToCome, insertInto(c, `documents: [{_id: 1}], writeConcern: {w: 0}`))
	w.msg(wiremessage.MoreToCome, insertInto(c, `nope: 1, writeConcern: {w: 0}`))
	id := w.msg(0, doc(`{ping: 1, $db: 'admin'}`))
	m := w.receive()
	if m.responseTo != id {
		c.Errorf("the answer is to %d, not to %d: %s", m.responseTo, id, show(m.document))
	}
	c.Expect(`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1}]}}`)
}

func documentSequence(c *C) {
	w := c.dial()
	body := append(w.body(0), w.encode(insertInto(c, `ordered: true`))...)
	body = wiremessage.AppendMsgSectionType(body, wiremessage.DocumentSequence)
	start, body := bsoncore.ReserveLength(body)
	body = append(body, "documents\x00"...)
	for _, d := range []string{`{_id: 1}`, `{_id: 2}`, `{_id: 2}`, `{_id: 3}`} {
		body = append(body, w.encode(doc(d))...)
	}
	w.send(wiremessage.OpMsg, bsoncore.UpdateLength(body, start, int32(len(body))-start))
	answer := w.receive().document
	if d := compare(answer, doc(`{n: 2, writeErrors: [{index: 2, code: 11000}]}`)); d != "" {
		c.Errorf("%s\nthe answer is %s", d, show(answer))
	}
}

func exhaustHello(c *C) {
	w := c.dial()
	w.msg(0, doc(`{hello: 1, $db: 'admin'}`))
	version := lookup(w.receive().document, "topologyVersion")
	command := append(awaitedHello(version, 100), bson.E{Key: "$db", Value: "admin"})
	id := w.msg(wiremessage.ExhaustAllowed, command)
	begin := time.Now()
	for range 3 {
		m := w.receive()
		if m.flags&wiremessage.MoreToCome == 0 {
			c.Errorf("nothing more is to come: %s", show(m.document))
		}
		c.has(m.document, doc(`{isWritablePrimary: true, ok: 1.0}`))
		if m.responseTo == 0 || m.responseTo < id {
			c.Errorf("the answer is to %d", m.responseTo)
		}
	}
	if took := time.Since(begin); took < 300*time.Millisecond {
		c.Errorf("three answers after %s", took)
	}
}

func pipelined(c *C) {
	w := c.dial()
	ids := []int32{
		w.msg(0, insertInto(c, `documents: [{_id: 1}]`)),
		w.msg(0, insertInto(c, `documents: [{_id: 1}]`)),
		w.msg(0, doc(`{ping: 1, $db: 'admin'}`)),
	}
	for _, id := range ids {
		if m := w.receive(); m.responseTo != id {
			c.Errorf("the answer is to %d, not to %d", m.responseTo, id)
		}
	}
}

func rawSessions(c *C) {
	w := c.dial()
	for _, test := range []struct{ lsid, want string }{
		{`{id: bin(4, 'AAAAAAAAAAAAAAAAAAAAAA==')}`, `{n: 0}`},
		{`5`, `{code: 14}`},
		{`{id: 5}`, `{code: 14}`},
		{`{}`, `{code: 40414}`},
		{`{id: bin(0, 'AAAAAAAAAAAAAAAAAAAAAA==')}`, `{code: 14}`},
		{`{id: bin(4, 'AAAAAAAAAAAAAAAAAAAAAA=='), nope: 1}`, `{code: 40415}`},
	} {
		command := append(doc(`{count: 'c', lsid: `+test.lsid+`}`),
			bson.E{Key: "$db", Value: c.DB.Name()})
		w.msg(0, command)
		answer := w.receive().document
		if d := compare(answer, doc(test.want)); d != "" {
			c.Errorf("%s: %s\nthe answer is %s", test.lsid, d, show(answer))
		}
	}
	w.msg(0, insertInto(c, `documents: [{_id: 1}], txnNumber: long(1)`))
	if d := compare(w.receive().document, doc(`{code: 72}`)); d != "" {
		c.Errorf("a txnNumber without lsid: %s", d)
	}
}

func sessionless(c *C) {
	w := c.dial()
	open := append(doc(`{aggregate: 1, pipeline: [{$changeStream: {}}], cursor: {}}`),
		bson.E{Key: "$db", Value: c.DB.Name()})
	w.msg(0, open)
	cursor := lookup(w.receive().document, "cursor", "id")
	c.Do(`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 'majority'}}`)
	w.msg(0, bson.D{
		{Key: "getMore", Value: cursor}, {Key: "collection", Value: "$cmd.aggregate"},
		{Key: "$db", Value: c.DB.Name()},
	})
	answer := w.receive().document
	if batch, _ := lookup(answer, "cursor", "nextBatch").(bson.A); len(batch) != 1 {
		c.Errorf("the answer is %s", show(answer))
	}
}
