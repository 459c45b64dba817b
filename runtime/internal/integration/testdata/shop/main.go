// Command shop runs the handlers of the shop until SIGTERM.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	fw "github.com/fwgen/fwgen/runtime"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"example.com/shop/orders"
)

func main() {
	go func() { // the test that started it is gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	journal, err := os.OpenFile(os.Getenv("SHOP_JOURNAL"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")))
	if err != nil {
		return err
	}
	app, err := fw.New(fw.Config{Client: client, Database: os.Getenv("SHOP_DATABASE")})
	if err != nil {
		return err
	}
	if err := app.Add(&orders.OrderHandler{Billing: &orders.Billing{Journal: journal}}); err != nil {
		return err
	}
	return app.Run(ctx) // cancelling ctx is the graceful stop
}
