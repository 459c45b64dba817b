package fw_test

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
	"github.com/fwgen/fwgen/runtime/internal/presence"
)

const spreadStreams = 6

// spreading runs an App with six led streams.
func spreading(t *testing.T, client *mongo.Client, name string, spread bool) (*fw.App, func()) {
	t.Helper()
	app, err := fw.New(fw.Config{
		Client: client, Database: "shop", Instance: name, Spread: spread,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range spreadStreams {
		err := app.Add(fw.Stream{
			Name: fmt.Sprint("s", n), Collections: []string{"orders"}, Mode: fw.SingleLeader,
			Handle: fw.Typed(fw.Handlers[bson.Raw]{Insert: ignore}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return app, fwtest.Run(t, app)
}

// led returns how many streams an App leads, and the sum of their terms.
func led(app *fw.App) (n int, terms int64) {
	for _, s := range app.Status().Streams {
		if s.Leader {
			n, terms = n+1, terms+s.Term
		}
	}
	return n, terms
}

func TestStreamsAreSpreadOverEqualInstances(t *testing.T) {
	for _, spread := range []bool{true, false} {
		inBubble(t, fmt.Sprint("spread ", spread), func(t *testing.T) {
			client := fwtest.NewClient(t)
			blue, _ := spreading(t, client, "blue", spread)
			green, stopGreen := spreading(t, client, "green", spread)
			time.Sleep(6 * presence.Heartbeat)
			want := spreadStreams
			if spread {
				want = spreadStreams / 2
			}
			blueLeads, blueTerms := led(blue)
			greenLeads, greenTerms := led(green)
			if blueLeads != want || blueLeads+greenLeads != spreadStreams {
				t.Errorf("led: %d and %d, want %d by the first", blueLeads, greenLeads, want)
			}
			time.Sleep(3 * time.Minute)
			_, blueLater := led(blue)
			_, greenLater := led(green)
			if blueLater != blueTerms || greenLater != greenTerms {
				t.Errorf("terms went on from %d and %d to %d and %d, want that all stay",
					blueTerms, greenTerms, blueLater, greenLater)
			}
			stopGreen()
			time.Sleep(2 * time.Second)
			if n, _ := led(blue); n != spreadStreams {
				t.Errorf("led after the other stopped: %d", n)
			}
		})
	}
}

// A lease that becomes free goes to the instance that leads the fewest.
func TestAFreeLeaseGoesToWhoLeadsFewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		_, stopBlue := spreading(t, client, "blue", true)
		green, _ := spreading(t, client, "green", true)
		time.Sleep(6 * presence.Heartbeat)
		before, _ := led(green)
		late, _ := spreading(t, client, "late", true)
		stopBlue()
		time.Sleep(time.Second)
		after, _ := led(green)
		if n, _ := led(late); before != 3 || after != before || n != 3 {
			t.Errorf("led: %d, then %d and %d, want the late one to take all three", before, after, n)
		}
	})
}

// Nobody would lead what is handed over to such an instance.
func TestNothingIsSpreadToWhereItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		green, _ := spreading(t, client, "green", true)
		for n := range spreadStreams {
			if err := green.Stop(t.Context(), fmt.Sprint("s", n)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(presence.Heartbeat)
		blue, _ := spreading(t, client, "blue", true)
		for range 10 {
			time.Sleep(presence.Heartbeat)
			if n, _ := led(blue); n != spreadStreams {
				t.Fatalf("led: %d, want all", n)
			}
		}
		for n := range spreadStreams {
			if err := green.Start(t.Context(), fmt.Sprint("s", n)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(8 * presence.Heartbeat)
		if n, _ := led(green); n != spreadStreams/2 {
			t.Errorf("led by the other: %d after it started its streams", n)
		}
	})
}
