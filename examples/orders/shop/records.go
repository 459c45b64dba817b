package shop

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/examples/orders/billing"
)

// Stream is the name of the example's stream.
const Stream = "orders"

// Lock is the lease as it is stored.
type Lock struct {
	Term     int64  `bson:"term"`
	Owner    string `bson:"instanceId"`
	Instance struct {
		Name string `bson:"name"`
	} `bson:"instance"`
}

// Checkpoint is the position as it is stored.
type Checkpoint struct {
	Term     int64 `bson:"term"`
	Position struct {
		ClusterTime bson.Timestamp `bson:"clusterTime"`
	} `bson:"position"`
}

// Letter is a dead letter.
type Letter struct {
	ID  string `bson:"_id"` // stream/event
	Key struct {
		Order string `bson:"_id"`
	} `bson:"documentKey"`
	Error struct {
		Kind    string `bson:"kind"`
		Message string `bson:"message"`
	} `bson:"error"`
	Attempts int `bson:"attempts"`
}

// Event returns the id of the event.
func (l Letter) Event() string {
	_, event, _ := strings.Cut(l.ID, "/")
	return event
}

// Records are what is stored in the example's database.
type Records struct{ DB *mongo.Database }

// Lock reads the lease. One that is not there yet is zero.
func (r Records) Lock(ctx context.Context) (l Lock, err error) {
	return l, r.read(ctx, "_fw_locks", &l)
}

// Checkpoint reads the position. One that is not there yet is zero.
func (r Records) Checkpoint(ctx context.Context) (c Checkpoint, err error) {
	return c, r.read(ctx, "_fw_checkpoints", &c)
}

func (r Records) read(ctx context.Context, collection string, into any) error {
	err := r.DB.Collection(collection).FindOne(ctx, bson.M{"_id": Stream}).Decode(into)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return fmt.Errorf("read %s: %w", collection, err)
	}
	return nil
}

// Bills lists the bills that match.
func (r Records) Bills(ctx context.Context, filter bson.M) ([]billing.Bill, error) {
	return list[billing.Bill](ctx, r.DB.Collection("bills"), filter)
}

// Letters lists the dead letters.
func (r Records) Letters(ctx context.Context) ([]Letter, error) {
	return list[Letter](ctx, r.DB.Collection("_fw_dlq"), bson.M{"streamName": Stream})
}

// LoseABill deletes one, so that a judge has something to find.
func (r Records) LoseABill(ctx context.Context) error {
	_, err := r.DB.Collection("bills").DeleteOne(ctx, bson.M{})
	return err
}

func list[T any](ctx context.Context, c *mongo.Collection, filter bson.M) (all []T, err error) {
	cursor, err := c.Find(ctx, filter)
	if err == nil {
		err = cursor.All(ctx, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.Name(), err)
	}
	return all, nil
}
