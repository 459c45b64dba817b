// Command withfwgen prints new orders. It remembers its position, retries, keeps what could not be
// handled as dead letters, runs on one instance at a time and stops gracefully. Command withdriver
// beside it does the same with the driver alone, except that nothing chooses a leader.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
)

//go:generate go run github.com/fwgen/fwgen/cmd/fwgen

// Order is a document of the collection orders.
type Order struct {
	ID    string `bson:"_id"`
	Total int    `bson:"total"`
}

// ErrInvalid is not worth another attempt.
var ErrInvalid = errors.New("invalid order")

// Handler prints new orders.
//
//fw:changestream collection=orders name=printed mode=single_leader retry=5 dlq
//fw:retry initial=200ms max=10s except=ErrInvalid
type Handler struct{}

// OnInsert handles a new order.
func (Handler) OnInsert(ctx context.Context, o *Order) error {
	if o.Total < 0 {
		return ErrInvalid
	}
	fmt.Println("handled", o.ID)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")))
	if err != nil {
		log.Fatal(err)
	}
	app, err := fw.New(fw.Config{Client: client, Database: os.Getenv("DATABASE")})
	if err == nil {
		err = app.Add(Handler{})
	}
	if err == nil {
		err = app.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
