package conformance

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// helloChecks are about what a driver learns when it connects.
func helloChecks() []check {
	return []check{
		{name: "hello/fields", run: helloFields},
		{name: "hello/the old name", run: legacyHello},
		{name: "hello/waits for a change of topology", run: helloWaits},
		{name: "hello/does not wait with a topology that is not its own", run: helloOfOther},
		{name: "hello/on any database", run: helloAnywhere},
		{name: "buildInfo/fields that clients read", run: buildInfo},
		{name: "replSetGetStatus/the set and its member", run: setStatus},
		{name: "cluster time/every answer has it", run: clusterTimeEverywhere},
		{name: "cluster time/writes advance it, reads do not go back", run: clusterTimeAdvances},
		{name: "cluster time/is that of the event", run: clusterTimeOfEvent},
		{name: "cluster time/a client's is taken over", run: clusterTimeGossip},
	}
}

// has fails unless the fields of an answer are as wanted; a wanted nil is only there.
func (c *C) has(answer bson.D, want bson.D) {
	c.Helper()
	for _, e := range want {
		got := lookup(answer, e.Key)
		switch {
		case got == missing{}:
			c.Errorf("%s is missing in %s", e.Key, show(answer))
		case e.Value != nil && show(got) != show(e.Value):
			c.Errorf("%s is %s, not %s", e.Key, show(got), show(e.Value))
		}
	}
}

// typed fails unless the fields have the types of the examples.
func (c *C) typed(answer bson.D, examples bson.D) {
	c.Helper()
	for _, e := range examples {
		if got := lookup(answer, e.Key); fmt.Sprintf("%T", got) != fmt.Sprintf("%T", e.Value) {
			c.Errorf("%s is a %T, not a %T: %s", e.Key, got, e.Value, show(got))
		}
	}
}

func helloFields(c *C) {
	answer := c.Do(`admin {hello: 1}`)
	c.has(answer, doc(`{isWritablePrimary: true, secondary: false, readOnly: false,
		maxBsonObjectSize: 16777216, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000,
		logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 17, ok: 1.0}`))
	c.typed(answer, bson.D{
		{Key: "topologyVersion", Value: bson.D{}},
		{Key: "hosts", Value: bson.A{}},
		{Key: "setName", Value: ""},
		{Key: "setVersion", Value: int32(0)},
		{Key: "primary", Value: ""},
		{Key: "me", Value: ""},
		{Key: "electionId", Value: bson.ObjectID{}},
		{Key: "lastWrite", Value: bson.D{}},
		{Key: "localTime", Value: bson.DateTime(0)},
		{Key: "connectionId", Value: int32(0)},
	})
	version, _ := lookup(answer, "topologyVersion").(bson.D)
	c.typed(version, bson.D{
		{Key: "processId", Value: bson.ObjectID{}}, {Key: "counter", Value: int64(0)},
	})
	written, _ := lookup(answer, "lastWrite").(bson.D)
	c.typed(written, bson.D{
		{Key: "opTime", Value: bson.D{}},
		{Key: "lastWriteDate", Value: bson.DateTime(0)},
		{Key: "majorityOpTime", Value: bson.D{}},
		{Key: "majorityWriteDate", Value: bson.DateTime(0)},
	})
	if lookup(answer, "me") != lookup(answer, "primary") {
		c.Errorf("me and primary differ: %s", show(answer))
	}
	if got := lookup(answer, "ismaster"); got != (missing{}) {
		c.Errorf("ismaster is %v", got)
	}
}

func legacyHello(c *C) {
	for _, command := range []string{
		`{isMaster: 1}`, `{ismaster: 1}`, `{isMaster: 1, helloOk: true}`,
	} {
		answer := c.Do(command)
		c.has(answer, doc(`{ismaster: true, maxWireVersion: 17, secondary: false, ok: 1.0}`))
		if got := lookup(answer, "isWritablePrimary"); got != (missing{}) {
			c.Errorf("%s: isWritablePrimary is %v", command, got)
		}
	}
	if got := lookup(c.Do(`{isMaster: 1, helloOk: true}`), "helloOk"); got != true {
		c.Errorf("helloOk is %v", got)
	}
	if got := lookup(c.Do(`{isMaster: 1}`), "helloOk"); got != (missing{}) {
		c.Errorf("helloOk is %v where it was not asked for", got)
	}
}

// awaitedHello asks for a change from a topology on.
func awaitedHello(version any, wait int64) bson.D {
	return bson.D{
		{Key: "hello", Value: 1},
		{Key: "topologyVersion", Value: version},
		{Key: "maxAwaitTimeMS", Value: wait},
	}
}

func helloWaits(c *C) {
	before := c.Do(`admin {hello: 1}`)
	begin := time.Now()
	after := c.send(c.Client.Database("admin"), awaitedHello(lookup(before, "topologyVersion"), 150))
	if took := time.Since(begin); took < 150*time.Millisecond {
		c.Errorf("answered after %s", took)
	}
	c.has(after, doc(`{isWritablePrimary: true, ok: 1.0}`))
	was, is := show(lookup(before, "topologyVersion")), show(lookup(after, "topologyVersion"))
	if was != is {
		c.Errorf("the topology was %s and is %s", was, is)
	}
}

func helloOfOther(c *C) {
	begin := time.Now()
	other := doc(`{processId: oid('507f1f77bcf86cd799439011'), counter: long(1)}`)
	answer := c.send(c.Client.Database("admin"), awaitedHello(other, 20000))
	if took := time.Since(begin); took > 10*time.Second {
		c.Errorf("answered after %s", took)
	}
	c.has(answer, doc(`{isWritablePrimary: true, ok: 1.0}`))
}

func helloAnywhere(c *C) {
	c.has(c.Do(`{hello: 1}`), doc(`{isWritablePrimary: true, ok: 1.0}`))
	c.Expect(`{hello: 1, topologyVersion: {processId: oid('507f1f77bcf86cd799439011'),
		counter: long(1)}}`, `!31368 Location31368`)
	c.Expect(`{hello: 1, maxAwaitTimeMS: 5}`, `!31368 Location31368`)
	c.Expect(`{hello: 1, nope: 1}`, `{isWritablePrimary: true}`)
}

func buildInfo(c *C) {
	answer := c.Do(`admin {buildInfo: 1}`)
	c.has(answer, doc(`{maxBsonObjectSize: 16777216, bits: 64, debug: false, ok: 1.0}`))
	c.typed(answer, bson.D{
		{Key: "version", Value: ""},
		{Key: "gitVersion", Value: ""},
		{Key: "versionArray", Value: bson.A{}},
		{Key: "modules", Value: bson.A{}},
		{Key: "storageEngines", Value: bson.A{}},
	})
	version, _ := lookup(answer, "version").(string)
	numbers, _ := lookup(answer, "versionArray").(bson.A)
	if len(numbers) != 4 || len(version) < 3 || version[:3] != "6.0" ||
		fmt.Sprintf("%v.%v.%v", numbers[0], numbers[1], numbers[2]) != version {
		c.Errorf("version is %q, versionArray %v", version, numbers)
	}
	lower := c.Do(`{buildinfo: 1}`)
	if lookup(lower, "version") != any(version) {
		c.Errorf("buildinfo: %s", show(lower))
	}
}

func setStatus(c *C) {
	answer := c.Do(`admin {replSetGetStatus: 1}`)
	c.has(answer, doc(`{myState: 1, ok: 1.0}`))
	c.typed(answer, bson.D{
		{Key: "set", Value: ""},
		{Key: "date", Value: bson.DateTime(0)},
		{Key: "term", Value: int64(0)},
		{Key: "members", Value: bson.A{}},
	})
	members, _ := lookup(answer, "members").(bson.A)
	if len(members) != 1 {
		c.Fatalf("members: %v", members)
	}
	member, _ := members[0].(bson.D)
	c.has(member, doc(`{_id: 0, health: 1.0, state: 1, stateStr: 'PRIMARY', self: true}`))
	hello := c.Do(`admin {hello: 1}`)
	if lookup(member, "name") != lookup(hello, "me") ||
		lookup(answer, "set") != lookup(hello, "setName") {
		c.Errorf("status %s and hello %s differ", show(answer), show(hello))
	}
}
