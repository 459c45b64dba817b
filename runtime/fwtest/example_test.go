package fwtest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

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

// newInvoices returns an app with the handler, as an application has a function for it.
func newInvoices(client *mongo.Client, h *InvoiceHandler) *fw.App {
	app, err := fw.New(fw.Config{
		Client: client, Database: "shop", Logger: slog.New(slog.DiscardHandler),
	})
	if err == nil {
		err = app.Add(h)
	}
	if err != nil {
		panic(err)
	}
	return app
}

func write(client *mongo.Client, invoices ...Invoice) {
	_, err := client.Database("shop").Collection("invoices").
		InsertMany(context.Background(), invoices)
	if err != nil {
		panic(err)
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

// An application runs on a MongoDB inside the process. What is written after Run has returned is
// handled.
func ExampleRun() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	h := &InvoiceHandler{}
	app := newInvoices(client, h)
	stop := fwtest.Run(t, app)
	write(client, Invoice{ID: "A-1", Cents: 500}, Invoice{ID: "A-2", Cents: 700})
	fwtest.Await(t, func() bool {
		return fwtest.StreamStatus(t, app, "invoices").Attempts == 2
	})
	stop()
	fmt.Println(h.Paid)

	// Output:
	// [A-1 A-2]
}

// An app goes on where the one before has ended.
func ExampleRunUntil() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	fwtest.Run(t, newInvoices(client, &InvoiceHandler{}))() // a first start, and its stop
	write(client, Invoice{ID: "A-1", Cents: 500})

	h := &InvoiceHandler{}
	app := newInvoices(client, h)
	fwtest.RunUntil(t, app, func() bool {
		return fwtest.StreamStatus(t, app, "invoices").Attempts == 1
	})
	fmt.Println(h.Paid)

	// Output:
	// [A-1]
}

// The second attempt follows after 100 ms, which pass here; in a bubble of testing/synctest they
// would not. See the example of NewClient.
func ExampleAdvancePastRetry() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	app := newInvoices(client, &InvoiceHandler{})
	fwtest.Run(t, app)
	write(client, Invoice{ID: "A-1"})
	fwtest.AdvancePastRetry(t, app, "invoices")
	fwtest.RequireDeadLetters(t, client.Database("shop"), "invoices", 1)
	fmt.Println(fwtest.StreamStatus(t, app, "invoices").Attempts, "attempts")

	// Output:
	// 2 attempts
}

// What can't be handled is a dead letter after its last attempt.
func ExampleRequireDeadLetters() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	fwtest.Run(t, newInvoices(client, &InvoiceHandler{}))
	write(client, Invoice{ID: "A-1", Cents: 500}, Invoice{ID: "A-2"})

	letter := fwtest.RequireDeadLetters(t, client.Database("shop"), "invoices", 1)[0]
	fmt.Printf("%s: %s (%s), after %d attempts\n", letter.Key.Lookup("_id").StringValue(),
		letter.Error.Message, letter.Error.Kind, letter.Attempts)

	// Output:
	// A-2: nothing to pay (handler), after 2 attempts
}

// An event that the stored position is past does not come again.
func ExampleRequirePosition() {
	t := &example{} // in a test: its t
	defer t.end()

	client := fwtest.NewClient(t)
	shop := client.Database("shop")
	fwtest.Run(t, newInvoices(client, &InvoiceHandler{}))
	write(client, Invoice{ID: "A-1"})

	letter := fwtest.RequireDeadLetters(t, shop, "invoices", 1)[0]
	_, event, _ := strings.Cut(letter.ID, "/") // stream/event
	at := fwtest.RequirePosition(t, shop, "invoices", event)
	fmt.Println("at this event:", at.EventID == event, "under term", at.Term)

	// Output:
	// at this event: true under term 1
}

// A program that shows something with nothing installed.
func ExampleStart() {
	server := fwtest.Start()
	defer server.Close()
	client := server.Client()
	write(client, Invoice{ID: "A-1", Cents: 500})
	n, err := client.Database("shop").Collection("invoices").
		CountDocuments(context.Background(), struct{}{})
	fmt.Println(n, err)

	// Output:
	// 1 <nil>
}
