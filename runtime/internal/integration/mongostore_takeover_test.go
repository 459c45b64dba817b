package integration

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/store"
)

// mortal is a client that can die as a machine does that loses its power: the server hears nothing
// more, and its connections stay open.
type mortal struct {
	client *mongo.Client
	dead   atomic.Bool

	// diesIn, when set, is asked after each command that succeeded whether to die now.
	diesIn func(command string, answers int) bool
	count  atomic.Int64 // answers to commands of a transaction
}

func newMortal(
	t *testing.T, d *mongotest.Deployment, opts ...*options.ClientOptions,
) *mortal {
	t.Helper()
	m := &mortal{}
	monitor := &event.CommandMonitor{
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			if e.CommandName == "update" && m.diesIn != nil &&
				m.diesIn(e.CommandName, int(m.count.Add(1))) {
				m.dead.Store(true)
			}
		},
	}
	m.client = d.Client(t, append(opts, options.Client().SetDialer(m).SetMonitor(monitor).
		SetConnectTimeout(time.Second))...)
	t.Cleanup(func() { m.dead.Store(false) }) // so that the client can be disconnected
	return m
}

// DialContext implements [options.ContextDialer].
func (m *mortal) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if m.dead.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	return &mortalConn{conn, m}, err
}

type mortalConn struct {
	net.Conn
	m *mortal
}

func (c *mortalConn) Write(b []byte) (int, error) {
	if c.m.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *mortalConn) Close() error {
	if c.m.dead.Load() {
		return nil // nobody is there to close it
	}
	return c.Conn.Close()
}

// A leader that died within the transaction of a dead letter must not lock out its successor.
func TestRaiseEndsTheTransactionOfADeadLeader(t *testing.T) {
	takeOverFromTheDead(t, newStateDB(t, mongotest.Needs{}))
}

// No right is needed but to read and write the database: everybody may end sessions of their own.
func TestRaiseNeedsNoRightToEndTheTransactionOfADeadLeader(t *testing.T) {
	deployment := mongotest.Start(t, mongotest.Needs{Auth: true})
	name := mongotest.DatabaseName(t)
	must(t, deployment.Client(t).Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: "app"},
		{Key: "pwd", Value: "secret"},
		{Key: "roles", Value: bson.A{bson.M{"role": "readWrite", "db": name}}},
	}).Err())
	app := options.Client().SetAuth(options.Credential{Username: "app", Password: "secret"})
	db := deployment.Client(t, app).Database(name)
	takeOverFromTheDead(t, &stateDB{db, deployment, newStore(t, db)}, app)
}

func takeOverFromTheDead(t *testing.T, db *stateDB, opts ...*options.ClientOptions) {
	t.Helper()
	fence := db.lead(t, 1)
	leader := newMortal(t, db.deployment, opts...)
	// Its updates: the session's record, the checkpoint, then the row. It dies after the second.
	leader.diesIn = func(_ string, answers int) bool { return answers == 2 }
	failed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		letters := mongostore.New(leader.client, db.Name(), "_fw").DeadLetters()
		failed <- letters.Write(ctx, fence, letter("m"))
	}()
	for !leader.dead.Load() {
		time.Sleep(10 * time.Millisecond)
	}

	_, err := db.Collection("_fw_checkpoints").UpdateByID(within(t, 300*time.Millisecond), "orders",
		bson.M{"$set": bson.M{"fence": -1}})
	if err == nil {
		t.Fatal("nothing is in the way of a write, the test tests nothing")
	}
	began := time.Now()
	before, err := db.store.Checkpoints().Raise(within(t, 30*time.Second), "orders", 2)
	took := time.Since(began)
	must(t, err)
	t.Logf("Raise took %v", took)
	if took > 450*time.Millisecond { // it waits for half a second where it ends no session first
		t.Errorf("Raise took %v with a dead leader's transaction in its way", took)
	}
	if before.Term != 1 {
		t.Errorf("Term = %d before, want 1", before.Term)
	}
	if err := <-failed; err == nil {
		t.Error("the dead leader's letter was stored")
	}
	if n := db.letters(t); n != 0 {
		t.Errorf("%d dead letters, want none", n)
	}
}

// Where ending the transaction is refused, the raise waits within its context and says so.
func TestRaiseNamesTheRefusalToEndATransaction(t *testing.T) {
	db := newStateDB(t, testCommands)
	fence := db.lead(t, 1)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("m")))
	db.fail(t, 100, bson.D{{Key: "errorCode", Value: 13}}, "killSessions")
	session, err := db.Client().StartSession()
	must(t, err)
	defer session.EndSession(context.Background())
	must(t, session.StartTransaction())
	_, err = db.Collection("_fw_checkpoints").UpdateByID(
		mongo.NewSessionContext(t.Context(), session), "orders",
		bson.M{"$inc": bson.M{"fence": 1}})
	must(t, err)

	_, err = db.store.Checkpoints().Raise(within(t, 1500*time.Millisecond), "orders", 2)
	var refusal mongo.CommandError
	if err == nil || !errors.As(err, &refusal) {
		t.Fatalf("got %v, want an error", err)
	}
	if !hasCodeIn(err, 13) {
		t.Errorf("got %v, want the refusal of killSessions in it", err)
	}
	must(t, session.AbortTransaction(t.Context()))
	_, err = db.store.Checkpoints().Raise(within(t, 10*time.Second), "orders", 2)
	must(t, err)
}

// hasCodeIn looks for a code in all of a joined error.
func hasCodeIn(err error, code int32) bool {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range many.Unwrap() {
			if hasCodeIn(err, code) {
				return true
			}
		}
		return false
	}
	if answer, ok := err.(mongo.CommandError); ok {
		return answer.Code == code
	}
	if err = errors.Unwrap(err); err != nil {
		return hasCodeIn(err, code)
	}
	return false
}

// A raise that changes nothing conflicts with nobody: it neither waits for the transaction of a
// newer term nor ends it.
func TestAStaleRaiseWaitsForNobodyAndEndsNoSession(t *testing.T) {
	db := newStateDB(t, testCommands)
	fence := db.lead(t, 5)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("m")))
	db.fail(t, 1, bson.D{
		{Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: 1500},
		{Key: "namespace", Value: db.Name() + "._fw_dlq"},
	}, "update")
	outcome := make(chan error, 1)
	go func() {
		outcome <- db.store.DeadLetters().Write(within(t, 20*time.Second), fence, letter("late"))
	}()
	db.awaitBlockedLetter(t)

	var kills atomic.Int64
	client := db.deployment.Client(t, options.Client().SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if e.CommandName == "killSessions" {
				kills.Add(1)
			}
		},
	}))
	stale := newStore(t, client.Database(db.Name()))
	began := time.Now()
	before, err := stale.Checkpoints().Raise(within(t, 20*time.Second), "orders", 3)
	must(t, err)
	if took := time.Since(began); took > time.Second {
		t.Errorf("Raise took %v", took)
	}
	if before.Term != 5 {
		t.Errorf("Term = %d, want 5", before.Term)
	}
	must(t, <-outcome)
	if n := kills.Load(); n != 0 {
		t.Errorf("%d sessions were ended by a stale raise", n)
	}
}

// A session that was given back is not named any more: the client may use it for anything.
func TestAClosedStoreLeavesNoSessionBehind(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	fence := db.lead(t, 5)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("m")))
	stored, err := db.row(t.Context(), "_fw_checkpoints", "orders")
	must(t, err)
	if term, _ := stored.Lookup("session", "term").AsInt64OK(); term != 5 {
		t.Fatalf("session = %v, want that of term 5", stored.Lookup("session"))
	}
	must(t, db.store.Close(within(t, 10*time.Second)))
	stored, err = db.row(t.Context(), "_fw_checkpoints", "orders")
	must(t, err)
	if session, err := stored.LookupErr("session"); err == nil {
		t.Errorf("session = %v after it was given back", session)
	}
}

// A writer whose transaction is ended by a take-over repeats it, and is fenced from then on.
func TestALetterInterruptedByATakeOverIsFenced(t *testing.T) {
	db := newStateDB(t, testCommands)
	fence := db.lead(t, 1)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("m")))
	before, err := db.row(t.Context(), "_fw_dlq", "orders/1")
	must(t, err)
	db.fail(t, 1, bson.D{
		{Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: 4000},
		{Key: "namespace", Value: db.Name() + "._fw_dlq"},
	}, "update")
	outcome := make(chan error, 1)
	go func() {
		late := letter("late")
		outcome <- db.store.DeadLetters().Write(within(t, 20*time.Second), fence, late)
	}()
	db.awaitBlockedLetter(t)
	other := newStore(t, db.deployment.Client(t).Database(db.Name()))
	began := time.Now()
	_, err = other.Checkpoints().Raise(within(t, 20*time.Second), "orders", 2)
	must(t, err)
	t.Logf("Raise took %v", time.Since(began))
	// Ended, the transaction is repeated. The raise and the repeat wait for the same document, and
	// either may get it first; a letter is only ever written before the raise.
	late := <-outcome
	after, err := db.row(t.Context(), "_fw_dlq", "orders/1")
	must(t, err)
	changed := string(before) != string(after)
	if late != nil && !errors.Is(late, store.ErrFenced) || (late == nil) != changed {
		t.Errorf("got %v, and the row changed: %t", late, changed)
	}
	err = db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("later"))
	if !errors.Is(err, store.ErrFenced) {
		t.Errorf("a letter after the raise: got %v, want ErrFenced", err)
	}
}

// awaitBlockedLetter waits until the write of a dead letter is held by a fail point. Its
// transaction has then changed the checkpoint.
func (db *stateDB) awaitBlockedLetter(t *testing.T) {
	t.Helper()
	eventually(t, patience, func() error {
		cursor, err := db.Client().Database("admin").Aggregate(t.Context(), bson.A{
			bson.M{"$currentOp": bson.M{}},
			bson.M{"$match": bson.M{"command.update": "_fw_dlq", "command.$db": db.Name()}},
		})
		must(t, err)
		var running []bson.M
		must(t, cursor.All(t.Context(), &running))
		if len(running) == 0 {
			return errors.New("no dead letter is being written")
		}
		return nil
	})
}
