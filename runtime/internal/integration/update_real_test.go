package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"pgregory.net/rapid"
)

// realUpdates lets a real server do what the cases say.
type realUpdates struct {
	collection *mongo.Collection
	stream     *mongo.ChangeStream
	lastID     int32
}

func newRealUpdates(t *testing.T, db *mongo.Database) *realUpdates {
	t.Helper()
	ctx := t.Context()
	r := &realUpdates{collection: db.Collection("updates")}
	must(t, db.CreateCollection(ctx, "updates"))
	stream, err := r.collection.Watch(ctx, mongo.Pipeline{},
		options.ChangeStream().SetMaxAwaitTime(time.Second))
	must(t, err)
	t.Cleanup(func() { _ = stream.Close(context.Background()) })
	r.stream = stream
	return r
}

// apply inserts the documents, updates them, and reads what became of them.
func (r *realUpdates) apply(t *rapid.T, batch []updateCase) []outcome {
	ctx := context.Background()
	var docs, statements bson.A
	for i := range batch {
		if batch[i].doc != nil {
			docs = append(docs, batch[i].doc)
		}
		statements = append(statements, batch[i].statement())
	}
	if len(docs) > 0 {
		_, err := r.collection.InsertMany(ctx, docs)
		check(t, err)
	}
	answer := r.update(t, statements)
	outcomes := make([]outcome, len(batch))
	for _, failure := range answer.Errors {
		outcomes[failure.Index].failure = fmt.Sprintf("%d %s", failure.Code, failure.Message)
	}
	events := r.events(t, len(docs), answer.Modified+len(answer.Upserted))
	after := r.documents(t, batch)
	for i := range batch {
		if id := show(batch[i].id()); outcomes[i].failure == "" {
			outcomes[i].doc, outcomes[i].event = after[id], events[id]
		}
	}
	return outcomes
}

// updateAnswer is what the update command answers.
type updateAnswer struct {
	Modified int         `bson:"nModified"`
	Upserted []bson.D    `bson:"upserted"`
	Errors   []statement `bson:"writeErrors"`
}

// statement is an error of one of the updates.
type statement struct {
	Index   int    `bson:"index"`
	Code    int    `bson:"code"`
	Message string `bson:"errmsg"`
}

// update runs the command. Errors of single updates are part of the answer.
func (r *realUpdates) update(t *rapid.T, statements bson.A) (answer updateAnswer) {
	result := r.collection.Database().RunCommand(context.Background(), bson.D{
		{Key: "update", Value: r.collection.Name()},
		{Key: "updates", Value: statements},
		{Key: "ordered", Value: false},
	})
	raw, err := result.Raw()
	var failures mongo.WriteException
	if errors.As(err, &failures) {
		raw, err = failures.Raw, nil
	}
	check(t, err)
	check(t, bson.Unmarshal(raw, &answer))
	return answer
}

// events reads the events of a batch, by the _id of the document.
func (r *realUpdates) events(t *rapid.T, inserts, changes int) map[string]string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	events := map[string]string{}
	for n := range inserts + changes {
		if !r.stream.Next(ctx) {
			t.Fatalf("event %d of %d: %v", n, inserts+changes, r.stream.Err())
		}
		var e struct {
			Operation string `bson:"operationType"`
			Key       bson.D `bson:"documentKey"`
			Document  bson.D `bson:"fullDocument"`
			Update    bson.D `bson:"updateDescription"`
		}
		check(t, r.stream.Decode(&e))
		text := e.Operation + " " + show(e.Document)
		if e.Operation == "update" {
			text = e.Operation + " " + show(e.Update)
		}
		if n >= inserts {
			events[show(e.Key[0].Value)] = text
		}
	}
	return events
}

// documents reads the documents of a batch, by their _id.
func (r *realUpdates) documents(t *rapid.T, batch []updateCase) map[string]string {
	var ids bson.A
	for _, c := range batch {
		ids = append(ids, c.id())
	}
	cursor, err := r.collection.Find(context.Background(),
		bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}})
	check(t, err)
	var found []bson.D
	check(t, cursor.All(context.Background(), &found))
	docs := map[string]string{}
	for _, doc := range found {
		docs[show(doc[0].Value)] = show(doc)
	}
	return docs
}

func check(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
