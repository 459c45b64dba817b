package conformance

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const seven = `[{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}, {_id: 5}, {_id: 6}, {_id: 7}]`

// cursorChecks are the checks of cursors that stay open, whose ids have to be passed on.
func cursorChecks() []check {
	return []check{
		{name: "cursor/batches until the end", run: cursorBatches},
		{name: "cursor/a batch of none opens it", run: cursorEmptyBatch},
		{name: "cursor/the last batch may be empty", run: cursorLastBatch},
		{name: "cursor/a killed one is not found", run: cursorKilled},
		{name: "cursor/of another collection", run: cursorElsewhere},
		{name: "cursor/the default batch has 101 documents", run: cursorDefaultBatch},
		{name: "cursor/dies with its collection", run: cursorDropped},
		{name: "cursor/has no batches of less than none", run: cursorNegativeBatch},
		{name: "cursor/getMore takes no time on a plain cursor", run: cursorNoAwait},
		{name: "cursor/belongs to its session", run: cursorOfSession},
		{name: "cursor/aggregate", run: cursorAggregate},
		{name: "cursor/by the driver", run: cursorDriver},
		{name: "count/by the driver", run: countDriver},
	}
}

// open returns the id of the cursor in an answer.
func open(c *C, answer bson.D) int64 {
	id, _ := lookup(answer, "cursor", "id").(int64)
	if id == 0 {
		c.Fatalf("no open cursor: %s", brief(answer))
	}
	return id
}

func cursorBatches(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	answer := c.Expect(`{find: 'c', sort: {_id: 1}, batchSize: 3}`,
		`{cursor: {ns: '%db.c', firstBatch: [{_id: 1}, {_id: 2}, {_id: 3}]}}`)
	id := open(c, answer)
	more := fmt.Sprintf(`{getMore: long(%d), collection: 'c', batchSize: 3}`, id)
	c.Expect(more, fmt.Sprintf(`{cursor: {id: long(%d), ns: '%%db.c',
		nextBatch: [{_id: 4}, {_id: 5}, {_id: 6}]}}`, id))
	c.Expect(more, `{cursor: {id: long(0), ns: '%db.c', nextBatch: [{_id: 7}]}}`)
	c.Expect(more, `!43 CursorNotFound`)
}

func cursorEmptyBatch(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	id := open(c, c.Expect(`{find: 'c', sort: {_id: 1}, batchSize: 0}`,
		`{cursor: {firstBatch: []}}`))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c', batchSize: 2}`, id),
		`{cursor: {nextBatch: [{_id: 1}, {_id: 2}]}}`)
}

func cursorLastBatch(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	id := open(c, c.Do(`{find: 'c', sort: {_id: 1}, batchSize: 7}`))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, id),
		`{cursor: {id: long(0), nextBatch: []}}`)
}

func cursorKilled(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	id := open(c, c.Do(`{find: 'c', batchSize: 2}`))
	c.Expect(fmt.Sprintf(`{killCursors: 'c', cursors: [long(%d), long(77)]}`, id),
		fmt.Sprintf(`{cursorsKilled: [long(%d)], cursorsNotFound: [long(77)], cursorsAlive: [],
		cursorsUnknown: []}`, id))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, id),
		fmt.Sprintf(`{ok: 0.0, code: 43, codeName: 'CursorNotFound',
			errmsg: 'cursor id %d not found'}`, id))
}

func cursorElsewhere(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	c.Insert("d", seven)
	id := open(c, c.Do(`{find: 'c', batchSize: 2}`))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'd'}`, id), `!13 Unauthorized`)
}

func cursorDefaultBatch(c *C) {
	c.InOneSession()
	var documents []any
	for i := range 150 {
		documents = append(documents, bson.D{{Key: "_id", Value: int32(i)}})
	}
	if _, err := c.Collection().InsertMany(c.Context(), documents); err != nil {
		c.Fatalf("insert: %v", err)
	}
	first := c.Do(`{find: 'c'}`)
	if n := len(lookup(first, "cursor", "firstBatch").(bson.A)); n != 101 {
		c.Errorf("the first batch has %d documents", n)
	}
	rest := c.Do(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, open(c, first)))
	if n := len(lookup(rest, "cursor", "nextBatch").(bson.A)); n != 49 {
		c.Errorf("the next batch has %d documents", n)
	}
}

func cursorDropped(c *C) {
	c.InOneSession()
	for _, end := range []string{
		`{drop: 'c'}`,
		`{dropDatabase: 1}`,
		`admin {renameCollection: '%db.c', to: '%db.other'}`,
	} {
		c.Insert("c", seven)
		id := open(c, c.Do(`{find: 'c', sort: {_id: 1}, batchSize: 2}`))
		aggregation := open(c, c.Do(`{aggregate: 'c', pipeline: [], cursor: {batchSize: 2}}`))
		c.Expect(end, `{}`)
		c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, id), `!175 QueryPlanKilled`)
		c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, aggregation),
			`!175 QueryPlanKilled`)
	}
}

func cursorNegativeBatch(c *C) {
	c.Expect(`{getMore: long(1), collection: 'c', batchSize: -1}`, `!51024 Location51024`)
}

func cursorNoAwait(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	id := open(c, c.Do(`{find: 'c', batchSize: 2}`))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c', maxTimeMS: 100}`, id), `!2 BadValue`)
}

func cursorOfSession(c *C) {
	c.Insert("c", seven)
	c.InOneSession()
	id := open(c, c.Do(`{find: 'c', batchSize: 2}`))
	c.InOneSession()
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c'}`, id), `!50738 Location50738`)
}

func cursorAggregate(c *C) {
	c.InOneSession()
	c.Insert("c", seven)
	id := open(c, c.Expect(
		`{aggregate: 'c', pipeline: [{$sort: {_id: -1}}], cursor: {batchSize: 2}}`,
		`{cursor: {ns: '%db.c', firstBatch: [{_id: 7}, {_id: 6}]}}`))
	c.Expect(fmt.Sprintf(`{getMore: long(%d), collection: 'c', batchSize: 9}`, id),
		`{cursor: {id: long(0), nextBatch: [{_id: 5}, {_id: 4}, {_id: 3}, {_id: 2}, {_id: 1}]}}`)
}

func cursorDriver(c *C) {
	c.Insert("c", seven)
	cursor, err := c.Collection().Find(c.Context(), bson.D{},
		options.Find().SetBatchSize(2).SetSort(bson.D{{Key: "_id", Value: -1}}))
	if err != nil {
		c.Fatalf("find: %v", err)
	}
	var all bson.A
	for cursor.Next(c.Context()) {
		var d bson.D
		if err := cursor.Decode(&d); err != nil {
			c.Fatalf("decode: %v", err)
		}
		all = append(all, lookup(d, "_id"))
	}
	if got := show(all); got != show(arr(`[7, 6, 5, 4, 3, 2, 1]`)) || cursor.Err() != nil {
		c.Errorf("%s, %v", got, cursor.Err())
	}
}

func countDriver(c *C) {
	c.Insert("c", seven)
	some, err := c.Collection().CountDocuments(c.Context(), doc(`{_id: {$gt: 5}}`))
	if some != 2 || err != nil {
		c.Errorf("CountDocuments: %d, %v", some, err)
	}
	none, err := c.DB.Collection("nope").CountDocuments(c.Context(), bson.D{})
	if none != 0 || err != nil {
		c.Errorf("CountDocuments of nothing: %d, %v", none, err)
	}
	all, err := c.Collection().EstimatedDocumentCount(c.Context())
	if all != 7 || err != nil {
		c.Errorf("EstimatedDocumentCount: %d, %v", all, err)
	}
}
