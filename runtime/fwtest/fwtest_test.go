package fwtest_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.uber.org/goleak"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type order struct {
	ID    int `bson:"_id"`
	Cents int `bson:"cents"`
}

// stream is what a generated method would return.
func stream(handle func(context.Context, *fw.Event[order]) error) fw.Stream {
	return fw.Stream{
		Name: "orders", Collections: []string{"orders"}, Mode: fw.SingleLeader,
		Retry:  fw.RetryPolicy{Attempts: 3, Initial: time.Minute, Max: time.Hour, Jitter: -1},
		DLQ:    fw.DLQPolicy{Enabled: true},
		Handle: fw.Typed(fw.Handlers[order]{Insert: handle, Update: handle}),
	}
}

func newApp(t *testing.T, client *mongo.Client, h fw.Handler) *fw.App {
	t.Helper()
	app, err := fw.New(fw.Config{
		Client: client, Database: "shop", Instance: "one", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Add(h); err != nil {
		t.Fatal(err)
	}
	return app
}

func insert(t *testing.T, client *mongo.Client, o order) {
	t.Helper()
	if _, err := client.Database("shop").Collection("orders").InsertOne(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func TestAppHandlesWhatAClientWrites(t *testing.T) {
	t.Parallel()
	client := fwtest.NewClient(t)
	var handled atomic.Int64
	app := newApp(t, client, stream(func(context.Context, *fw.Event[order]) error {
		handled.Add(1)
		return nil
	}))
	fwtest.Run(t, app)
	insert(t, client, order{ID: 1, Cents: 5})
	fwtest.Await(t, func() bool { return handled.Load() == 1 })
}

func TestRetriesTakeNoTimeInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		var attempts atomic.Int64
		app := newApp(t, client, stream(func(context.Context, *fw.Event[order]) error {
			attempts.Add(1)
			return errors.New("the bank is closed")
		}))
		fwtest.Run(t, app)
		began := time.Now()
		insert(t, client, order{ID: 1, Cents: 5})
		fwtest.AdvancePastRetry(t, app, "orders")
		fwtest.AdvancePastRetry(t, app, "orders")
		letters := fwtest.RequireDeadLetters(t, client.Database("shop"), "orders", 1)
		if letters[0].Error.Message != "the bank is closed" || letters[0].Attempts != 3 {
			t.Errorf("%+v", letters[0])
		}
		if took := time.Since(began); took < 3*time.Minute || took > 4*time.Minute {
			t.Errorf("three attempts took %v", took)
		}
		_, eventID, _ := strings.Cut(letters[0].ID, "/")
		at := fwtest.RequirePosition(t, client.Database("shop"), "orders", eventID)
		if at.Term != 1 {
			t.Errorf("%+v", at)
		}
	})
}

func TestTheExampleInABubble(t *testing.T) {
	t.Parallel()
	testParcelIsDeliveredAtTheSecondAttempt(t)
}

// Two clients of NewClient are of two servers; those of one server see the same.
func TestEachNewClientHasAServerOfItsOwn(t *testing.T) {
	t.Parallel()
	server := fwtest.NewServer(t)
	writer := server.Client()
	insert(t, writer, order{ID: 1})
	for want, client := range map[int64]*mongo.Client{
		0: fwtest.NewClient(t), 1: server.Client(),
	} {
		n, err := client.Database("shop").Collection("orders").CountDocuments(t.Context(), bson.D{})
		if err != nil || n != want {
			t.Errorf("%d documents, want %d (%v)", n, want, err)
		}
	}
}

func TestClosedServerIsGoneForItsClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		client := server.Client(options.Client().SetServerSelectionTimeout(time.Second))
		insert(t, client, order{ID: 1})
		server.Close()
		server.Close()
		err := client.Ping(t.Context(), nil)
		if err == nil || errors.Is(err, mongo.ErrClientDisconnected) {
			t.Errorf("a client of a closed server is told %v, want that it can't be reached", err)
		}
	})
}

// Applications disconnect their clients, and their tests may.
func TestClientMayBeDisconnectedBeforeTheTestEnds(t *testing.T) {
	t.Parallel()
	said := failing(func(tb fwtest.TB) {
		client := fwtest.NewClient(tb)
		if err := client.Disconnect(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if said != "" {
		t.Errorf("the test says: %s", said)
	}
}

func TestProgramsHaveAServerWithoutATest(t *testing.T) {
	t.Parallel()
	server := fwtest.Start()
	first := server.Client()
	second, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	insert(t, first, order{ID: 1})
	n, err := second.Database("shop").Collection("orders").CountDocuments(t.Context(), bson.D{})
	if err != nil || n != 1 {
		t.Errorf("%d documents, want 1 (%v)", n, err)
	}
	if err := second.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	server.Close()
	server.Close()
	if err := first.Disconnect(t.Context()); !errors.Is(err, mongo.ErrClientDisconnected) {
		t.Errorf("the client was left to its program: %v", err)
	}
}

// Writes are refused for as long as a step-down lasts, and the app goes on with them after it.
func TestAppGoesOnAfterAStepDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		client := server.Client()
		var handled atomic.Int64
		app := newApp(t, server.Client(), stream(func(context.Context, *fw.Event[order]) error {
			handled.Add(1)
			return nil
		}))
		fwtest.Run(t, app)
		server.StepDown(10 * time.Second)
		synctest.Wait() // a client that has not heard of it fails twice, and gives up
		began := time.Now()
		insert(t, client, order{ID: 1})
		if took := time.Since(began); took < 9*time.Second {
			t.Errorf("a write was taken after %s", took)
		}
		fwtest.Await(t, func() bool { return handled.Load() == 1 })
	})
}

func TestForgottenOplogLosesAPosition(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		client := server.Client()
		stop := fwtest.Run(t, newApp(t, client, stream(nothing)))
		insert(t, client, order{ID: 1})
		stop()
		insert(t, client, order{ID: 2})
		server.ForgetOplog()
		app := newApp(t, client, stream(nothing))
		fwtest.Run(t, app)
		fwtest.Await(t, func() bool {
			return fwtest.StreamStatus(t, app, "orders").State == fw.StateHistoryLost
		})
	})
}
