package fwtest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// example stands for the *testing.T of a test, which an example has not.
type example struct{ cleanups []func() }

func (*example) Helper() {}

func (*example) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (*example) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	runtime.Goexit()
}

func (e *example) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *example) end() {
	for i := range e.cleanups {
		e.cleanups[len(e.cleanups)-1-i]()
	}
}

type Invoice struct {
	ID    string `bson:"_id"`
	Cents int    `bson:"cents"`
}

// InvoiceHandler is written by hand here; FWStream is what fwgen generates.
type InvoiceHandler struct{ Paid []string }

func (h *InvoiceHandler) OnInsert(_ context.Context, i *Invoice) error {
	if i.Cents <= 0 {
		return errors.New("nothing to pay")
	}
	h.Paid = append(h.Paid, i.ID)
	return nil
}

func (h *InvoiceHandler) FWStream() fw.Stream {
	return fw.Stream{
		Name: "invoices", Collections: []string{"invoices"}, Mode: fw.SingleLeader,
		Retry: fw.RetryPolicy{Attempts: 2, Initial: 100 * time.Millisecond, Jitter: -1},
		DLQ:   fw.DLQPolicy{Enabled: true},
		Handle: fw.Typed(fw.Handlers[Invoice]{
			Insert: func(ctx context.Context, ev *fw.Event[Invoice]) error {
				return h.OnInsert(ctx, ev.Doc)
			},
		}),
	}
}

// A handler alone, attempt by attempt: nothing is waited for.
func ExampleDeliver() {
	t := &example{} // in a test: its t
	defer t.end()

	h := &InvoiceHandler{}
	d := fwtest.Deliver(t, h, fwtest.Insert(Invoice{ID: "A-1", Cents: 500}))
	fmt.Println(d.Outcome, h.Paid)

	d = fwtest.Deliver(t, h, fwtest.Insert(Invoice{ID: "A-2"}))
	fmt.Printf("%s after %s: %v\n", d.Outcome, d.Wait, d.Err)
	d.Again()
	fmt.Printf("%s after %d attempts\n", d.Outcome, d.Attempts)

	// Output:
	// handled [A-1]
	// retried after 100ms: nothing to pay
	// dead_lettered after 2 attempts
}

// An application with a database, from the first event to a dead letter.
func ExampleRunUntil() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	shop := client.Database("shop")
	app, err := fw.New(fw.Config{
		Client: client, Database: shop.Name(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	h := &InvoiceHandler{}
	if err := app.Add(h); err != nil {
		fmt.Println(err)
		return
	}

	written := false
	fwtest.RunUntil(t, app, func() bool {
		s := fwtest.StreamStatus(t, app, "invoices")
		if s.State == fw.StateRunning && !written {
			written = true
			_, err = shop.Collection("invoices").InsertMany(context.Background(), []any{
				Invoice{ID: "A-1", Cents: 500}, bson.D{{Key: "_id", Value: "A-2"}},
			})
		}
		return s.DeadLetters == 1 || err != nil
	})
	fmt.Println(h.Paid, err)

	letters := fwtest.RequireDeadLetters(t, shop, "invoices", 1)
	fmt.Println(letters[0].Key.Lookup("_id").StringValue(), letters[0].Error.Message)

	// Output:
	// [A-1] <nil>
	// A-2 nothing to pay
}
