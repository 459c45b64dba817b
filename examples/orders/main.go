// Command orders bills the orders that arrive in MongoDB.
//
//	go run ./examples/orders
//
// needs Go and nothing else. It plays a day on a MongoDB inside the process, which is a test double:
// it writes orders, tells what becomes of them, and ends by itself. The exit code is 1 if one is
// lost.
//
//	MONGODB_URI=mongodb://… FW_INSTANCE=one go run ./examples/orders
//
// is the program as it is deployed. Run it as often as you like: one process leads, the others stand
// by. SIGTERM and Ctrl-C stop it gracefully.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/examples/orders/bank"
	"github.com/fwgen/fwgen/examples/orders/billing"
	"github.com/fwgen/fwgen/examples/orders/day"
	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
)

func main() {
	begun := time.Now()
	ttl := flag.Duration("lease", 0, "how long a lease outlives its owner (60s)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	uri := os.Getenv("MONGODB_URI")
	if uri == "" {
		if err := day.Play(ctx, os.Stdout, begun); err != nil {
			fmt.Fprintln(os.Stderr, "\norders:", err)
			os.Exit(1)
		}
		return
	}
	log := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	// A lease is renewed three times before it runs out.
	if err := run(ctx, uri, log, fw.LeasePolicy{TTL: *ttl, Heartbeat: *ttl / 3}); err != nil {
		log.Error("not running", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, uri string, log *slog.Logger, lease fw.LeasePolicy) error {
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	shop := client.Database(cmp.Or(os.Getenv("DATABASE"), "shop"))

	app, err := fw.New(fw.Config{
		Client: client, Database: shop.Name(), Logger: log, Observer: observer{log},
	})
	if err != nil {
		return err
	}
	handler := &billing.Handler{Bank: &bank.Bank{}, Bills: shop.Collection("bills")}
	if err := app.Add(handler, fw.WithLease(lease)); err != nil {
		return err
	}
	return app.Run(ctx) // blocks; cancelling ctx is the graceful stop
}

// observer logs what the runtime does not: each attempt that failed.
type observer struct{ log *slog.Logger }

// Observe is called off the event path.
func (o observer) Observe(f fw.Fact) {
	if f, ok := f.(fact.AttemptFailed); ok {
		o.log.Info("attempt failed", "stream", f.FactStream(), "event", f.EventID,
			"attempt", f.Attempt, "error", f.Err, "retry", f.Retry)
	}
}
