package conformance

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// snapshotChecks are about reads of one moment outside of transactions.
func snapshotChecks() []check {
	return append(scripts(snapshotScripts),
		check{name: "snapshot/a session reads what it has read first", run: snapshotSession})
}

var snapshotScripts = []script{
	{"snapshot/which commands read one", `[{_id: 1, a: 1}]`, []step{
		{`{find: 'c', readConcern: {level: 'snapshot'}}`, `{cursor: {firstBatch: [{_id: 1, a: 1}]}}`},
		{`{distinct: 'c', key: 'a', readConcern: {level: 'snapshot'}}`, `{values: [1]}`},
		{`{count: 'c', readConcern: {level: 'snapshot'}}`, `!72 InvalidOptions`},
		{`{listIndexes: 'c', readConcern: {level: 'snapshot'}}`, `!72 InvalidOptions`},
	}},
	{"snapshot/a time needs the level", `[{_id: 1}]`, []step{
		{`{find: 'c', readConcern: {atClusterTime: ts(1, 1)}}`, `!72 InvalidOptions`},
		{`{find: 'c', readConcern: {level: 'majority', atClusterTime: ts(1, 1)}}`,
			`!72 InvalidOptions`},
		{`{find: 'c', readConcern: {level: 'snapshot', atClusterTime: 5}}`, `!14 TypeMismatch`},
		{`{find: 'c', readConcern: {level: 'snapshot', atClusterTime: ts(4000000000, 1)}}`,
			`!72 InvalidOptions`},
	}},
}

func snapshotSession(c *C) {
	c.Insert("c", `[{_id: 1}, {_id: 2}]`)
	opts := options.Session().SetSnapshot(true)
	c.must(c.Client.UseSessionWithOptions(c.Context(), opts, func(ctx context.Context) error {
		first := c.all(ctx)
		c.Insert("c", `[{_id: 3}]`)
		c.Do(`{update: 'c', updates: [{q: {_id: 1}, u: {a: 1}}]}`)
		c.same("the first read", first, `[{_id: 1}, {_id: 2}]`)
		c.same("the second read", c.all(ctx), `[{_id: 1}, {_id: 2}]`)
		n, err := c.Collection().CountDocuments(ctx, bson.D{})
		c.same("the number of documents", n, `long(2)`)
		return err
	}))
	c.same("a read without it", c.all(c.Context()), `[{_id: 1, a: 1}, {_id: 2}, {_id: 3}]`)
}

// all reads the collection by an aggregation, in the order of _id.
func (c *C) all(ctx context.Context) bson.A {
	c.Helper()
	order := mongo.Pipeline{{{Key: "$sort", Value: bson.D{{Key: "_id", Value: 1}}}}}
	cursor, err := c.Collection().Aggregate(ctx, order)
	c.must(err)
	found := []bson.D{}
	c.must(cursor.All(ctx, &found))
	documents := make(bson.A, len(found))
	for i, document := range found {
		documents[i] = document
	}
	return documents
}
