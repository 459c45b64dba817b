package integration

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// operation is what the server says about a cursor of a change stream.
type operation struct {
	Type      string `bson:"type"` // op or idleCursor
	OpID      any    `bson:"opid"`
	Namespace string `bson:"ns"`
	Cursor    struct {
		ID int64 `bson:"cursorId"`
	} `bson:"cursor"`
}

// cursors lists the cursors of change streams over the test's database.
func (b *bundle) cursors(database string) (found []operation) {
	b.Helper()
	admin := b.db.Client().Database("admin")
	cursor, err := admin.Aggregate(b.Context(), mongo.Pipeline{
		{{Key: "$currentOp", Value: bson.M{"idleCursors": true}}},
		{{Key: "$match", Value: bson.M{
			"cursor.originatingCommand.pipeline.$changeStream": bson.M{"$exists": true},
			"ns": bson.M{"$regex": "^" + database + `\.`},
		}}},
	})
	must(b, err)
	must(b, cursor.All(b.Context(), &found))
	return found
}

func TestB056KilledCursorsAndOperationsLoseNothing(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		a := b.run(fw.Config{}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		must(b, b.db.CreateCollection(b.Context(), "items"))
		id := 0
		for _, kill := range []func(operation) error{b.killCursor, b.killOperation, b.killCursor} {
			a.await("items", fw.StateRunning, "")
			eventually(b, patience, func() error {
				killed := errors.New("no cursor is busy")
				for _, op := range b.cursors(b.db.Name()) {
					if op.Namespace == b.db.Name()+".items" && op.Type == "op" {
						killed = kill(op)
					}
				}
				return killed
			}, a)
			b.insert(id+1, id+2)
			id += 2
			r.expect(a, span(1, id)...)
		}
		if status := a.status("items"); status.State != fw.StateRunning {
			b.Errorf("state %s (%s)", status.State, status.Reason)
		}
	})
}

func (b *bundle) killCursor(op operation) error {
	return b.db.RunCommand(b.Context(), bson.D{
		{Key: "killCursors", Value: "items"}, {Key: "cursors", Value: bson.A{op.Cursor.ID}},
	}).Err()
}

func (b *bundle) killOperation(op operation) error {
	return b.db.Client().Database("admin").RunCommand(b.Context(), bson.D{
		{Key: "killOp", Value: 1}, {Key: "op", Value: op.OpID},
	}).Err()
}

// A client's Timeout kills a stream that waits for events, unless its calls have deadlines of
// their own.
func TestB057IdleStreamSurvivesTheClientsTimeout(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var r recorder
		var asked commands
		timeout := 2 * time.Second
		if mode == fw.AllInstances {
			timeout = 900 * time.Millisecond // B058: shorter than the server waits for events
		}
		a := b.run(fw.Config{
			Client: asked.client(b, options.Client().SetTimeout(timeout)),
		}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		started := time.Now()
		eventually(b, patience, func() error { // idle for more than twice the timeout
			if left := 5*time.Second - time.Since(started); left > 0 {
				return fmt.Errorf("%s are left", left)
			}
			return nil
		}, a)
		b.insert(1)
		r.expect(a, 1)
		if n := len(asked.opens("items")); n != 1 {
			b.Errorf("%d opens, want one", n)
		}
	})
}

func TestB059StoppedStreamsLeaveNoCursor(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	must(b, b.db.CreateCollection(b.Context(), "items"))
	var lanes sync.WaitGroup
	for lane := range 4 {
		lanes.Go(func() {
			for range 5 {
				var r recorder
				s := stream(fw.AllInstances, &r)
				led := stream(fw.SingleLeader, &r)
				led.Name = fmt.Sprintf("led%d", lane)
				a := b.run(fw.Config{Instance: fmt.Sprintf("lane%d", lane)}, s, led)
				a.await("items", fw.StateRunning, "")
				a.await(led.Name, fw.StateRunning, "")
				a.stop()
			}
		})
	}
	lanes.Wait()
	eventually(b, patience, func() error {
		if open := b.cursors(b.db.Name()); len(open) > 0 {
			return fmt.Errorf("cursors are left: %+v", open)
		}
		return nil
	})
}

// Whatever a start was at when it was stopped, the lease is free afterwards.
func TestStopDuringTheStartIsClean(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	for range 6 {
		before := lockOf(b, b.db, "items").Term
		a := b.run(fw.Config{}, stream(fw.SingleLeader, &recorder{}))
		eventually(b, patience, func() error {
			if lockOf(b, b.db, "items").Term == before {
				return errors.New("the lease is not taken yet")
			}
			return nil
		}, a)
		a.stop()
		if l := lockOf(b, b.db, "items"); l.InstanceID != "" || l.Released == nil {
			b.Errorf("the lease is not released: %+v", l)
		}
	}
	if open := b.cursors(b.db.Name()); len(open) > 0 {
		b.Errorf("cursors are left: %+v", open)
	}
}

// One open stream per backoff step, however often the server refuses.
func TestReaderThatFailsBacksOffAndRecovers(t *testing.T) {
	inBothModes(t, mongotest.Needs{TestCommands: true}, func(b *bundle, mode fw.Mode) {
		var r recorder
		var asked commands
		facts := &observed{}
		s := stream(mode, &r)
		s.Restart = fw.RestartPolicy{Initial: 200 * time.Millisecond, Multiplier: 2, Jitter: -1}
		a := b.run(fw.Config{Client: asked.client(b), Observer: facts}, s)
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		r.expect(a, 1)
		opens := len(asked.opens("items"))
		off := b.deployment.FailPoint(b, mongotest.FailPoint{
			Name: "failCommand",
			Data: bson.D{
				{Key: "failCommands", Value: bson.A{"getMore", "aggregate"}},
				{Key: "errorCode", Value: 11601},
				{Key: "namespace", Value: b.db.Name() + ".items"},
			},
		})
		began := time.Now()
		b.insert(2)
		status := a.await("items", fw.StateBackingOff, "transient")
		if status.NextRetry.IsZero() || !strings.Contains(status.Reason, "11601") &&
			!strings.Contains(status.Reason, "Interrupted") {
			b.Errorf("status %+v", status)
		}
		// The call that is out may bring the insertion yet: progress, which begins the waits anew.
		eventually(b, patience, atLeast("failures", 5, func() int {
			return len(facts.of("ReaderFailed"))
		}), a)
		took := time.Since(began)
		off()
		if n := len(asked.opens("items")) - opens; n > 6 || took < time.Second {
			b.Errorf("%d opens within %s; the waits are 0.2, 0.4, 0.8, …", n, took)
		}
		r.expect(a, 1, 2)
		a.await("items", fw.StateRunning, "")
	})
}
