package fwtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// picky is a stream whose handler refuses orders without a price.
func picky() fw.Stream {
	return stream(func(_ context.Context, ev *fw.Event[order]) error {
		if ev.Doc.Cents == 0 {
			return fw.Permanent(fmt.Errorf("order %d has no price", ev.Doc.ID))
		}
		return nil
	})
}

func TestDeadLettersComeInTheOrderOfTheirCreation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		fwtest.Run(t, newApp(t, client, picky()))
		for n := range 3 {
			insert(t, client, order{ID: n})
		}
		for n, l := range fwtest.RequireDeadLetters(t, client.Database("shop"), "orders", 3) {
			if got := int(l.Key.Lookup("_id").AsInt64()); got != n || l.Status != "PENDING" ||
				l.Attempts != 1 || l.Operation != "INSERT" || l.CreatedAt.IsZero() ||
				l.FullDocument.Lookup("_id").AsInt64() != int64(n) || len(l.Raw) == 0 {
				t.Errorf("letter %d is %+v", n, l)
			}
		}
	})
}

func TestRequireDeadLettersSaysWhichThereAre(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		shop := client.Database("shop")
		fwtest.RequireDeadLetters(t, shop, "orders", 0) // nothing is there at all
		fwtest.Run(t, newApp(t, client, picky()))
		insert(t, client, order{ID: 1})
		insert(t, client, order{ID: 2})
		fwtest.RequireDeadLetters(t, shop, "orders", 2)
		for _, bundle := range []struct {
			stream string
			n      int
			said   []string
		}{
			{"orders", 1, []string{"stream orders has 2 dead letters, want 1",
				"after attempt 1 (handler): order 1 has no price", "order 2 has no price"}},
			{"orders", 3, []string{"2 dead letters, want 3", "order 1 has no price"}},
			{"orders", 0, []string{"2 dead letters, want 0"}},
			{"ordres", 1, []string{"stream ordres has 0 dead letters, want 1",
				"shop._fw_dlq has some of: orders"}},
		} {
			wantSaid(t, failing(func(tb fwtest.TB) {
				fwtest.RequireDeadLetters(tb, shop, bundle.stream, bundle.n)
			}), bundle.said...)
		}
		wantSaid(t, failing(func(tb fwtest.TB) {
			fwtest.RequireDeadLetters(tb, client.Database("stop"), "orders", 2)
		}), "0 dead letters, want 2", "stop._fw_dlq has none of other streams")
	})
}

func TestPositionIsRequiredAsFarAsAnEvent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		shop := client.Database("shop")
		wantSaid(t, failing(func(tb fwtest.TB) {
			fwtest.RequirePosition(tb, shop, "orders", "1.1-0")
		}), "no position of stream orders is stored", "has none of other streams")
		ids := make(chan string, 2)
		stalls := stream(func(_ context.Context, ev *fw.Event[order]) error {
			ids <- ev.ID
			if ev.Doc.ID == 2 {
				return fw.Permanent(errors.New("stalls"))
			}
			return nil
		})
		stalls.DLQ.Enabled = false
		fwtest.Run(t, newApp(t, client, stalls))
		insert(t, client, order{ID: 1})
		first := <-ids
		at := fwtest.RequirePosition(t, shop, "orders", first)
		if at.EventID != first || at.Kind != "event" || at.Term != 1 || len(at.Token) == 0 {
			t.Errorf("the position is %+v", at)
		}
		insert(t, client, order{ID: 2})
		wantSaid(t, failing(func(tb fwtest.TB) {
			fwtest.RequirePosition(tb, shop, "orders", <-ids)
		}), "the position of stream orders is behind event ", "it is event "+first+" under term 1")
		wantSaid(t, failing(func(tb fwtest.TB) {
			fwtest.RequirePosition(tb, shop, "ordres", first)
		}), "no position of stream ordres", "shop._fw_checkpoints has some of: orders")
	})
}

// An event is behind the position, too, where that is of a later event or of none.
func TestPositionBeyondAnEventWillDo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		var first string
		s := stream(func(_ context.Context, ev *fw.Event[order]) error {
			if first == "" {
				first = ev.ID
			}
			return nil
		})
		stop := fwtest.Run(t, newApp(t, client, s))
		insert(t, client, order{ID: 1})
		insert(t, client, order{ID: 2})
		time.Sleep(5 * time.Minute) // idle, so that the position has no event
		stop()
		at := fwtest.RequirePosition(t, client.Database("shop"), "orders", first)
		if at.Kind != "idle" {
			t.Errorf("the position is %+v, want an idle one", at)
		}
	})
}

func TestStateIsFoundWhereAnAppKeepsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		state := client.Database("state")
		app, err := fw.New(fw.Config{
			Client: client, Database: "shop", StateDatabase: "state", Prefix: "billing",
		})
		if err != nil {
			t.Fatal(err)
		}
		s := picky()
		s.DLQ.Collection = "dead"
		if err := app.Add(s); err != nil {
			t.Fatal(err)
		}
		fwtest.Run(t, app)
		insert(t, client, order{ID: 1})
		prefix, dead := fwtest.WithPrefix("billing"), fwtest.WithCollection("dead")
		fwtest.RequireDeadLetters(t, state, "orders", 1, prefix, dead)
		fwtest.RequirePosition(t, state, "orders", "0.1-0", prefix)
	})
}
