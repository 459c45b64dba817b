package mongostore

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// defaultTimeout bounds a call whose context has no deadline.
const defaultTimeout = 10 * time.Second

// duplicateKey is the server's code for two upserts of one new document. The server repeats such
// an upsert itself, but does not promise to.
const duplicateKey = 11000

// unauthorized is the server's code for a user who lacks a privilege.
const unauthorized = 13

// commands runs commands on a database. Raw commands, because the driver's methods would make them
// retryable writes (2 ms more, and a lease is safe to repeat without) and can't carry a wtimeout.
type commands struct {
	db *mongo.Database
}

// bounded gives ctx a deadline if it has none and takes away a session that it carries: state is
// not part of the caller's transaction.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx = mongo.NewSessionContext(ctx, nil)
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, defaultTimeout)
}

// run runs a command on the primary. The driver adds maxTimeMS from the deadline of ctx.
func (c commands) run(ctx context.Context, command bson.D) (bson.Raw, error) {
	raw, err := bson.Marshal(command) // not by the registry of the client
	if err != nil {
		return nil, err
	}
	answer, err := c.db.RunCommand(ctx, bson.Raw(raw)).Raw()
	return answer, withoutCommand(err)
}

// withoutCommand takes the command out of the message with which a server refuses it: it may hold
// a document, and documents do not belong into logs and states. The driver's own error, which has
// the message once more and is all that is printed where it is wrapped, goes with it.
func withoutCommand(err error) error {
	refused, ok := err.(mongo.CommandError)
	if !ok || refused.Code != unauthorized {
		return err
	}
	message, _, _ := strings.Cut(refused.Message, " to execute command")
	return mongo.CommandError{
		Code: refused.Code, Name: refused.Name, Message: message, Labels: refused.Labels,
	}
}

// write runs a command whose answer means that a majority has the result.
func (c commands) write(ctx context.Context, command bson.D) (bson.Raw, error) {
	return c.run(ctx, append(command, kv("writeConcern", majority(ctx))))
}

// majority is the write concern of every write. Without a wtimeout the server would wait on after
// the caller has gone; zero would mean for ever.
func majority(ctx context.Context) bson.D {
	concern := bson.D{kv("w", "majority")}
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline).Milliseconds(), 1)
		concern = append(concern, kv("wtimeout", left))
	}
	return concern
}

// modification is a findAndModify of one document by its _id alone. All conditions are in the
// pipeline: as part of the filter of an upsert they would turn "it is somebody else's" into a
// duplicate key.
type modification struct {
	collection string
	id         string
	pipeline   bson.A
	upsert     bool
	before     bool // answer with the document as it was before
}

// withTime is a projection that tells a document as of an instant of the server's clock.
var withTime = bson.D{kv("_id", 0), kv("document", "$$ROOT"), kv("now", now)}

// modify returns the document, and the server's time of the change. The document is nil if there
// was none.
func (c commands) modify(ctx context.Context, m modification) (document, time.Time, error) {
	command := bson.D{
		kv("findAndModify", m.collection),
		kv("query", bson.D{kv("_id", m.id)}),
		kv("update", m.pipeline),
		kv("upsert", m.upsert),
		kv("new", !m.before),
		kv("fields", withTime),
	}
	answer, err := c.write(ctx, command)
	if hasCode(err, duplicateKey) {
		answer, err = c.write(ctx, command)
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	value := document(answer).sub("value")
	return value.sub("document"), value.time("now"), nil
}

// update changes at most one document and returns how many matched.
func (c commands) update(
	ctx context.Context, collection string, filter bson.D, change any,
) (int64, error) {
	answer, err := c.write(ctx, updateCommand(collection, filter, change))
	if err != nil {
		return 0, err
	}
	return document(answer).int("n"), nil
}

func updateCommand(collection string, filter bson.D, change any) bson.D {
	return bson.D{
		kv("update", collection),
		kv("updates", bson.A{bson.D{kv("q", filter), kv("u", change)}}),
	}
}

// find reads a document by its _id. It returns nil if there is none.
func (c commands) find(
	ctx context.Context, collection, id, readConcern string,
) (document, error) {
	answer, err := c.run(ctx, bson.D{
		kv("find", collection),
		kv("filter", bson.D{kv("_id", id)}),
		kv("limit", 1), kv("singleBatch", true),
		kv("readConcern", bson.D{kv("level", readConcern)}),
	})
	if err != nil {
		return nil, err
	}
	return firstOf(answer)
}

// findTimed reads what a majority has of up to limit documents, each as withTime tells it.
func (c commands) findTimed(
	ctx context.Context, collection string, limit int, filter bson.D,
) ([]document, error) {
	answer, err := c.run(ctx, bson.D{
		kv("find", collection),
		kv("filter", filter),
		kv("projection", withTime),
		kv("limit", limit), kv("batchSize", limit), kv("singleBatch", true),
		kv("readConcern", bson.D{kv("level", "majority")}),
	})
	if err != nil {
		return nil, err
	}
	return batchOf(answer)
}

// firstOf returns the first document of a cursor's first batch, or nil.
func firstOf(answer bson.Raw) (document, error) {
	batch, err := batchOf(answer)
	if err != nil || len(batch) == 0 {
		return nil, err
	}
	return batch[0], nil
}

// batchOf returns the documents of a cursor's first batch.
func batchOf(answer bson.Raw) ([]document, error) {
	values, err := document(answer).sub("cursor").lookup("firstBatch").Array().Values()
	if err != nil {
		return nil, err
	}
	batch := make([]document, 0, len(values))
	for _, value := range values {
		batch = append(batch, document(value.Document()))
	}
	return batch, nil
}

// hasCode reports whether err carries a code of the server.
func hasCode(err error, codes ...int) bool {
	var answer mongo.ServerError
	if !errors.As(err, &answer) {
		return false
	}
	for _, code := range codes {
		if answer.HasErrorCode(code) {
			return true
		}
	}
	return false
}

// hasLabel reports whether err carries a label of the server or the driver.
func hasLabel(err error, label string) bool {
	var answer mongo.LabeledError
	return errors.As(err, &answer) && answer.HasErrorLabel(label)
}
