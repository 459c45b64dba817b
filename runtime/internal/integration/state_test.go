package integration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
)

// lock is a document of _fw_locks, as far as tests look at it.
type lock struct {
	InstanceID string    `bson:"instanceId"`
	Term       int64     `bson:"term"`
	AcquiredAt time.Time `bson:"acquiredAt"`
	ExpiresAt  time.Time `bson:"expiresAt"`
	Released   *struct {
		Reason string `bson:"reason"`
	} `bson:"released"`
	Instance struct {
		Name string `bson:"name"`
		PID  int    `bson:"pid"`
	} `bson:"instance"`
}

// checkpoint is a document of _fw_checkpoints.
type checkpoint struct {
	Term     int64  `bson:"term"`
	Seq      int64  `bson:"seq"`
	Owner    string `bson:"owner"`
	Position struct {
		Token       bson.Raw       `bson:"token"`
		Kind        string         `bson:"kind"`
		ClusterTime bson.Timestamp `bson:"clusterTime"`
		EventID     string         `bson:"eventId"`
	} `bson:"position"`
	Scope struct {
		Deployment string `bson:"deployment"`
		Hash       string `bson:"hash"`
	} `bson:"scope"`
	UpdatedAt time.Time `bson:"updatedAt"`
}

// deadLetter is a document of _fw_dlq.
type deadLetter struct {
	ID           string         `bson:"_id"`
	FullDocument bson.Raw       `bson:"fullDocument"`
	Attempts     int            `bson:"attempts"`
	Term         int64          `bson:"term"`
	Metadata     map[string]any `bson:"metadata"`
	Error        struct {
		Type       string `bson:"type"`
		Kind       string `bson:"kind"`
		Message    string `bson:"message"`
		StackTrace string `bson:"stackTrace"`
	} `bson:"error"`
}

// find returns the document of an id as a T, the zero T if there is none.
func find[T any](t testing.TB, db *mongo.Database, collection, id string) (doc T) {
	t.Helper()
	err := db.Collection(collection).FindOne(t.Context(), bson.M{"_id": id}).Decode(&doc)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		t.Fatalf("read %s %q: %v", collection, id, err)
	}
	return doc
}

func lockOf(t testing.TB, db *mongo.Database, stream string) lock {
	t.Helper()
	return find[lock](t, db, "_fw_locks", stream)
}

func checkpointOf(t testing.TB, db *mongo.Database, id string) checkpoint {
	t.Helper()
	return find[checkpoint](t, db, "_fw_checkpoints", id)
}

func deadLettersOf(t testing.TB, db *mongo.Database, stream string) []deadLetter {
	t.Helper()
	cursor, err := db.Collection("_fw_dlq").Find(t.Context(), bson.M{"streamName": stream},
		options.Find().SetSort(bson.D{{Key: "clusterTime", Value: 1}}))
	must(t, err)
	var letters []deadLetter
	must(t, cursor.All(t.Context(), &letters))
	return letters
}

// stateWatch watches what is written to checkpoints and dead letters of one stream, and by its
// fenced handlers, and notes whatever a stale term gets written.
type stateWatch struct {
	stop func()
	done chan struct{}

	mu     sync.Mutex // guards what follows
	term   int64
	owner  string
	seq    int64
	effect int64 // the term of the last effect
	faults []error
}

// watchState begins to watch. The changes of a transaction and those of other writers arrive in
// the order in which the server has them.
func watchState(t testing.TB, db *mongo.Database) *stateWatch {
	t.Helper()
	changes, err := db.Watch(t.Context(), mongo.Pipeline{{{Key: "$match", Value: bson.M{
		"ns.coll": bson.M{"$in": bson.A{"_fw_checkpoints", "_fw_dlq", childapp.Effects}},
	}}}})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	w := &stateWatch{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer func() { _ = changes.Close(context.Background()) }()
		for changes.Next(ctx) {
			w.see(changes.Current)
		}
	}()
	t.Cleanup(func() { cancel(); <-w.done })
	return w
}

func (w *stateWatch) see(raw bson.Raw) {
	var change struct {
		Namespace struct {
			Collection string `bson:"coll"`
		} `bson:"ns"`
		Full   bson.M `bson:"fullDocument"`
		Update struct {
			Fields bson.M `bson:"updatedFields"`
		} `bson:"updateDescription"`
	}
	err := bson.Unmarshal(raw, &change)
	w.mu.Lock()
	defer w.mu.Unlock()
	fields := change.Full
	if fields == nil {
		fields = change.Update.Fields
	}
	term, hasTerm := fields["term"].(int64)
	switch {
	case err != nil:
		w.faults = append(w.faults, err)
	case change.Namespace.Collection == childapp.Effects:
		if hasTerm && term < w.effect {
			w.faults = append(w.faults, fmt.Errorf("an effect of term %d after one of %d", term, w.effect))
		}
		w.effect = max(w.effect, term)
	case hasTerm && term < w.term:
		w.faults = append(w.faults, fmt.Errorf("%s got term %d after %d: %v",
			change.Namespace.Collection, term, w.term, fields))
	case change.Namespace.Collection == "_fw_checkpoints":
		w.seeCheckpoint(fields, term)
	}
}

// seeCheckpoint follows the fields of the checkpoint. One that did not change is absent.
func (w *stateWatch) seeCheckpoint(fields bson.M, term int64) {
	if term > w.term {
		w.term, w.owner = term, ""
	}
	if owner, ok := fields["owner"].(string); ok {
		if w.owner != "" && owner != w.owner {
			w.faults = append(w.faults, fmt.Errorf("the owner of term %d changed from %s to %s",
				w.term, w.owner, owner))
		}
		w.owner = owner
	}
	if seq, ok := fields["seq"].(int64); ok {
		if seq < w.seq {
			w.faults = append(w.faults, fmt.Errorf("seq went from %d to %d", w.seq, seq))
		}
		w.seq = seq
	}
}

// check fails the test if a stale term got something written, or if nothing was seen.
func (w *stateWatch) check(t testing.TB) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seq == 0 {
		t.Error("no save was seen")
	}
	for _, fault := range w.faults {
		t.Error(fault)
	}
}
