package conformance

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// writeProgramChecks are those whose documents are made, or that go through the driver.
func writeProgramChecks() []check {
	return []check{
		{name: "limit/a document of 16 MB", uses: memory, run: documentSize},
		{name: "limit/an update makes a document too large", uses: memory, run: documentGrows},
		{name: "limit/depth of documents", run: documentDepth},
		{name: "limit/depth reached by an update", run: documentDeepens},
		{name: "batch/bulk of the driver", run: bulkWrite},
		{name: "batch/bulk of the driver with errors", run: bulkWriteErrors},
		{name: "batch/many documents", run: manyDocuments},
		{name: "update/currentDate", run: currentDate},
		{name: "insert/unacknowledged", run: unacknowledged},
	}
}

const (
	largest = 16 << 20

	// memory is used by one at a time: a server for tests has little cache.
	memory = "much of the cache"
)

// sized returns a document with a string that makes it so large.
func sized(id any, size int) bson.D {
	d := bson.D{{Key: "_id", Value: id}, {Key: "a", Value: ""}}
	raw, _ := bson.Marshal(d)
	d[1].Value = strings.Repeat("x", size-len(raw))
	return d
}

func documentSize(c *C) {
	if _, err := c.Collection().InsertOne(c.Context(), sized(int32(1), largest)); err != nil {
		c.Errorf("insert the largest document: %v", err)
	}
	command := bson.D{
		{Key: "insert", Value: "c"},
		{Key: "documents", Value: bson.A{sized(int32(2), largest+1)}},
	}
	answer := c.send(c.DB, command)
	differences := compare(answer, doc(`{n: 0, writeErrors: [{index: 0, code: 2}]}`))
	if differences != "" {
		c.Errorf("a document one byte larger: %s\nthe answer is %s", differences, brief(answer))
	}
}

func documentGrows(c *C) {
	if _, err := c.Collection().InsertOne(c.Context(), sized(int32(1), largest-100)); err != nil {
		c.Fatalf("insert: %v", err)
	}
	long := strings.Repeat("y", 200)
	c.Expect(`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: '`+long+`'}}}]}`,
		`{n: 0, writeErrors: [{index: 0, code: 17419}]}`)
	c.Expect(`{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {b: '`+long+`'}}]}]}`,
		`{n: 0, writeErrors: [{index: 0, code: 17419}]}`)
}

// nest returns a value below so many documents.
func nest(depth int) string {
	return strings.Repeat(`{a: `, depth) + `1` + strings.Repeat(`}`, depth)
}

func documentDepth(c *C) {
	c.Expect(`{insert: 'c', documents: [`+nest(180)+`]}`, `{n: 1}`)
	c.Expect(`{insert: 'c', documents: [`+nest(181)+`]}`,
		`{n: 0, writeErrors: [{index: 0, code: 15}]}`)
}

func documentDeepens(c *C) {
	c.Insert("c", `[{_id: 1}, {_id: 2}]`)
	path := strings.Repeat("a.", 179) + "a"
	c.Expect(`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {`+path+`: 1}}}]}`,
		`{n: 1, nModified: 1}`)
	c.Expect(`{update: 'c', updates: [{q: {_id: 2}, u: {$set: {a.`+path+`: 1}}}]}`,
		`{n: 0, writeErrors: [{index: 0, code: 15}]}`)
}

func bulkWrite(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3}]`)
	result, err := c.Collection().BulkWrite(c.Context(), []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(doc(`{_id: 4}`)),
		mongo.NewUpdateManyModel().SetFilter(doc(`{a: 1}`)).SetUpdate(doc(`{$set: {a: 2}}`)),
		mongo.NewReplaceOneModel().SetFilter(doc(`{_id: 9}`)).
			SetReplacement(doc(`{b: 1}`)).SetUpsert(true),
		mongo.NewDeleteOneModel().SetFilter(doc(`{_id: 3}`)),
	})
	if err != nil {
		c.Fatalf("bulk: %v", err)
	}
	counts := []int64{result.InsertedCount, result.MatchedCount, result.ModifiedCount,
		result.UpsertedCount, result.DeletedCount}
	for i, want := range []int64{1, 2, 2, 1, 1} {
		if counts[i] != want {
			c.Errorf("counts %v: number %d is not %d", counts, i, want)
		}
	}
	if id := result.UpsertedIDs[2]; id != int32(9) {
		c.Errorf("upserted %v", result.UpsertedIDs)
	}
	c.ExpectDocuments("c", `[{_id: 1, a: 2}, {_id: 2, a: 2}, {_id: 4}, {_id: 9, b: 1}]`)
}

func bulkWriteErrors(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	_, err := c.Collection().BulkWrite(c.Context(), []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(doc(`{_id: 2}`)),
		mongo.NewInsertOneModel().SetDocument(doc(`{_id: 1}`)),
		mongo.NewInsertOneModel().SetDocument(doc(`{_id: 3}`)),
	}, options.BulkWrite().SetOrdered(false))
	failed, ok := err.(mongo.BulkWriteException)
	if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 1 ||
		!mongo.IsDuplicateKeyError(err) {
		c.Errorf("%T %v", err, err)
	}
	c.ExpectDocuments("c", `[{_id: 1}, {_id: 2}, {_id: 3}]`)
}

func manyDocuments(c *C) {
	var documents []any
	for i := range 5000 {
		documents = append(documents, bson.D{{Key: "_id", Value: int32(i)}})
	}
	result, err := c.Collection().InsertMany(c.Context(), documents)
	if err != nil || len(result.InsertedIDs) != len(documents) {
		c.Fatalf("insert: %v", err)
	}
	c.Expect(`{count: 'c'}`, `{n: 5000}`)
	c.Expect(`{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, multi: true}]}`,
		`{n: 5000, nModified: 5000}`)
	c.Expect(`{delete: 'c', deletes: [{q: {_id: {$gte: 10}}, limit: 0}]}`, `{n: 4990}`)
}

func currentDate(c *C) {
	c.Insert("c", `[{_id: 1, old: 1}]`)
	c.Expect(`{update: 'c', updates: [{q: {}, u: {$currentDate: {a: true, b: {$type: 'date'},
		c: {$type: 'timestamp'}}}}]}`, `{n: 1, nModified: 1}`)
	c.Expect(`{aggregate: 'c', cursor: {}, pipeline: [{$project: {_id: 0, a: {$type: '$a'},
		b: {$eq: ['$a', '$b']}, c: {$type: '$c'}, old: 1,
		near: {$lt: [{$abs: {$subtract: ['$$NOW', '$a']}}, 30000]}}}]}`,
		`{cursor: {firstBatch: [{old: 1, a: 'date', b: true, c: 'timestamp', near: true}]}}`)
}

func unacknowledged(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	client := c.Connect()
	answer := client.Database(c.DB.Name()).RunCommand(c.Context(),
		doc(`{insert: 'c', documents: [{_id: 2}], writeConcern: {w: 0}}`))
	raw, err := answerOf(answer.Raw())
	if err != nil || lookup(raw, "ok") != 1.0 {
		c.Errorf("the answer of a write without acknowledgement: %s, %v", brief(raw), err)
	}
}
