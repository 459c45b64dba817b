package fwtest_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

func nothing(context.Context, *fw.Event[order]) error { return nil }

// bubble runs a test in virtual time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// What is written after Run has returned is handled: nobody has to wait for a state.
func TestNothingIsMissedAfterRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for range 20 {
			client := fwtest.NewClient(t)
			var handled atomic.Int64
			app := newApp(t, client, stream(func(context.Context, *fw.Event[order]) error {
				handled.Add(1)
				return nil
			}))
			stop := fwtest.Run(t, app)
			insert(t, client, order{ID: 1})
			fwtest.Await(t, func() bool { return handled.Load() == 1 })
			stop()
			stop()
		}
	})
}

// The first answer of a change stream takes a second where nothing happens.
func TestRunDoesNotWaitForTheFirstAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		for _, start := range []string{"new", "resumed"} {
			began := time.Now()
			stop := fwtest.Run(t, newApp(t, client, stream(nothing)))
			if took := time.Since(began); took > 100*time.Millisecond {
				t.Errorf("the %s stream has started after %s", start, took)
			}
			stop()
		}
	})
}

func TestRunReturnsWhenAStreamStandsBy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		first := newApp(t, server.Client(), stream(nothing))
		second := newApp(t, server.Client(), stream(nothing))
		stop := fwtest.Run(t, first)
		fwtest.Run(t, second)
		if s := fwtest.StreamStatus(t, second, "orders"); s.State != fw.StateStandby {
			t.Fatalf("the second app is %s, want standby", s.State)
		}
		began := time.Now()
		stop()
		fwtest.Await(t, func() bool { return fwtest.StreamStatus(t, second, "orders").Leader })
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the second app leads after %s", took)
		}
	})
}

func TestRunFailsAtOnceWhereTheAppDoesNotRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gone := fwtest.NewServer(t)
		away := gone.Client(options.Client().SetServerSelectionTimeout(time.Second))
		gone.Close()
		began := time.Now()
		said := failing(func(tb fwtest.TB) { fwtest.Run(tb, newApp(t, away, stream(nothing))) })
		wantSaid(t, said, "the app does not run: fw.App.Run: the server can't be reached")
		if took := time.Since(began); took >= fwtest.Patience {
			t.Errorf("it took %s", took)
		}
		empty, err := fw.New(fw.Config{Client: away, Database: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		said = failing(func(tb fwtest.TB) { fwtest.Run(tb, empty) })
		wantSaid(t, said, "does not run", "call App.Add first", "the app has no streams")
		runs := newApp(t, fwtest.NewClient(t), stream(nothing))
		fwtest.Run(t, runs)
		said = failing(func(tb fwtest.TB) { fwtest.Run(tb, runs) })
		wantSaid(t, said, "does not run", "make another App")
	})
}

func TestRunSaysWhatDoesNotStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		hangs := stream(nothing)
		hangs.Pipeline = func() mongo.Pipeline {
			<-release
			return nil
		}
		app := newApp(t, fwtest.NewClient(t), hangs)
		time.AfterFunc(fwtest.Patience+time.Second, func() { close(release) })
		said := failing(func(tb fwtest.TB) { fwtest.Run(tb, app) })
		wantSaid(t, said, "has not started after 30s", "stream orders is starting (leading")
	})
}

func TestRunSaysAtOnceWhenTheAppEndsByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		both := stream(nothing)
		both.Mode = fw.AllInstances
		said := failing(func(tb fwtest.TB) {
			fwtest.Run(tb, newApp(t, server.Client(), both))
			// The same instance name, as two apps in one process have unless they are told.
			fwtest.Run(tb, newApp(t, server.Client(), both))
			insert(t, server.Client(), order{ID: 1})
			time.Sleep(time.Minute)
		})
		wantSaid(t, said, "the app ended by itself", "set Config.Instance")
	})
}

func TestStopNamesTheHandlerThatHoldsItUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		began, release := make(chan string), make(chan struct{})
		var event string
		said := failing(func(tb fwtest.TB) {
			fwtest.Run(tb, newApp(t, client,
				stream(func(_ context.Context, ev *fw.Event[order]) error {
					began <- ev.ID
					<-release
					return nil
				})))
			insert(t, client, order{ID: 1})
			event = <-began
		})
		wantSaid(t, said, "did not stop cleanly", "the handler of event "+event+" has run for")
		close(release)
	})
}

func TestConditionThatNeverHoldsFailsTheTest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		never := func() bool { return false }
		app := newApp(t, fwtest.NewClient(t), stream(nothing))
		wantSaid(t, failing(func(tb fwtest.TB) { fwtest.RunUntil(tb, app, never) }),
			"does not hold after 30s", "stream orders is running")
		wantSaid(t, failing(func(tb fwtest.TB) { fwtest.Await(tb, never) }),
			"does not hold after 30s")
	})
}

func TestRunUntilGoesOnWhereTheOneBeforeEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		var ids []int
		run := func(until int) {
			app := newApp(t, client, stream(func(_ context.Context, ev *fw.Event[order]) error {
				ids = append(ids, ev.Doc.ID)
				return nil
			}))
			fwtest.RunUntil(t, app, func() bool {
				s := fwtest.StreamStatus(t, app, "orders")
				return s.InFlight == 0 && int(s.Attempts) == until
			})
		}
		run(0)
		insert(t, client, order{ID: 1})
		insert(t, client, order{ID: 2})
		run(2)
		insert(t, client, order{ID: 3})
		run(1)
		if len(ids) != 3 || ids[2] != 3 {
			t.Errorf("handled %v, want each once", ids)
		}
	})
}

func TestStreamThatIsNotThereIsNamedBesideThoseThatAre(t *testing.T) {
	bubble(t, func(t *testing.T) {
		app := newApp(t, fwtest.NewClient(t), stream(nothing))
		said := failing(func(tb fwtest.TB) { fwtest.StreamStatus(tb, app, "ordres") })
		wantSaid(t, said, `no stream "ordres"`, "stream orders is starting")
		said = failing(func(tb fwtest.TB) { fwtest.AdvancePastRetry(tb, app, "ordres") })
		wantSaid(t, said, `no stream "ordres"`)
	})
}

func TestAdvancePastRetryFailsWhereNothingWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		app := newApp(t, fwtest.NewClient(t), stream(nothing))
		said := failing(func(tb fwtest.TB) {
			fwtest.Run(tb, app)
			fwtest.AdvancePastRetry(tb, app, "orders")
		})
		wantSaid(t, said, "nothing of stream orders waits for a retry within 30s", "is running")
	})
}
