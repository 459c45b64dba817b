package integration

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/store"
)

var testCommands = mongotest.Needs{TestCommands: true}

// fail makes commands of the test's clients fail n times.
func (db *stateDB) fail(t *testing.T, n int, data bson.D, commands ...string) {
	t.Helper()
	names := bson.A{}
	for _, command := range commands {
		names = append(names, command)
	}
	db.deployment.FailPoint(t, mongotest.FailPoint{
		Name: "failCommand",
		Mode: bson.D{{Key: "times", Value: n}},
		Data: append(bson.D{
			{Key: "failCommands", Value: names},
			{Key: "appName", Value: mongotest.AppName(t)},
		}, data...),
	})
}

var (
	noMajority = bson.D{{Key: "writeConcernError", Value: bson.D{
		{Key: "code", Value: 64}, {Key: "errmsg", Value: "waiting for replication timed out"},
	}}}
	connectionLost = bson.D{{Key: "closeConnection", Value: true}}
	duplicate      = bson.D{{Key: "errorCode", Value: 11000}, {Key: "errorExtraInfo", Value: bson.D{
		{Key: "keyPattern", Value: bson.D{{Key: "_id", Value: 1}}},
		{Key: "keyValue", Value: bson.D{{Key: "_id", Value: "orders"}}},
	}}}
)

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func ask(owner string) store.AcquireRequest {
	return store.AcquireRequest{Stream: "orders", Owner: owner, TTL: time.Minute}
}

// lead makes the checkpoint of a stream under a term.
func (db *stateDB) lead(t *testing.T, term int64) store.Fence {
	t.Helper()
	_, err := db.store.Checkpoints().Raise(within(t, 10*time.Second), "orders", term)
	must(t, err)
	return store.Fence{Checkpoint: "orders", Term: term}
}

func letter(message string) store.DeadLetter {
	return store.DeadLetter{
		Collection: "_fw_dlq", ID: "orders/1", Stream: "orders", Operation: "INSERT",
		Error:         store.DeadLetterError{Kind: "handler", Message: message},
		LastAttemptAt: time.Now(), Retention: time.Hour,
	}
}

func (db *stateDB) letters(t *testing.T) int64 {
	t.Helper()
	n, err := db.Collection("_fw_dlq").CountDocuments(t.Context(), bson.M{})
	must(t, err)
	return n
}

// B092: what no majority has confirmed is unknown, never success.
func TestWithoutAMajorityTheOutcomeIsUnknown(t *testing.T) {
	db := newStateDB(t, testCommands)
	ctx := within(t, 20*time.Second)
	for name, call := range map[string]func() error{
		"Acquire": func() error {
			lease, err := db.store.Leases().Acquire(ctx, ask("a"))
			if lease.Granted("a") {
				t.Errorf("granted without a majority: %+v", lease)
			}
			return err
		},
		"Renew": func() error {
			_, err := db.store.Leases().Renew(ctx, store.RenewRequest{Stream: "orders"})
			return err
		},
		"Release": func() error {
			return db.store.Leases().Release(ctx, store.ReleaseRequest{Stream: "orders"})
		},
		"Raise": func() error {
			_, err := db.store.Checkpoints().Raise(ctx, "orders", 1)
			return err
		},
		"Mint": func() error {
			_, err := db.store.Checkpoints().Mint(ctx, "orders#1", "a", time.Hour)
			return err
		},
		"Save": func() error {
			return db.store.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 1})
		},
	} {
		db.fail(t, 1, noMajority, "findAndModify", "update")
		err := call()
		var refused mongo.WriteException
		if !errors.As(err, &refused) || refused.WriteConcernError == nil {
			t.Errorf("%s: %v, want the write-concern error", name, err)
		}
		if errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrMissing) ||
			errors.Is(err, store.ErrNotOwner) {
			t.Errorf("%s: %v claims to know", name, err)
		}
	}
}

// Without a majority a call still ends by its deadline, and the server does not wait on.
func TestACallEndsByItsDeadlineWithoutAMajority(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{Nodes: 3, TestCommands: true, Kill: true})
	_, err := db.store.Leases().Acquire(within(t, 10*time.Second), ask("a"))
	must(t, err)
	fence := db.lead(t, 1)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("first")))
	primary := db.deployment.Primary(t)
	for _, node := range db.deployment.Nodes(t) {
		if node != primary {
			db.deployment.FailPoint(t, mongotest.FailPoint{Name: "stopReplProducer", Node: node})
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"Renew": func(ctx context.Context) error {
			_, err := db.store.Leases().Renew(ctx, store.RenewRequest{
				Stream: "orders", Owner: "a", Term: 1, TTL: time.Minute,
			})
			return err
		},
		"Raise": func(ctx context.Context) error {
			_, err := db.store.Checkpoints().Raise(ctx, "another", 1)
			return err
		},
		"Save": func(ctx context.Context) error {
			return db.store.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 1})
		},
		"Write": func(ctx context.Context) error {
			return db.store.DeadLetters().Write(ctx, fence, letter("second"))
		},
	} {
		began := time.Now()
		err := call(within(t, 700*time.Millisecond))
		if took := time.Since(began); err == nil || took > time.Second {
			t.Errorf("%s: %v after %v, want an error within 700 ms", name, err, took)
		}
	}
}

func TestB090ADuplicateKeyIsTriedAgain(t *testing.T) {
	db := newStateDB(t, testCommands)
	db.fail(t, 1, duplicate, "findAndModify")
	lease, err := db.store.Leases().Acquire(within(t, 10*time.Second), ask("a"))
	if err != nil || !lease.Granted("a") {
		t.Errorf("Acquire = %+v, %v", lease, err)
	}
	db.fail(t, 1, duplicate, "findAndModify")
	if _, err := db.store.Checkpoints().Raise(within(t, 10*time.Second), "orders", 1); err != nil {
		t.Error(err)
	}
}

// B102: an interrupted transaction is repeated within the call, and stores one attempt.
func TestADeadLetterSurvivesInterruptions(t *testing.T) {
	conflict := bson.D{
		{Key: "errorCode", Value: 112},
		{Key: "errorLabels", Value: bson.A{"TransientTransactionError"}},
	}
	for name, fault := range map[string]struct {
		command string
		data    bson.D
	}{
		"write conflict":               {"update", conflict},
		"write conflict at the commit": {"commitTransaction", conflict},
		"connection lost":              {"update", connectionLost},
		"answer to the commit lost":    {"commitTransaction", connectionLost},
		"no majority at the commit":    {"commitTransaction", noMajority},
	} {
		t.Run(name, func(t *testing.T) {
			db := newStateDB(t, testCommands)
			fence := db.lead(t, 1)
			// The session is recorded before the fault: it concerns the transaction.
			other := letter("other")
			other.ID = "orders/0"
			must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, other))
			db.fail(t, 3, fault.data, fault.command)
			must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("m")))
			row, err := db.row(t.Context(), "_fw_dlq", "orders/1")
			must(t, err)
			if n := len(rows(t, row.Lookup("history"))); n != 1 {
				t.Errorf("%d attempts in the history, want 1", n)
			}
			must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("n")))
		})
	}
}

func rows(t *testing.T, array bson.RawValue) []bson.RawValue {
	t.Helper()
	list, ok := array.ArrayOK()
	if !ok {
		t.Fatalf("%v is no array", array)
	}
	values, err := list.Values()
	must(t, err)
	return values
}

// A commit whose outcome stays unknown is an error, and does not lock the checkpoint or a later
// letter.
func TestAnUnknownCommitIsAnErrorAndLocksNothing(t *testing.T) {
	db := newStateDB(t, testCommands)
	fence := db.lead(t, 1)
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, letter("first")))
	hang := bson.D{{Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: 3000}}
	db.fail(t, 1, hang, "commitTransaction")
	second := letter("second")
	if err := db.store.DeadLetters().Write(within(t, time.Second), fence, second); err == nil {
		t.Fatal("success without an answer to the commit")
	}
	began := time.Now()
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, second))
	must(t, db.store.Checkpoints().Save(within(t, 10*time.Second), store.Save{
		ID: "orders", Term: 1, Seq: 1,
	}))
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a letter and a save took %v after an unknown commit", took)
	}
	row, err := db.row(t.Context(), "_fw_dlq", "orders/1")
	must(t, err)
	if n := len(rows(t, row.Lookup("history"))); n != 2 {
		t.Errorf("%d attempts in the history, want 2", n)
	}
}

// A server that refuses a row for what is in it gets a bare one: the letter is kept.
func TestARowThatTheServerRefusesIsStoredBare(t *testing.T) {
	db := newStateDB(t, testCommands)
	fence := db.lead(t, 1)
	full, err := bson.Marshal(bson.D{{Key: "a", Value: make([]byte, 100<<10)}})
	must(t, err)
	l := letter("m")
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, l))
	db.fail(t, 1, bson.D{
		{Key: "errorCode", Value: 15}, {Key: "namespace", Value: db.Name() + "._fw_dlq"},
	}, "update")
	l.LastAttemptAt = l.LastAttemptAt.Add(time.Second)
	l.FullDocument = bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: full}
	must(t, db.store.DeadLetters().Write(within(t, 10*time.Second), fence, l))
	row, err := db.row(t.Context(), "_fw_dlq", "orders/1")
	must(t, err)
	cut, stored := rows(t, row.Lookup("truncated")), row.Lookup("fullDocument")
	if len(cut) != 1 || stored.Type != bson.TypeNull {
		t.Errorf("truncated = %v, fullDocument = %v", cut, stored)
	}
}

// B092: what the client's options say decides nothing.
func TestTheClientsOptionsDecideNothing(t *testing.T) {
	deployment := mongotest.Start(t, mongotest.Needs{Nodes: 3})
	var mu sync.Mutex
	sent := map[string]bson.Raw{}
	client := deployment.Client(t, options.Client().
		SetWriteConcern(&writeconcern.WriteConcern{W: 1}).
		SetReadPreference(readpref.Secondary()).
		SetBSONOptions(&options.BSONOptions{NilSliceAsEmpty: true, ErrorOnInlineDuplicates: true}).
		SetRetryWrites(true).
		SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			mu.Lock()
			defer mu.Unlock()
			sent[e.CommandName] = append(bson.Raw{}, e.Command...)
		}}))
	state := newStore(t, client.Database(deployment.Database(t).Name()))
	ctx := within(t, 20*time.Second)

	lease, err := state.Leases().Acquire(ctx, ask("a"))
	must(t, err)
	if !lease.Granted("a") {
		t.Errorf("got %+v", lease)
	}
	db := &stateDB{store: state}
	fence := db.lead(t, 1)
	must(t, state.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 1}))
	must(t, state.DeadLetters().Write(ctx, fence, letter("m")))
	err = state.Checkpoints().Save(ctx, store.Save{ID: "orders", Term: 0})
	if !errors.Is(err, store.ErrFenced) {
		t.Errorf("got %v, want ErrFenced", err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, command := range []string{"findAndModify", "update", "commitTransaction"} {
		concern := sent[command].Lookup("writeConcern", "w")
		if command == "update" { // the last one is within the transaction or a save
			continue
		}
		if w, _ := concern.StringValueOK(); w != "majority" {
			t.Errorf("%s: w = %v, want majority", command, concern)
		}
	}
	if left, _ := sent["findAndModify"].Lookup("writeConcern", "wtimeout").AsInt64OK(); left <= 0 {
		t.Errorf("findAndModify: wtimeout = %d", left)
	}
	if _, err := sent["findAndModify"].LookupErr("txnNumber"); err == nil {
		t.Error("findAndModify is a retryable write")
	}
}

// A session in the context is the caller's transaction, which may be rolled back.
func TestTheCallersTransactionIsNotJoined(t *testing.T) {
	db := newStateDB(t, mongotest.Needs{})
	session, err := db.Client().StartSession()
	must(t, err)
	defer session.EndSession(context.Background())
	must(t, session.StartTransaction())
	ctx := mongo.NewSessionContext(within(t, 10*time.Second), session)
	_, err = db.store.Leases().Acquire(ctx, ask("a"))
	must(t, err)
	_, err = db.store.Checkpoints().Raise(ctx, "orders", 1)
	must(t, err)
	fence := store.Fence{Checkpoint: "orders", Term: 1}
	must(t, db.store.DeadLetters().Write(ctx, fence, letter("m")))
	must(t, session.AbortTransaction(within(t, 10*time.Second)))
	if n := db.letters(t); n != 1 {
		t.Errorf("%d dead letters, want 1", n)
	}
	lease, err := db.store.Leases().Acquire(within(t, 10*time.Second), ask("b"))
	must(t, err)
	if lease.Owner != "a" {
		t.Errorf("got %+v, want a's lease", lease)
	}
}
