package fwtest_test

import (
	"context"
	"log/slog"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// What it costs a test to have a server, up to its end.
func BenchmarkServer(b *testing.B) {
	for b.Loop() {
		fwtest.Start().Close()
	}
}

// How long it takes from no server to the first answer to a client.
func BenchmarkFirstAnswer(b *testing.B) {
	for b.Loop() {
		server := fwtest.Start()
		if err := server.Client().Ping(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		server.Close()
		b.StartTimer()
	}
}

// How long it takes from no server to the first event that an app has handled.
func BenchmarkFirstHandledEvent(b *testing.B) {
	for b.Loop() {
		server := fwtest.Start()
		client := server.Client()
		app, err := fw.New(fw.Config{
			Client: client, Database: "shop", Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			b.Fatal(err)
		}
		handled := make(chan struct{})
		err = app.Add(stream(func(context.Context, *fw.Event[order]) error {
			close(handled)
			return nil
		}))
		if err != nil {
			b.Fatal(err)
		}
		stop := fwtest.Run(b, app)
		orders := client.Database("shop").Collection("orders")
		if _, err := orders.InsertOne(b.Context(), bson.D{{Key: "_id", Value: 1}}); err != nil {
			b.Fatal(err)
		}
		<-handled
		b.StopTimer()
		stop()
		server.Close()
		b.StartTimer()
	}
}

// What it costs to test a handler alone with one event.
func BenchmarkDeliver(b *testing.B) {
	for b.Loop() {
		d := fwtest.Deliver(b, stream(nothing), fwtest.Insert(order{ID: 1}))
		if d.Outcome != fwtest.Handled {
			b.Fatal(d.Outcome)
		}
	}
}
