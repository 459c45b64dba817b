package integration

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/fwtest/leasetest"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/internal/storetest"
)

// stateDB is a database of its own with the state of streams.
type stateDB struct {
	*mongo.Database
	deployment *mongotest.Deployment
	store      *mongostore.Store
}

func newStateDB(t testing.TB, needs mongotest.Needs) *stateDB {
	t.Helper()
	deployment := mongotest.Start(t, needs)
	db := deployment.Database(t)
	return &stateDB{db, deployment, newStore(t, db)}
}

// newStore makes a store with its collections and closes it after the test.
func newStore(t testing.TB, db *mongo.Database) *mongostore.Store {
	t.Helper()
	state := mongostore.New(db.Client(), db.Name(), "_fw")
	must(t, state.Prepare(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := state.Close(ctx); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return state
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (db *stateDB) locks() *mongo.Collection { return db.Collection("_fw_locks") }

func TestMongoLeases(t *testing.T) {
	leasetest.Run(t, leasetest.Options{New: func(t testing.TB) leasetest.Store {
		db := newStateDB(t, mongotest.Needs{})
		client := db.deployment.Client(t)
		return leasetest.Store{
			Leases: mongostore.New(client, db.Name(), "_fw").Leases(),
			Delete: func(ctx context.Context, stream string) error {
				_, err := db.locks().DeleteOne(ctx, bson.M{"_id": stream})
				return err
			},
			Writes: db.writes,
			Break:  func() { _ = client.Disconnect(t.Context()) },
		}
	}})
}

// writes counts the entries of the oplog that are about the database.
func (db *stateDB) writes(ctx context.Context) (int64, error) {
	return db.Client().Database("local").Collection("oplog.rs").CountDocuments(ctx,
		bson.M{"ns": bson.M{"$regex": "^" + db.Name() + `\.`}})
}

func TestMongoCheckpoints(t *testing.T) {
	storetest.Checkpoints(t, func(t *testing.T) storetest.CheckpointsUnderTest {
		db := newStateDB(t, mongotest.Needs{})
		return storetest.CheckpointsUnderTest{
			Checkpoints: db.store.Checkpoints(),
			Delete: func(ctx context.Context, id string) error {
				_, err := db.Collection("_fw_checkpoints").DeleteOne(ctx, bson.M{"_id": id})
				return err
			},
		}
	})
}

func TestMongoDeadLetters(t *testing.T) {
	storetest.DeadLetters(t, func(t *testing.T) storetest.DeadLettersUnderTest {
		db := newStateDB(t, mongotest.Needs{})
		return storetest.DeadLettersUnderTest{
			DeadLetterWriter: db.store.DeadLetters(),
			Checkpoints:      db.store.Checkpoints(),
			Row:              db.row,
			SetStatus: func(ctx context.Context, collection, id, status string) error {
				_, err := db.Collection(collection).UpdateByID(ctx, id,
					bson.M{"$set": bson.M{"status": status}})
				return err
			},
		}
	})
}

// row returns a document by its id, or nil.
func (db *stateDB) row(ctx context.Context, collection, id string) (bson.Raw, error) {
	row, err := db.Collection(collection).FindOne(ctx, bson.M{"_id": id}).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return row, err
}
