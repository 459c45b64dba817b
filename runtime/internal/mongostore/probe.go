package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/store"
)

// probe writes a dead letter and takes it back before anybody can see it. It finds validators and
// missing rights at the start, instead of when the first event fails.
func (d *DeadLetters) probe(ctx context.Context, collection string) error {
	work, cancel := reserve(ctx)
	defer cancel()
	session, err := d.db.db.Client().StartSession(options.Session().SetCausalConsistency(false))
	if err != nil {
		return err
	}
	defer session.EndSession(ctx) // aborts the transaction
	if err := session.StartTransaction(transactionOptions()); err != nil {
		return err
	}
	l := sample(collection)
	_, err = d.db.run(mongo.NewSessionContext(work, session), upsert(l, letter.New(l)))
	if hasLabel(err, "TransientTransactionError") {
		return nil // somebody else's probe
	}
	return explained(err)
}

// explained adds what to do to errors that no repetition cures.
func explained(err error) error {
	if hasCode(err, documentInvalid) {
		return fmt.Errorf("the collection's validator refuses dead letters; "+
			"change it, or name another collection: %w", err)
	}
	return err
}

// sample is a dead letter of the ordinary kind.
func sample(collection string) store.DeadLetter {
	at := time.Now()
	return store.DeadLetter{
		Collection: collection, ID: "fw.probe/0.0-0000000000000000", Stream: "fw.probe",
		Operation: "INSERT", Term: 1, InstanceID: "fw.probe",
		DocumentKey:  raw(bson.D{kv("_id", "probe")}),
		FullDocument: bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw(bson.D{})},
		Namespace:    raw(bson.D{kv("db", "probe"), kv("coll", "probe")}),
		ClusterTime:  bson.Timestamp{T: 1},
		WallTime:     at,
		ResumeToken:  raw(bson.D{kv("_data", "82")}),
		Error: store.DeadLetterError{
			Type: "error", Kind: "handler", Message: "probe", StackTrace: "probe",
		},
		Attempts: 1, FirstAttemptAt: at, LastAttemptAt: at, Retention: time.Hour,
	}
}

func raw(fields bson.D) bson.Raw {
	raw, err := bson.Marshal(fields)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}
