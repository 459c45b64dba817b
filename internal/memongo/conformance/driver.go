package conformance

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// driverChecks are the checks of what programs call: the driver's methods, whose writes are
// retryable.
func driverChecks() []check {
	return []check{
		{name: "driver/insert and find one", run: driverFindOne},
		{name: "driver/find one and none", run: driverFindNone},
		{name: "driver/update", run: driverUpdate},
		{name: "driver/upsert", run: driverUpsert},
		{name: "driver/update by a pipeline", run: driverPipeline},
		{name: "driver/replace", run: driverReplace},
		{name: "driver/delete", run: driverDelete},
		{name: "driver/find one and change", run: driverFindAndModify},
		{name: "driver/duplicate key", run: driverDuplicate},
		{name: "driver/errors of commands", run: driverErrors},
		{name: "driver/distinct", run: driverDistinct},
		{name: "driver/aggregate", run: driverAggregate},
		{name: "driver/indexes", run: driverIndexes},
		{name: "driver/create and drop", run: driverCollections},
	}
}

// same compares a value with what is wanted.
func (c *C) same(what string, got any, want string) {
	c.Helper()
	if show(got) != show(val(want)) {
		c.Errorf("%s: %s, not %s", what, brief(got), show(val(want)))
	}
}

// must ends the check on an error.
func (c *C) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("%v", err)
	}
}

func driverFindOne(c *C) {
	inserted, err := c.Collection().InsertOne(c.Context(), doc(`{_id: 1, a: long(5)}`))
	c.must(err)
	c.same("inserted", inserted.InsertedID, `1`)
	var d bson.D
	c.must(c.Collection().FindOne(c.Context(), doc(`{a: 5}`)).Decode(&d))
	c.same("found", d, `{_id: 1, a: long(5)}`)
}

func driverFindNone(c *C) {
	err := c.Collection().FindOne(c.Context(), doc(`{a: 5}`)).Err()
	if !errors.Is(err, mongo.ErrNoDocuments) {
		c.Errorf("found nothing: %v", err)
	}
}

func driverUpdate(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}, {_id: 2, a: 1}]`)
	one, err := c.Collection().UpdateOne(c.Context(), doc(`{_id: 1}`), doc(`{$set: {a: 2}}`))
	c.must(err)
	c.same("one", bson.A{one.MatchedCount, one.ModifiedCount}, `[long(1), long(1)]`)
	many, err := c.Collection().UpdateMany(c.Context(), bson.D{}, doc(`{$set: {a: 2}}`))
	c.must(err)
	c.same("many", bson.A{many.MatchedCount, many.ModifiedCount}, `[long(2), long(1)]`)
	byID, err := c.Collection().UpdateByID(c.Context(), int32(2), doc(`{$inc: {a: 1}}`))
	c.must(err)
	c.same("by id", bson.A{byID.MatchedCount, byID.ModifiedCount}, `[long(1), long(1)]`)
	c.ExpectDocuments("c", `[{_id: 1, a: 2}, {_id: 2, a: 3}]`)
}

func driverUpsert(c *C) {
	up := options.UpdateOne().SetUpsert(true)
	result, err := c.Collection().UpdateOne(c.Context(), doc(`{k: 'x'}`), doc(`{$inc: {n: 1}}`), up)
	c.must(err)
	if _, made := result.UpsertedID.(bson.ObjectID); !made || result.UpsertedCount != 1 {
		c.Errorf("upserted: %+v", result)
	}
	result, err = c.Collection().UpdateOne(c.Context(), doc(`{k: 'x'}`), doc(`{$inc: {n: 1}}`), up)
	c.must(err)
	if result.UpsertedID != nil || result.MatchedCount != 1 {
		c.Errorf("updated: %+v", result)
	}
}

func driverPipeline(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}]`)
	change := mongo.Pipeline{doc(`{$set: {b: {$add: ['$a', 1]}}}`)}
	_, err := c.Collection().UpdateOne(c.Context(), doc(`{_id: 1}`), change)
	c.must(err)
	c.ExpectDocuments("c", `[{_id: 1, a: 1, b: 2}]`)
}

func driverReplace(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}]`)
	result, err := c.Collection().ReplaceOne(c.Context(), doc(`{_id: 1}`), doc(`{b: 1}`))
	c.must(err)
	c.same("counts", bson.A{result.MatchedCount, result.ModifiedCount}, `[long(1), long(1)]`)
	c.ExpectDocuments("c", `[{_id: 1, b: 1}]`)
}

func driverDelete(c *C) {
	c.Insert("c", `[{_id: 1}, {_id: 2}, {_id: 3}]`)
	one, err := c.Collection().DeleteOne(c.Context(), doc(`{_id: 1}`))
	c.must(err)
	many, err := c.Collection().DeleteMany(c.Context(), bson.D{})
	c.must(err)
	c.same("counts", bson.A{one.DeletedCount, many.DeletedCount}, `[long(1), long(2)]`)
}

func driverFindAndModify(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}]`)
	var d bson.D
	after := options.FindOneAndUpdate().SetReturnDocument(options.After).
		SetProjection(doc(`{_id: 0}`))
	c.must(c.Collection().FindOneAndUpdate(c.Context(), doc(`{_id: 1}`), doc(`{$inc: {a: 1}}`),
		after).Decode(&d))
	c.same("after", d, `{a: 2}`)
	c.must(c.Collection().FindOneAndReplace(c.Context(), doc(`{_id: 1}`), doc(`{b: 1}`)).Decode(&d))
	c.same("before", d, `{_id: 1, a: 2}`)
	c.must(c.Collection().FindOneAndDelete(c.Context(), doc(`{_id: 1}`)).Decode(&d))
	c.same("deleted", d, `{_id: 1, b: 1}`)
	err := c.Collection().FindOneAndDelete(c.Context(), doc(`{_id: 1}`)).Err()
	if !errors.Is(err, mongo.ErrNoDocuments) {
		c.Errorf("nothing to delete: %v", err)
	}
}

func driverDuplicate(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	_, err := c.Collection().InsertOne(c.Context(), doc(`{_id: 1}`))
	if !mongo.IsDuplicateKeyError(err) {
		c.Errorf("insert: %v", err)
	}
	up := options.FindOneAndUpdate().SetUpsert(true)
	err = c.Collection().FindOneAndUpdate(c.Context(), doc(`{_id: 1, a: 5}`),
		doc(`{$set: {b: 1}}`), up).Err()
	if !mongo.IsDuplicateKeyError(err) {
		c.Errorf("findAndModify: %v", err)
	}
}

func driverErrors(c *C) {
	_, err := c.Collection().Find(c.Context(), doc(`{a: {$nope: 1}}`))
	var refused mongo.CommandError
	if !errors.As(err, &refused) || refused.Code != 2 || refused.Name != "BadValue" ||
		len(refused.Labels) != 0 {
		c.Errorf("find: %#v", err)
	}
	_, err = c.Collection().UpdateOne(c.Context(), bson.D{}, doc(`{$set: {a: 1}, $inc: {a: 1}}`))
	var failed mongo.WriteException
	if !errors.As(err, &failed) || len(failed.WriteErrors) != 1 ||
		failed.WriteErrors[0].Code != 40 {
		c.Errorf("update: %#v", err)
	}
}

func driverDistinct(c *C) {
	c.Insert("c", `[{_id: 1, a: 'x'}, {_id: 2, a: 'x'}, {_id: 3, a: 'y'}]`)
	var values []string
	c.must(c.Collection().Distinct(c.Context(), "a", bson.D{}).Decode(&values))
	if len(values) != 2 {
		c.Errorf("values %v", values)
	}
}

func driverAggregate(c *C) {
	c.Insert("c", `[{_id: 1, a: 1}, {_id: 2, a: 2}]`)
	cursor, err := c.Collection().Aggregate(c.Context(), mongo.Pipeline{
		doc(`{$group: {_id: null, sum: {$sum: '$a'}}}`),
	})
	c.must(err)
	var all []bson.D
	c.must(cursor.All(c.Context(), &all))
	if len(all) != 1 {
		c.Fatalf("documents %v", all)
	}
	c.same("sum", all[0], `{_id: null, sum: 3}`)
}

func driverIndexes(c *C) {
	names, err := c.Collection().Indexes().CreateMany(c.Context(), []mongo.IndexModel{
		{Keys: doc(`{a: 1}`), Options: options.Index().SetUnique(true)},
		{Keys: doc(`{b: -1, c: 1}`)},
		{Keys: doc(`{t: 1}`), Options: options.Index().SetExpireAfterSeconds(60)},
	})
	c.must(err)
	if len(names) != 3 || names[0] != "a_1" || names[1] != "b_-1_c_1" {
		c.Errorf("names %v", names)
	}
	c.must(c.Collection().Indexes().DropOne(c.Context(), "b_-1_c_1"))
	specs, err := c.Collection().Indexes().ListSpecifications(c.Context())
	c.must(err)
	if len(specs) != 3 || specs[1].Unique == nil || !*specs[1].Unique ||
		specs[2].ExpireAfterSeconds == nil || *specs[2].ExpireAfterSeconds != 60 {
		c.Errorf("specifications %v", specs)
	}
	c.must(c.Collection().Indexes().DropAll(c.Context()))
}

func driverCollections(c *C) {
	images := options.CreateCollection().SetChangeStreamPreAndPostImages(doc(`{enabled: true}`))
	c.must(c.DB.CreateCollection(c.Context(), "c", images))
	err := c.DB.CreateCollection(c.Context(), "c")
	var refused mongo.CommandError
	if !errors.As(err, &refused) || refused.Code != 48 {
		c.Errorf("create again: %v", err)
	}
	c.must(c.Collection().Drop(c.Context()))
	c.must(c.Collection().Drop(c.Context())) // the driver takes 26 for success
	c.must(c.DB.Drop(c.Context()))
}
