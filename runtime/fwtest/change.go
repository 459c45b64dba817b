package fwtest

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Change is something that happens to one document.
type Change struct {
	before any // the document as it is before; nil: there is none
	happen func(context.Context, *mongo.Collection, any) error
}

// Insert is a new document: a struct or any other value that the driver encodes as a document.
func Insert(doc any) Change {
	return Change{happen: func(ctx context.Context, c *mongo.Collection, _ any) error {
		_, err := c.InsertOne(ctx, doc)
		return err
	}}
}

// Update is a change of a document that exists, by update operators or a pipeline.
func Update(before, update any) Change {
	return Change{before, func(ctx context.Context, c *mongo.Collection, id any) error {
		result, err := c.UpdateByID(ctx, id, update)
		if err == nil && result.ModifiedCount == 0 {
			return errors.New("the update changes nothing, so there is no event")
		}
		return err
	}}
}

// Replace puts another document in the place of one that exists.
func Replace(before, after any) Change {
	return Change{before, func(ctx context.Context, c *mongo.Collection, id any) error {
		_, err := c.ReplaceOne(ctx, bson.D{{Key: "_id", Value: id}}, after)
		return err
	}}
}

// Delete removes a document that exists.
func Delete(before any) Change {
	return Change{before, func(ctx context.Context, c *mongo.Collection, id any) error {
		_, err := c.DeleteOne(ctx, bson.D{{Key: "_id", Value: id}})
		return err
	}}
}

// prepare stores the document as it is before, and returns its _id.
func (c Change) prepare(ctx context.Context, in *mongo.Collection) (any, error) {
	if c.happen == nil {
		return nil, errors.New("an empty Change; Insert, Update, Replace and Delete make one")
	}
	if c.before == nil {
		return nil, nil
	}
	result, err := in.InsertOne(ctx, c.before)
	if err != nil {
		return nil, fmt.Errorf("store the document as it was before: %w", err)
	}
	return result.InsertedID, nil
}
