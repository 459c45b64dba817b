package fwtest_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

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
	fwtest.Await(t, func() bool {
		return fwtest.StreamStatus(t, app, "orders").State == fw.StateRunning
	})
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
		fwtest.Await(t, func() bool {
			return fwtest.StreamStatus(t, app, "orders").State == fw.StateRunning
		})
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
		_, eventID, _ := cut(letters[0].ID)
		at := fwtest.RequirePosition(t, client.Database("shop"), "orders", eventID)
		if at.Term != 1 {
			t.Errorf("%+v", at)
		}
		_ = bson.D{}
	})
}

func cut(id string) (string, string, bool) {
	for i := range id {
		if id[i] == '/' {
			return id[:i], id[i+1:], true
		}
	}
	return id, "", false
}
