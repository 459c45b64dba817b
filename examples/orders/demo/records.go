package main

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/examples/orders/billing"
)

// stream is the name of the example's stream.
const stream = "orders"

// lock is the lease as it is stored.
type lock struct {
	Term     int64  `bson:"term"`
	Owner    string `bson:"instanceId"`
	Instance struct {
		Name string `bson:"name"`
	} `bson:"instance"`
}

// checkpoint is the position as it is stored.
type checkpoint struct {
	Term     int64 `bson:"term"`
	Position struct {
		ClusterTime bson.Timestamp `bson:"clusterTime"`
	} `bson:"position"`
}

// letter is a dead letter.
type letter struct {
	Key struct {
		Order string `bson:"_id"`
	} `bson:"documentKey"`
	Error struct {
		Kind    string `bson:"kind"`
		Message string `bson:"message"`
	} `bson:"error"`
	Attempts int `bson:"attempts"`
}

func (s *story) lock() (l lock, err error) {
	return l, s.read("_fw_locks", &l)
}

func (s *story) checkpoint() (c checkpoint, err error) {
	return c, s.read("_fw_checkpoints", &c)
}

// read reads the stream's document of a state collection. One that is not there yet is zero.
func (s *story) read(collection string, into any) error {
	err := s.db.Collection(collection).FindOne(s.ctx, bson.M{"_id": stream}).Decode(into)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return fmt.Errorf("read %s: %w", collection, err)
	}
	return nil
}

func (s *story) bills(filter bson.M) ([]billing.Bill, error) {
	return list[billing.Bill](s.ctx, s.db.Collection("bills"), filter)
}

func (s *story) letters() ([]letter, error) {
	return list[letter](s.ctx, s.db.Collection("_fw_dlq"), bson.M{"streamName": stream})
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

// handledUnder are the bills that were handled under a term.
func handledUnder(term int64) bson.M { return bson.M{"handled.term": term} }
