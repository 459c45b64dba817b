package fwtest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// Parcel is a document, Courier a handler of it. FWStream is what fwgen generates.
type Parcel struct {
	ID string `bson:"_id"`
}

// Courier delivers parcels when somebody is at home.
type Courier struct{ HomeFrom time.Time }

// OnInsert delivers a parcel.
func (c *Courier) OnInsert(_ context.Context, _ *Parcel) error {
	if time.Now().Before(c.HomeFrom) {
		return errors.New("nobody at home")
	}
	return nil
}

// FWStream describes the stream: two attempts, an hour apart.
func (c *Courier) FWStream() fw.Stream {
	return fw.Stream{
		Name: "parcels", Collections: []string{"parcels"}, Mode: fw.SingleLeader,
		Retry: fw.RetryPolicy{Attempts: 2, Initial: time.Hour, Max: time.Hour},
		Handle: fw.Typed(fw.Handlers[Parcel]{
			Insert: func(ctx context.Context, ev *fw.Event[Parcel]) error {
				return c.OnInsert(ctx, ev.Doc)
			},
		}),
	}
}

// testParcelIsDeliveredAtTheSecondAttempt would be called TestParcelIs…, and take no time.
func testParcelIsDeliveredAtTheSecondAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fwtest.NewClient(t) // in the bubble: the server lives in its time
		shop := client.Database("shop")
		app, err := fw.New(fw.Config{Client: client, Database: shop.Name()})
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Add(&Courier{HomeFrom: time.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		fwtest.Run(t, app)
		if _, err := shop.Collection("parcels").InsertOne(t.Context(), Parcel{"A-1"}); err != nil {
			t.Fatal(err)
		}
		fwtest.AdvancePastRetry(t, app, "parcels") // an hour, in no time
		fwtest.Await(t, func() bool {
			s := fwtest.StreamStatus(t, app, "parcels")
			return s.Attempts == 2 && s.InFlight == 0
		})
		fwtest.RequireDeadLetters(t, shop, "parcels", 0)
	})
}

// In a bubble of testing/synctest, leases, retries and intervals take no time.
func ExampleNewClient() {
	var t *testing.T // of the test
	testParcelIsDeliveredAtTheSecondAttempt(t)
}
