package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Codes of the server.
const (
	namespaceExists      = 48
	indexOptionsConflict = 85
	indexKeyConflict     = 86
	documentInvalid      = 121
)

// expiryIndex removes documents when the instant in expiresAt has passed by the server's clock.
var expiryIndex = expiryIndexAfter(0)

func expiryIndexAfter(grace time.Duration) bson.D {
	return bson.D{
		kv("key", bson.D{kv("expiresAt", 1)}),
		kv("name", "expiresAt_1"),
		kv("expireAfterSeconds", int(grace.Seconds())),
	}
}

// listIndex serves lists of a stream's dead letters by status and age.
var listIndex = bson.D{
	kv("key", bson.D{kv("streamName", 1), kv("status", 1), kv("createdAt", 1)}),
	kv("name", "streamName_1_status_1_createdAt_1"),
}

// Prepare makes the collections of leases, checkpoints and instances and their indexes. It may be
// called again, and by several processes at once.
func (s *Store) Prepare(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := s.leases.db.prepare(ctx, s.leases.collection); err != nil {
		return err
	}
	if err := s.checkpoints.db.prepare(ctx, s.checkpoints.collection, expiryIndex); err != nil {
		return err
	}
	return s.instances.db.prepare(ctx, s.instances.collection, expiryIndexAfter(remains))
}

// Close gives back what the stores hold in the server. The stores must not be used afterwards.
func (s *Store) Close(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	return s.letters.close(ctx)
}

// Prepare implements [store.DeadLetterWriter]. It refuses a collection that could not take a dead
// letter: a view, a capped or a time-series collection, or one with a validator that refuses.
func (d *DeadLetters) Prepare(ctx context.Context, collection string) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := d.db.prepare(ctx, collection, expiryIndex, listIndex); err != nil {
		return err
	}
	if err := d.probe(ctx, collection); err != nil {
		return fmt.Errorf("probe collection %s.%s: %w", d.db.db.Name(), collection, err)
	}
	return nil
}

func (d *DeadLetters) close(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var problems []error
	for checkpoint, w := range d.writers {
		if err := w.end(ctx); err != nil {
			problems = append(problems, fmt.Errorf("end session of %q: %w", checkpoint, err))
		}
	}
	return errors.Join(problems...)
}

// prepare makes a collection with its indexes.
func (c commands) prepare(ctx context.Context, collection string, indexes ...bson.D) error {
	if err := c.create(ctx, collection); err != nil {
		return fmt.Errorf("create collection %s.%s: %w", c.db.Name(), collection, err)
	}
	if len(indexes) == 0 {
		return nil
	}
	_, err := c.write(ctx, bson.D{kv("createIndexes", collection), kv("indexes", indexes)})
	if hasCode(err, indexOptionsConflict, indexKeyConflict) {
		return fmt.Errorf("create indexes of %s.%s: an index with the same keys or name but other "+
			"options exists; drop it: %w", c.db.Name(), collection, err)
	}
	if err != nil {
		return fmt.Errorf("create indexes of %s.%s: %w", c.db.Name(), collection, err)
	}
	return nil
}

// create makes a collection unless it exists, and checks that it is an ordinary one.
func (c commands) create(ctx context.Context, collection string) error {
	found, err := c.inspect(ctx, collection)
	if err != nil {
		return err
	}
	if found == nil {
		_, err := c.write(ctx, bson.D{kv("create", collection)})
		if err == nil || !hasCode(err, namespaceExists) {
			return err
		}
		if found, err = c.inspect(ctx, collection); err != nil {
			return err
		}
	}
	return ordinary(found)
}

// inspect returns what listCollections says about a collection, or nil.
func (c commands) inspect(ctx context.Context, collection string) (document, error) {
	answer, err := c.run(ctx, bson.D{
		kv("listCollections", 1),
		kv("filter", bson.D{kv("name", collection)}),
	})
	if err != nil {
		return nil, err
	}
	return firstOf(answer)
}

func ordinary(info document) error {
	kind := info.str("type")
	capped, _ := info.sub("options").lookup("capped").BooleanOK()
	switch {
	case kind != "" && kind != "collection":
		return fmt.Errorf("it is a %s; state needs a collection of its own", kind)
	case capped:
		return errors.New("it is capped and would lose state; state needs a collection of its own")
	}
	return nil
}
