// Package day plays a day of the orders example inside one process, with nothing installed: it
// starts the in-process server, writes orders, tells what becomes of them, and judges the outcome.
package day

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/account"
	"github.com/fwgen/fwgen/examples/orders/bank"
	"github.com/fwgen/fwgen/examples/orders/billing"
	"github.com/fwgen/fwgen/examples/orders/judge"
	"github.com/fwgen/fwgen/examples/orders/shop"
	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

const (
	limit     = 25 * time.Second       // of the whole day
	firstWait = 100 * time.Millisecond // before the second attempt: half of what is declared
	look      = 5 * time.Millisecond
)

// faultVariable spoils the evidence, to show that the judge notices: "day" loses a bill.
const faultVariable = "ORDERS_DEMO_FAULT"

// day is what is played: the shop's app, its customers, and what was seen so far.
type day struct {
	*account.Account
	shop.Records
	customers *shop.Customers
	bank      *bank.Bank
	log       lockedBuffer // of the runtime, for when something is wrong

	mu      sync.Mutex // guards what follows
	settled int
	first   time.Time // when the first order was billed
}

// Play plays a day that begins with the program, and tells it on out. It returns an error if an
// order was lost, or anything else was not as promised.
func Play(ctx context.Context, out io.Writer, begun time.Time) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	server := fwtest.Start()
	defer server.Close()
	db := server.Client().Database("shop")
	d := &day{Account: account.New(out, begun), Records: shop.Records{DB: db},
		customers: shop.NewCustomers(db), bank: &bank.Bank{}}
	d.Print("MONGODB_URI is not set, so all of this runs on a MongoDB inside this process: a test " +
		"double,\nwhich forgets everything at the end. The driver, the runtime and the handler are " +
		"the real ones.")
	err := d.play(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		d.Print("\nThe runtime has logged:\n%s", &d.log)
	}
	return err
}

func (d *day) play(ctx context.Context) error {
	if err := d.DB.CreateCollection(ctx, "orders"); err != nil {
		return err
	}
	for _, act := range []func(context.Context) error{d.trouble, d.morning} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	found, err := d.evidence(ctx)
	if err != nil {
		return err
	}
	if err := judge.Tell(d.Account, found.Counts()); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Print("\nThe first order was billed %s after the program had begun.",
		account.Short(d.first.Sub(d.Begun())))
	d.Print("All as promised, in %.1f s.", time.Since(d.Begun()).Seconds())
	return nil
}

// trouble: orders arrive, and four of them are no plain ones.
func (d *day) trouble(ctx context.Context) error {
	d.Headline("Orders, and trouble with four of them")
	special := map[int]shop.Kind{3: shop.Flaky, 6: shop.Declined, 8: shop.Unreadable, 10: shop.Panics}
	return d.open(ctx, func() error {
		for n := range 12 {
			if _, err := d.customers.Order(ctx, special[n]); err != nil {
				return err
			}
		}
		return d.awaitSettled(ctx)
	})
}

// morning: what arrives while the shop is closed is handled when it opens again, and nothing else.
func (d *day) morning(ctx context.Context) error {
	d.Headline("The next morning")
	id, err := d.customers.Order(ctx, shop.Plain)
	if err != nil {
		return err
	}
	d.Say("%s arrives while the shop is closed; then that opens again", id)
	return d.open(ctx, func() error { return d.awaitSettled(ctx) })
}

// open runs the app, calls do when it misses nothing any more, and stops it gracefully.
func (d *day) open(ctx context.Context, do func() error) error {
	app, err := d.app()
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- app.Run(running) }()
	err = d.await(ctx, "the stream to begin", func() bool {
		s := app.Status().Streams[0]
		return s.State == fw.StateRunning || s.Code == "opening"
	})
	if err == nil {
		err = do()
	}
	if err == nil {
		d.Say("every order is billed or a dead letter, and the shop closes")
	}
	stop()
	return errors.Join(err, <-ended)
}

// app is the example's, with shorter waits between attempts and this story as its observer.
func (d *day) app() (*fw.App, error) {
	app, err := fw.New(fw.Config{
		Client: d.DB.Client(), Database: d.DB.Name(), Observer: d,
		Logger: slog.New(slog.NewTextHandler(&d.log, nil)),
	})
	if err != nil {
		return nil, err
	}
	handler := &billing.Handler{Bank: d.bank, Bills: d.DB.Collection("bills")}
	retry := handler.FWStream().Retry
	retry.Initial = firstWait
	return app, app.Add(handler, fw.WithRetry(retry))
}

// awaitSettled waits until every order is billed or a dead letter.
func (d *day) awaitSettled(ctx context.Context) error {
	return d.await(ctx, "every order to be billed or a dead letter", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.settled >= len(d.customers.All())
	})
}

func (d *day) await(ctx context.Context, what string, check func() bool) error {
	next := time.NewTicker(look)
	defer next.Stop()
	for !check() {
		select {
		case <-next.C:
		case <-ctx.Done():
			return fmt.Errorf("waited in vain for %s: %w", what, context.Cause(ctx))
		}
	}
	return nil
}

// evidence collects what is to be judged.
func (d *day) evidence(ctx context.Context) (e judge.Evidence, err error) {
	if os.Getenv(faultVariable) == "day" {
		if err := d.LoseABill(ctx); err != nil {
			return e, err
		}
	}
	e.Written, e.Terms = d.customers.All(), "1 2"
	if e.Bills, err = d.Bills(ctx, bson.M{}); err != nil {
		return e, err
	}
	if e.Letters, err = d.Letters(ctx); err != nil {
		return e, err
	}
	last, err := d.Checkpoint(ctx)
	e.Position = last.Position.ClusterTime
	return e, err
}
