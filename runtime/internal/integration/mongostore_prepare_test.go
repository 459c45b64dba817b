package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestPrepareMakesTheDocumentedIndexes(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	for range 2 { // also where they exist
		must(t, db.store.Prepare(within(t, 10*time.Second)))
		must(t, db.store.DeadLetters().Prepare(within(t, 10*time.Second), "_fw_dlq"))
	}
	for collection, want := range map[string][]string{
		"_fw_locks":       {`{"_id":1}`},
		"_fw_checkpoints": {`{"_id":1}`, `{"expiresAt":1} after 0`},
		"_fw_instances":   {`{"_id":1}`, `{"expiresAt":1} after 3600`},
		"_fw_dlq": {
			`{"_id":1}`, `{"expiresAt":1} after 0`, `{"streamName":1,"status":1,"createdAt":1}`,
		},
	} {
		if got := db.indexes(t, collection); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s has indexes %v, want %v", collection, got, want)
		}
	}
}

func (db *stateDB) indexes(t *testing.T, collection string) []string {
	t.Helper()
	specs, err := db.Collection(collection).Indexes().ListSpecifications(t.Context())
	must(t, err)
	var indexes []string
	for _, spec := range specs {
		keys, err := bson.MarshalExtJSON(spec.KeysDocument, false, false)
		must(t, err)
		index := string(keys)
		if spec.ExpireAfterSeconds != nil {
			index += " after " + fmt.Sprint(*spec.ExpireAfterSeconds)
		}
		indexes = append(indexes, index)
	}
	return indexes
}

func TestPrepareByManyProcessesAtOnce(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			return db.store.DeadLetters().Prepare(within(t, 20*time.Second), "letters")
		})
	}
	must(t, group.Wait())
}

// B119: a collection that could not take dead letters is refused before the first one.
func TestPrepareRefusesWhatCannotKeepState(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx := within(t, 20*time.Second)
	must(t, db.CreateCollection(ctx, "capped",
		options.CreateCollection().SetCapped(true).SetSizeInBytes(1<<20)))
	must(t, db.CreateView(ctx, "view", "orders", mongo.Pipeline{}))
	must(t, db.CreateCollection(ctx, "strict", options.CreateCollection().SetValidator(
		bson.M{"$jsonSchema": bson.M{"required": bson.A{"approvedBy"}}})))
	must(t, db.CreateCollection(ctx, "other"))
	_, err := db.Collection("other").Indexes().CreateOne(ctx, mongo.IndexModel{
		Keys:    bson.D{{Key: "expiresAt", Value: 1}},
		Options: options.Index().SetExpireAfterSeconds(60),
	})
	must(t, err)
	for collection, want := range map[string]string{
		"capped": "capped",
		"view":   "a view",
		"strict": "validator",
		"other":  "drop it",
	} {
		err := db.store.DeadLetters().Prepare(ctx, collection)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), db.Name()+"."+collection) {
			t.Errorf("%s: %v, want the reason %q", collection, err, want)
		}
	}
	n, err := db.Collection("strict").CountDocuments(ctx, bson.M{})
	must(t, err)
	if n != 0 {
		t.Errorf("%d documents are left by the probe", n)
	}
}

// A validator that appears later is a configuration error too, not something to try again for ever.
func TestAValidatorThatRefusesALetterIsNamed(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx := within(t, 20*time.Second)
	must(t, db.store.DeadLetters().Prepare(ctx, "_fw_dlq"))
	must(t, db.RunCommand(ctx, bson.D{
		{Key: "collMod", Value: "_fw_dlq"},
		{Key: "validator", Value: bson.M{"approvedBy": bson.M{"$exists": true}}},
	}).Err())
	err := db.store.DeadLetters().Write(ctx, db.lead(t, 1), letter("m"))
	if err == nil || !strings.Contains(err.Error(), "validator") {
		t.Errorf("got %v, want that a validator refused it", err)
	}
}

// The end of a watch leaves no cursor in the server.
func TestAWatchLeavesNoCursor(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.store.Leases().Watch(ctx, func() { close(ready) }, func(store.Lease) {})
	}()
	<-ready
	if n := db.cursors(t); n != 1 {
		t.Errorf("%d cursors while watching, want 1", n)
	}
	began := time.Now()
	cancel()
	<-ended
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("Watch took %v to end", took)
	}
	if n := db.cursors(t); n != 0 {
		t.Errorf("%d cursors after the watch, want none", n)
	}
}

// cursors counts the open change streams on the leases.
func (db *stateDB) cursors(t *testing.T) int {
	t.Helper()
	admin := db.Client().Database("admin")
	cursor, err := admin.Aggregate(t.Context(), mongo.Pipeline{
		{{Key: "$currentOp", Value: bson.M{"idleCursors": true, "allUsers": true}}},
		{{Key: "$match", Value: bson.M{
			"ns": db.Name() + "._fw_locks", "cursor.originatingCommand.comment": "fw:leases",
		}}},
	})
	must(t, err)
	var open []bson.Raw
	must(t, cursor.All(t.Context(), &open))
	return len(open)
}

// The server logs a change by a pipeline as a replacement where that is shorter.
func TestAWatchTellsOfReplacements(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	_, err := db.locks().InsertOne(ctx, bson.M{"_id": "orders", "instanceId": "a", "term": 1})
	must(t, err)
	ready, ended := make(chan struct{}), make(chan error, 1)
	told := make(chan store.Lease, 10)
	go func() {
		ended <- db.store.Leases().Watch(ctx, func() { close(ready) },
			func(lease store.Lease) { told <- lease })
	}()
	<-ready
	_, err = db.locks().ReplaceOne(ctx, bson.M{"_id": "orders"}, bson.M{"instanceId": nil, "term": 1})
	must(t, err)
	select {
	case lease := <-told:
		if lease.Stream != "orders" || lease.Term != 1 || lease.Live() {
			t.Errorf("told of %+v", lease)
		}
	case <-ctx.Done():
		t.Error("the watch did not tell of a replacement")
	}
	cancel()
	<-ended
}

func TestAWatchEndsWithItsCollection(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ready, ended := make(chan struct{}), make(chan error, 1)
	ctx := within(t, 20*time.Second)
	go func() {
		ended <- db.store.Leases().Watch(ctx, func() { close(ready) }, func(store.Lease) {})
	}()
	<-ready
	must(t, db.locks().Drop(ctx))
	if err := <-ended; err == nil || ctx.Err() != nil {
		t.Errorf("got %v, want an error as soon as the collection is gone", err)
	}
}

// Documents as a person leaves them after editing by hand: numbers are doubles, a field is gone.
func TestEditedDocumentsAreUnderstood(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx := within(t, 20*time.Second)
	_, err := db.locks().InsertOne(ctx, bson.M{
		"_id": "orders", "instanceId": "a", "term": 4.0, "expiresAt": "tomorrow", "hold": nil,
	})
	must(t, err)
	lease, err := db.store.Leases().Acquire(ctx, ask("b"))
	must(t, err)
	if !lease.Granted("b") || lease.Term != 5 {
		t.Errorf("got %+v, want it granted under term 5", lease)
	}
	stored, err := db.row(ctx, "_fw_locks", "orders")
	must(t, err)
	if kind := stored.Lookup("term").Type; kind != bson.TypeInt64 {
		t.Errorf("term is stored as %v", kind)
	}

	_, err = db.Collection("_fw_checkpoints").InsertOne(ctx, bson.M{"_id": "orders", "term": 4.0})
	must(t, err)
	before, err := db.store.Checkpoints().Raise(ctx, "orders", 5)
	must(t, err)
	if before.Term != 4 {
		t.Errorf("Term = %d before, want 4", before.Term)
	}
	must(t, db.store.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 5, Seq: 1}))
}

// The lease document is what the documentation says, field by field.
func TestTheLeaseDocumentIsTheDocumentedOne(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx := within(t, 20*time.Second)
	req := ask("a/1")
	req.Priority, req.Instance = 2, store.Instance{Name: "a", Host: "h", PID: 7, Process: "1"}
	_, err := db.store.Leases().Acquire(ctx, req)
	must(t, err)
	db.mustHaveKeys(t, "_fw_locks", "_id instanceId term acquiredAt heartbeatAt expiresAt ttlMs "+
		"priority instance instance.name instance.host instance.pid instance.process")
	must(t, db.store.Leases().Release(ctx, store.ReleaseRequest{
		Stream: "orders", Owner: "a/1", Term: 1, Reason: store.Stopped,
	}))
	db.mustHaveKeys(t, "_fw_locks", "_id instanceId term acquiredAt heartbeatAt expiresAt ttlMs "+
		"priority instance instance.name instance.host instance.pid instance.process "+
		"released released.reason released.at")
	stored, err := db.row(ctx, "_fw_locks", "orders")
	must(t, err)
	if owner := stored.Lookup("instanceId"); owner.Type != bson.TypeNull {
		t.Errorf("instanceId = %v after the release, want null", owner)
	}
}

func TestTheCheckpointDocumentIsTheDocumentedOne(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	ctx := within(t, 20*time.Second)
	fence := db.lead(t, 1)
	db.mustHaveKeys(t, "_fw_checkpoints", "_id term seq fence updatedAt")
	token, err := bson.Marshal(bson.D{{Key: "_data", Value: "82"}})
	must(t, err)
	must(t, db.store.Checkpoints().Save(ctx, store.Save{
		ID: "orders", Term: 1, Seq: 1, Owner: "a", Lifetime: time.Hour,
		Position: store.Position{Token: token, Kind: store.PositionEvent, EventID: "1.1-a"},
	}))
	must(t, db.store.DeadLetters().Write(ctx, fence, letter("m")))
	db.mustHaveKeys(t, "_fw_checkpoints", "_id term seq fence updatedAt owner position "+
		"position.token position.token._data position.kind position.clusterTime position.eventId "+
		"scope scope.deployment scope.db scope.collections scope.hash expiresAt "+
		"session session.id session.term")
	stored, err := db.row(ctx, "_fw_checkpoints", "orders")
	must(t, err)
	kept := stored.Lookup("expiresAt").Time().Sub(stored.Lookup("updatedAt").Time())
	if kept != time.Hour {
		t.Errorf("kept for %v, want an hour", kept)
	}
	for _, key := range []string{"term", "seq", "fence"} {
		if kind := stored.Lookup(key).Type; kind != bson.TypeInt64 {
			t.Errorf("%s is stored as %v", key, kind)
		}
	}
	must(t, db.store.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 1, Seq: 2}))
	stored, err = db.row(ctx, "_fw_checkpoints", "orders")
	must(t, err)
	if expires, err := stored.LookupErr("expiresAt"); err == nil {
		t.Errorf("expiresAt = %v of a checkpoint that is kept for ever", expires)
	}
}

// mustHaveKeys checks which fields the document of the stream has, in any order.
func (db *stateDB) mustHaveKeys(t *testing.T, collection, want string) {
	t.Helper()
	db.mustHaveKeysOf(t, collection, "orders", want)
}

func (db *stateDB) mustHaveKeysOf(t *testing.T, collection, id, want string) {
	t.Helper()
	stored, err := db.row(t.Context(), collection, id)
	must(t, err)
	got, wanted := map[string]bool{}, map[string]bool{}
	keys(got, "", stored)
	for _, key := range strings.Fields(want) {
		wanted[key] = true
		if !got[key] {
			t.Errorf("%s: no %s in %v", collection, key, stored)
		}
	}
	for key := range got {
		if !wanted[key] {
			t.Errorf("%s: %s is not documented", collection, key)
		}
	}
}

func keys(into map[string]bool, prefix string, raw bson.Raw) {
	elements, err := raw.Elements()
	if err != nil {
		panic(err)
	}
	for _, element := range elements {
		into[prefix+element.Key()] = true
		if inner, ok := element.Value().DocumentOK(); ok {
			keys(into, prefix+element.Key()+".", inner)
		}
	}
}
