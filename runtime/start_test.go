package fw_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// logs keeps what an App logs.
type logs struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) has(part string) bool { return l.count(part) > 0 }

func (l *logs) count(part string) int { return strings.Count(l.String(), part) }

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newApp(t *testing.T, c fw.Config, log *logs, handle func()) *fw.App {
	t.Helper()
	c.Database, c.Logger = "shop", slog.New(slog.NewTextHandler(log, nil))
	app, err := fw.New(c)
	if err != nil {
		t.Fatal(err)
	}
	err = app.Add(fw.Stream{
		Collections: []string{"orders"}, Mode: fw.SingleLeader,
		Handle: fw.Typed(fw.Handlers[bson.Raw]{
			Insert: func(context.Context, *fw.Event[bson.Raw]) error {
				handle()
				return nil
			},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// To see how many connections a pool lends takes a quarter of a second. Streams have begun by then.
func TestStreamsDoNotWaitForTheLookAtThePool(t *testing.T) {
	t.Parallel()
	for _, bundle := range []struct {
		size    uint64
		noticed bool
		within  time.Duration // until the stream runs
	}{
		{size: 4, noticed: true, within: 2 * time.Second}, // all are in use, again and again
		{size: 10, noticed: true, within: 500 * time.Millisecond},
		{size: 11, within: 500 * time.Millisecond},
		{size: 100, within: 10 * time.Millisecond},
	} {
		inBubble(t, fmt.Sprint("pool of ", bundle.size), func(t *testing.T) {
			var log logs
			client := fwtest.NewClient(t, options.Client().SetMaxPoolSize(bundle.size))
			app := newApp(t, fw.Config{Client: client}, &log, func() {})
			began := time.Now()
			fwtest.Run(t, app)
			if took := time.Since(began); took > bundle.within {
				t.Errorf("started after %s, want %s", took, bundle.within)
			}
			time.Sleep(time.Second)
			if got := log.has("connection pool is small"); got != bundle.noticed {
				t.Errorf("noticed %v, want %v", got, bundle.noticed)
			}
		})
	}
}

// inBubble runs a subtest in virtual time.
func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, f)
	})
}

// The look at the pool ends with Run, and says nothing about a pool that it has not seen.
func TestRunDoesNotWaitForTheLookAtThePool(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, config fw.Config, stopAfter time.Duration) error {
		var log logs
		app := newApp(t, config, &log, func() {})
		ctx, stop := context.WithTimeout(t.Context(), stopAfter)
		defer stop()
		began := time.Now()
		err := app.Run(ctx)
		if took := time.Since(began); took > 10*time.Millisecond {
			t.Errorf("Run returned after %s", took)
		}
		if log.has("connection pool is small") {
			t.Error("a pool is noticed that was not looked at to the end")
		}
		return err
	}
	inBubble(t, "stopped", func(t *testing.T) {
		client := fwtest.NewClient(t, options.Client().SetMaxPoolSize(4))
		if err := run(t, fw.Config{Client: client}, 5*time.Millisecond); err != nil {
			t.Error(err)
		}
	})
	inBubble(t, "refused", func(t *testing.T) {
		gone := fwtest.NewServer(t)
		state := gone.Client(options.Client().SetServerSelectionTimeout(time.Millisecond))
		gone.Close()
		config := fw.Config{Client: fwtest.NewClient(t), StateClient: state}
		if err := run(t, config, time.Minute); err == nil {
			t.Error("Run returned nil, want that the state can't be reached")
		}
	})
}

// The reader and the watch of leases end within a second of a stop, also where the release of the
// lease, which the watch hears of, comes later than that.
func TestStopWaitsForOneAnswerOfTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logs
		client := fwtest.NewClient(t)
		began := make(chan struct{})
		app := newApp(t, fw.Config{Client: client}, &log, func() {
			close(began)
			time.Sleep(500 * time.Millisecond)
		})
		stop := fwtest.Run(t, app)
		_, err := client.Database("shop").Collection("orders").InsertOne(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		at := time.Now()
		stop()
		if took := time.Since(at); took < 500*time.Millisecond || took > 1100*time.Millisecond {
			t.Errorf("the stop took %s, want a second", took)
		}
	})
}
