package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

func TestB129NothingIsRepeatedAfterACleanStop(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var first, second recorder
		a := b.run(fw.Config{}, stream(mode, &first))
		a.awaitPosition(checkpointID(mode))
		b.insert(span(1, 10)...)
		first.expect(a, span(1, 10)...)
		a.stop()

		b.insert(span(11, 15)...) // nobody reads
		a = b.run(fw.Config{}, stream(mode, &second))
		second.expect(a, span(11, 15)...)
		b.insert(16)
		second.expect(a, span(11, 16)...)
		if first.all()[0].term >= second.all()[0].term {
			b.Errorf("terms %d, then %d: want a greater one", first.all()[0].term,
				second.all()[0].term)
		}
	})
}

func TestB010CollectionMayComeLater(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		a := b.run(fw.Config{}, stream(mode, &r))
		a.await("items", fw.StateRunning, "")
		b.insert(1, 2)
		r.expect(a, 1, 2)
	})
}

func TestB120IdleStreamStoresHowFarItHasRead(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		s := stream(mode, &r)
		s.Checkpoint = fw.CheckpointPolicy{Idle: time.Second}
		a := b.run(fw.Config{}, s)
		last := a.awaitPosition(checkpointID(mode))
		for range 3 {
			_, err := b.db.Collection("elsewhere").InsertOne(b.Context(), bson.M{})
			must(b, err)
			before := last
			eventually(b, patience, func() error {
				last = checkpointOf(b, b.db, checkpointID(mode))
				if !last.Position.ClusterTime.After(before.Position.ClusterTime) {
					return fmt.Errorf("the position stays at %v", last.Position)
				}
				return nil
			}, a)
			if last.Position.Kind != "idle" {
				b.Errorf("the position is of kind %s, want idle", last.Position.Kind)
			}
			if apart := last.UpdatedAt.Sub(before.UpdatedAt); before.Seq > 1 &&
				apart < 900*time.Millisecond {
				b.Errorf("saved after %s, want once in %s", apart, s.Checkpoint.Idle)
			}
		}
		if r.count() > 0 {
			b.Errorf("events: %v", r.all())
		}
	})
}

// state is the database that keeps the state where it is not the watched one.
func (b *bundle) state() *mongo.Database {
	b.Helper()
	db := b.db.Client().Database(b.db.Name() + "_")
	b.Cleanup(func() { _ = db.Drop(context.WithoutCancel(b.Context())) })
	return db
}

func TestB005DropIsDeliveredAndTheStreamGoesOn(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		a := b.run(fw.Config{}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		must(b, b.items.Drop(b.Context()))
		b.insert(2)
		r.expect(a, 1, nil, 2)
		if op := r.all()[1].op; op != fw.OpDrop {
			b.Errorf("operation %s, want drop", op)
		}
		must(b, b.items.Drop(b.Context()))
		b.insert(3)
		r.expect(a, 1, nil, 2, nil, 3)
	})
}

func TestB006RecreatedWhileTheApplicationIsDown(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var first, second recorder
		var asked commands
		a := b.run(fw.Config{}, stream(mode, &first))
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		must(b, b.items.Drop(b.Context()))
		first.expect(a, 1, nil)
		eventually(b, patience, func() error {
			if c := checkpointOf(b, b.db, checkpointID(mode)); c.Position.Kind != "invalidate" {
				return fmt.Errorf("the position is of kind %s", c.Position.Kind)
			}
			return nil
		}, a)
		a.stop()

		b.insert(2, 3, 4)
		a = b.run(fw.Config{Client: asked.client(b)}, stream(mode, &second))
		second.expect(a, 2, 3, 4)
		for _, open := range asked.opens("items") {
			if _, err := open.LookupErr("startAfter"); err != nil {
				b.Errorf("opened with %v, want startAfter", open)
			}
		}
	})
}

func TestB008DropDatabaseIsDeliveredAndTheStreamGoesOn(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		state := b.state()
		a := b.run(fw.Config{StateDatabase: state.Name()}, stream(mode, &r))
		eventually(b, patience, func() error {
			if checkpointOf(b, state, checkpointID(mode)).Position.Token == nil {
				return errors.New("no position")
			}
			return nil
		}, a)
		b.insert(1)
		r.expect(a, 1)
		must(b, b.db.Drop(b.Context()))
		b.insert(2, 3)
		eventually(b, patience, func() error {
			if ids := r.ids(); !slices.Contains(ids, any(3)) {
				return fmt.Errorf("events of %v", ids)
			}
			return nil
		}, a)
		var ops []fw.Operation
		for _, s := range r.all() {
			ops = append(ops, s.op)
		}
		if ids := r.ids(); !slices.Equal(ids[len(ids)-2:], []any{2, 3}) ||
			!slices.Contains(ops, fw.OpDrop) && !slices.Contains(ops, fw.OpDropDatabase) {
			b.Errorf("events %v of %v", ops, ids)
		}
	})
}

func TestRenamedCollectionInvalidatesTheStream(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		a := b.run(fw.Config{}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		must(b, b.db.Client().Database("admin").RunCommand(b.Context(), bson.D{
			{Key: "renameCollection", Value: b.db.Name() + ".items"},
			{Key: "to", Value: b.db.Name() + ".things"},
		}).Err())
		status := a.await("items", fw.StateInvalidated, "renamed")
		r.expect(a, 1, nil)
		if op := r.all()[1].op; op != fw.OpRename {
			b.Errorf("operation %s, want rename", op)
		}
		if status.Reason == "" {
			b.Error("no reason is given")
		}
		a.stop()
	})
}

// matching returns a pipeline that lets one n pass.
func matching(n int) func() mongo.Pipeline {
	return func() mongo.Pipeline {
		return mongo.Pipeline{{{Key: "$match", Value: bson.M{"fullDocument.n": n}}}}
	}
}

func TestB011ChangedPipelineResumesByTime(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var first, second recorder
		var asked commands
		var token bson.M // as a position of the last event
		first.also = func(_ context.Context, ev *fw.Event[item]) error {
			token = bson.M{"token": ev.Raw.Lookup("_id").Document(), "kind": "event",
				"clusterTime": ev.ClusterTime, "eventId": ev.ID}
			return nil
		}
		s := stream(mode, &first)
		s.Pipeline = matching(1)
		a := b.run(fw.Config{}, s)
		a.awaitPosition(checkpointID(mode))
		_, err := b.items.InsertMany(b.Context(), []item{{1, 1}, {2, 2}, {3, 1}})
		must(b, err)
		first.expect(a, 1, 3)
		a.stop()
		// A crash can leave the token of the last event; the clean stop may store a later one.
		_, err = b.db.Collection("_fw_checkpoints").UpdateByID(b.Context(), checkpointID(mode),
			bson.M{"$set": bson.M{"position": token}})
		must(b, err)
		_, err = b.items.InsertMany(b.Context(), []item{{4, 2}, {5, 1}})
		must(b, err)

		s = stream(mode, &second)
		s.Pipeline = matching(2) // hides the event that the token is of
		a = b.run(fw.Config{Client: asked.client(b)}, s)
		second.expect(a, 4)
		_, err = b.items.InsertOne(b.Context(), item{6, 2})
		must(b, err)
		second.expect(a, 4, 6)
		if _, err := asked.opens("items")[0].LookupErr("startAtOperationTime"); err != nil {
			b.Errorf("opened with %v, want startAtOperationTime", asked.opens("items")[0])
		}
	})
}

// A transaction has one cluster time. Whether it is resumed by token or by time, exactly what was
// not settled of it comes again.
func TestB014ResumedWithinATransaction(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]bool{"by token": false, "by time": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, mongotest.Needs{})
			var second recorder
			first := recorder{also: func(_ context.Context, ev *fw.Event[item]) error {
				if ev.Doc.ID == int32(3) {
					return errors.New("not the third")
				}
				return nil
			}}
			must(b, b.db.CreateCollection(b.Context(), "items"))
			s := stream(fw.SingleLeader, &first)
			s.Checkpoint.Every = 1
			a := b.run(fw.Config{}, s)
			a.awaitPosition("items")
			b.transaction(span(1, 3)...)
			a.await("items", fw.StateStalled, "")
			first.expect(a, 1, 2, 3)
			a.stop()

			s = stream(fw.SingleLeader, &second)
			if change {
				s.Pipeline = func() mongo.Pipeline {
					return mongo.Pipeline{{{Key: "$match", Value: bson.M{"fullDocument.n": 0}}}}
				}
			}
			a = b.run(fw.Config{}, s)
			second.expect(a, 3)
			b.insert(4)
			second.expect(a, 3, 4)
		})
	}
}

// transaction inserts documents in one transaction.
func (b *bundle) transaction(ids ...any) {
	b.Helper()
	session, err := b.db.Client().StartSession()
	must(b, err)
	defer session.EndSession(b.Context())
	_, err = session.WithTransaction(b.Context(), func(ctx context.Context) (any, error) {
		for _, id := range ids {
			if _, err := b.items.InsertOne(ctx, item{ID: id}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	must(b, err)
}

func TestB001LostHistoryStopsAndKeepsThePosition(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{OplogMB: 1})
	var r recorder
	var asked commands
	modes := []fw.Mode{fw.SingleLeader, fw.AllInstances}
	var streams []fw.Stream
	for _, mode := range modes {
		s := stream(mode, &r)
		s.Name = string(mode)
		streams = append(streams, s)
	}
	ids := []string{"single_leader", "all_instances#one"}
	a := b.run(fw.Config{}, streams...)
	for _, id := range ids {
		a.awaitPosition(id)
	}
	b.insert(1)
	eventually(b, patience, atLeast("events", 2, r.count), a)
	a.stop()
	var kept []checkpoint
	for _, id := range ids {
		kept = append(kept, checkpointOf(b, b.db, id))
	}
	b.rollOver(kept[0].Position.ClusterTime)

	a = b.run(fw.Config{Client: asked.client(b)}, streams...)
	for i, mode := range modes {
		status := a.await(string(mode), fw.StateHistoryLost, "position_lost")
		if !strings.Contains(status.Reason, ids[i]) {
			b.Errorf("the reason does not name the checkpoint: %s", status.Reason)
		}
	}
	opens := len(asked.opens("items"))
	b.insert(2)
	time.Sleep(2 * time.Second) // in which nothing may happen
	if now := len(asked.opens("items")); now != opens || opens > 2*len(modes) {
		b.Errorf("%d opens, then %d: a lost position must not be tried again and again", opens, now)
	}
	for i, id := range ids {
		now := checkpointOf(b, b.db, id)
		if string(now.Position.Token) != string(kept[i].Position.Token) {
			b.Errorf("the position of %s changed from %v to %v", id, kept[i].Position, now.Position)
		}
	}
	if n := r.count(); n != 2 {
		b.Errorf("%d events are handled, want the 2 from before", n)
	}
	a.stop()
}

// rollOver writes until the oplog begins after a time.
func (b *bundle) rollOver(past bson.Timestamp) {
	b.Helper()
	filler := bson.M{"filler": strings.Repeat("x", 100<<10)}
	oplog := b.db.Client().Database("local").Collection("oplog.rs")
	eventually(b, 2*patience, func() error {
		for range 10 {
			if _, err := b.db.Collection("filler").InsertOne(b.Context(), filler); err != nil {
				return err
			}
		}
		var oldest struct{ TS bson.Timestamp }
		err := oplog.FindOne(b.Context(), bson.M{},
			options.FindOne().SetSort(bson.D{{Key: "$natural", Value: 1}})).Decode(&oldest)
		if err == nil && !oldest.TS.After(past) {
			err = fmt.Errorf("the oplog begins at %v", oldest.TS)
		}
		return err
	})
}

func TestPositionOfAnotherDeploymentIsRefused(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var first, second recorder
		a := b.run(fw.Config{}, stream(mode, &first))
		a.awaitPosition(checkpointID(mode))
		a.stop()
		ours := checkpointOf(b, b.db, checkpointID(mode))
		const theirs = "replicaSetId:0123456789abcdef01234567"
		_, err := b.db.Collection("_fw_checkpoints").UpdateByID(b.Context(), checkpointID(mode),
			bson.M{"$set": bson.M{"scope.deployment": theirs}})
		must(b, err)

		a = b.run(fw.Config{}, stream(mode, &second))
		status := a.await("items", fw.StateHistoryLost, "foreign_deployment")
		for _, name := range []string{theirs, ours.Scope.Deployment, checkpointID(mode)} {
			if name == "" || !strings.Contains(status.Reason, name) {
				b.Errorf("the reason does not name %q: %s", name, status.Reason)
			}
		}
		b.insert(1)
		a.stop()
		now := checkpointOf(b, b.db, checkpointID(mode))
		if second.count() > 0 || string(now.Position.Token) != string(ours.Position.Token) {
			b.Errorf("%d events were handled, and the position is %v", second.count(), now.Position)
		}
	})
}

// Which identity of a deployment can be read depends on the user's rights, and those may change.
func TestPositionIsKeptWhenAnotherIdentityIsRead(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Auth: true})
	must(t, b.db.Client().Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: "app"}, {Key: "pwd", Value: "secret"},
		{Key: "roles", Value: bson.A{bson.M{"role": "readWrite", "db": b.db.Name()}}},
	}).Err())
	limited := b.deployment.Client(b, options.Client().SetAuth(
		options.Credential{Username: "app", Password: "secret"}))
	var r recorder
	a := b.run(fw.Config{Client: limited}, stream(fw.SingleLeader, &r))
	a.awaitPosition("items")
	a.stop()
	before := checkpointOf(b, b.db, "items").Scope.Deployment
	b.insert(1)
	a = b.run(fw.Config{}, stream(fw.SingleLeader, &r)) // may read everything
	r.expect(a, 1)
	a.stop()
	if after := checkpointOf(b, b.db, "items").Scope.Deployment; after == before {
		b.Errorf("both users read the identity %s: the test shows nothing", after)
	}
	b.insert(2)
	a = b.run(fw.Config{Client: limited}, stream(fw.SingleLeader, &r))
	r.expect(a, 1, 2)
}

// The checkpoint is deleted under a running stream, which says so and goes on where it was.
func TestCheckpointDeletedByHandLosesNothing(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		facts := &observed{}
		a := b.run(fw.Config{Observer: facts}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		b.insert(span(1, 5)...)
		r.expect(a, span(1, 5)...)
		_, err := b.db.Collection("_fw_checkpoints").DeleteOne(b.Context(),
			bson.M{"_id": checkpointID(mode)})
		must(b, err)
		b.insert(span(6, 10)...)
		eventually(b, patience, func() error {
			c := checkpointOf(b, b.db, checkpointID(mode))
			got := map[any]bool{}
			for _, id := range r.ids() {
				got[id] = true
			}
			if len(got) < 10 || c.Position.Token == nil {
				return fmt.Errorf("events of %v, position %+v", r.ids(), c.Position)
			}
			return nil
		}, a)
		if len(facts.of("CheckpointMissing")) == 0 {
			b.Error("nobody was told that the checkpoint was gone")
		}
	})
}

func TestLeaseDeletedByHandDoesNotBringTheTermBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var r recorder
	a := b.run(fw.Config{}, stream(fw.SingleLeader, &r))
	a.awaitPosition("items")
	a.stop()
	const before = 1000 // a long time that one can't catch up with by luck
	for _, collection := range []string{"_fw_locks", "_fw_checkpoints"} {
		_, err := b.db.Collection(collection).UpdateByID(b.Context(), "items",
			bson.M{"$set": bson.M{"term": int64(before)}})
		must(b, err)
	}
	a = b.run(fw.Config{}, stream(fw.SingleLeader, &r))
	b.insert(1)
	r.expect(a, 1)
	_, err := b.db.Collection("_fw_locks").DeleteOne(b.Context(), bson.M{"_id": "items"})
	must(b, err)
	eventually(b, patience, func() error {
		if l, c := lockOf(b, b.db, "items"), checkpointOf(b, b.db, "items"); l.Term <= before+1 ||
			c.Term != l.Term {
			return fmt.Errorf("term %d of the lease, %d of the position, %d before",
				l.Term, c.Term, before)
		}
		return nil
	}, a)
	b.insert(2)
	eventually(b, patience, func() error {
		events := r.all()
		if last := events[len(events)-1]; last.id != any(int32(2)) || last.term <= before+1 {
			return fmt.Errorf("the last event is %+v, want one above term %d", last, before+1)
		}
		return nil
	}, a)
	a.stop()

	// And while nobody knows the term any more.
	stopped := lockOf(b, b.db, "items").Term
	_, err = b.db.Collection("_fw_locks").DeleteOne(b.Context(), bson.M{"_id": "items"})
	must(b, err)
	a = b.run(fw.Config{}, stream(fw.SingleLeader, &r))
	b.insert(3)
	eventually(b, patience, func() error {
		events := r.all()
		if last := events[len(events)-1]; last.id != any(int32(3)) || last.term <= stopped {
			return fmt.Errorf("the last event is %+v, want one above term %d", last, stopped)
		}
		return nil
	}, a)
}
