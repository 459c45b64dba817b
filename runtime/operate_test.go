package fw_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

// fleet is several Apps with one stream of the collection orders, on one server.
type fleet struct {
	*testing.T
	client *mongo.Client
	mode   fw.Mode

	mu      sync.Mutex // guards handled
	handled []string   // the instance and the id of each document, in order
}

func inFleet(t *testing.T, mode fw.Mode, f func(*fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(&fleet{T: t, client: fwtest.NewClient(t), mode: mode})
	})
}

// inModes runs a test of each mode.
func inModes(t *testing.T, f func(*fleet)) {
	t.Helper()
	t.Parallel()
	for _, mode := range []fw.Mode{fw.SingleLeader, fw.AllInstances} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			inFleet(t, mode, f)
		})
	}
}

// app returns an App that does not run yet.
func (f *fleet) app(name string, opts ...fw.AddOption) *fw.App {
	f.Helper()
	return f.appWith(name, fw.Config{Client: f.client}, opts...)
}

func (f *fleet) appWith(name string, c fw.Config, opts ...fw.AddOption) *fw.App {
	f.Helper()
	c.Database, c.Instance, c.DrainTimeout = "shop", name, 5*time.Second
	c.Logger = slog.New(slog.DiscardHandler)
	app, err := fw.New(c)
	if err != nil {
		f.Fatal(err)
	}
	err = app.Add(fw.Stream{
		Collections: []string{"orders"}, Mode: f.mode,
		Handle: fw.Typed(fw.Handlers[bson.Raw]{
			Insert: func(_ context.Context, ev *fw.Event[bson.Raw]) error {
				f.mu.Lock()
				defer f.mu.Unlock()
				id, _ := ev.Key.Lookup("_id").StringValueOK()
				f.handled = append(f.handled, name+" "+id)
				return nil
			},
		}),
	}, opts...)
	if err != nil {
		f.Fatal(err)
	}
	return app
}

// run runs an App until the test ends or stop is called.
func (f *fleet) run(name string, opts ...fw.AddOption) (app *fw.App, stop func()) {
	f.Helper()
	app = f.app(name, opts...)
	return app, fwtest.Run(f, app)
}

// insert writes a document and gives it time to be handled.
func (f *fleet) insert(id string) {
	f.Helper()
	_, err := f.client.Database("shop").Collection("orders").InsertOne(f.Context(), bson.D{
		{Key: "_id", Value: id},
	})
	f.must(err)
	time.Sleep(2 * time.Second)
}

func (f *fleet) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// wantHandled checks which documents were handled where, in any order, and forgets them.
func (f *fleet) wantHandled(want ...string) {
	f.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.handled)
	slices.Sort(want)
	if !slices.Equal(f.handled, want) {
		f.Errorf("handled %v, want %v", f.handled, want)
	}
	f.handled = nil
}

func stateOf(app *fw.App) fw.StreamStatus { return app.Status().Streams[0] }

func TestB143AHeldStreamRunsNowhereAlsoAfterRestarts(t *testing.T) {
	inModes(t, func(f *fleet) {
		_, stopBlue := f.run("blue")
		green, stopGreen := f.run("green")
		f.must(green.Hold(f.Context(), "orders", fw.Hold{Reason: "migration"}))
		time.Sleep(time.Second)
		f.insert("1")
		f.wantHandled()
		stopBlue()
		stopGreen()
		blue, _ := f.run("blue")
		green, _ = f.run("green")
		f.insert("2")
		f.wantHandled()
		for _, app := range []*fw.App{blue, green} {
			s := stateOf(app)
			if s.State != fw.StateHeld || s.Reason != "held by green: migration" {
				f.Errorf("status: %s %q", s.State, s.Reason)
			}
		}
		f.must(blue.Release(f.Context(), "orders"))
		f.must(blue.Release(f.Context(), "orders"))
		time.Sleep(5 * time.Second)
		if f.mode == fw.AllInstances {
			f.wantHandled("blue 1", "blue 2", "green 1", "green 2")
			return
		}
		leader := "blue"
		if stateOf(green).Leader {
			leader = "green"
		}
		f.wantHandled(leader+" 1", leader+" 2")
	})
}

func TestAHoldEndsByItself(t *testing.T) {
	inModes(t, func(f *fleet) {
		blue, _ := f.run("blue")
		f.must(blue.Hold(f.Context(), "orders", fw.Hold{
			By: "ann", Until: time.Now().Add(10 * time.Minute),
		}))
		if s := stateOf(blue); s.State == fw.StateRunning || s.Leader {
			f.Errorf("runs when Hold has returned: %+v", s)
		}
		f.insert("1")
		time.Sleep(9 * time.Minute)
		f.wantHandled()
		if s := stateOf(blue); s.State != fw.StateHeld || s.NextRetry.IsZero() {
			f.Errorf("status: %+v, want held with its end", s)
		}
		time.Sleep(time.Minute)
		f.wantHandled("blue 1")
	})
}

func TestHoldWorksBeforeRunAndWhereTheStreamDoesNotRun(t *testing.T) {
	inModes(t, func(f *fleet) {
		off := f.app("off", fw.WithEnabled(false))
		f.must(off.Hold(f.Context(), "orders", fw.Hold{}))
		blue, _ := f.run("blue")
		if s := stateOf(blue); s.State != fw.StateHeld {
			f.Errorf("status: %+v", s)
		}
		f.must(off.Release(f.Context(), "orders"))
		time.Sleep(5 * time.Second)
		if s := stateOf(blue); s.State != fw.StateRunning {
			f.Errorf("status: %+v", s)
		}
	})
}

func TestStepDownMovesAStreamToAnotherInstance(t *testing.T) {
	t.Parallel()
	inFleet(t, fw.SingleLeader, func(f *fleet) {
		blue, _ := f.run("blue")
		green, _ := f.run("green")
		f.insert("1")
		began := time.Now()
		f.must(blue.StepDown(f.Context(), "orders"))
		time.Sleep(time.Second)
		if s := stateOf(green); !s.Leader || s.Term != 2 {
			f.Errorf("%s after the step-down: %+v", time.Since(began), s)
		}
		f.insert("2")
		time.Sleep(2 * time.Minute)
		f.insert("3")
		f.wantHandled("blue 1", "green 2", "green 3")
		if s := stateOf(blue); s.State != fw.StateStandby || s.Code != "standby" {
			f.Errorf("status: %+v", s)
		}
	})
}

func TestAHigherPriorityTakesAStreamAndLosesNothing(t *testing.T) {
	t.Parallel()
	inFleet(t, fw.SingleLeader, func(f *fleet) {
		_, stopLow := f.run("low", fw.WithLease(fw.LeasePolicy{Priority: -1}))
		f.insert("1")
		f.run("middle")
		time.Sleep(2 * time.Second)
		f.insert("2")
		_, stopHigh := f.run("high", fw.WithLease(fw.LeasePolicy{Priority: 5}))
		time.Sleep(2 * time.Second)
		f.insert("3")
		f.run("equal", fw.WithLease(fw.LeasePolicy{Priority: 5}))
		time.Sleep(2 * time.Minute)
		f.insert("4")
		stopHigh()
		time.Sleep(2 * time.Second)
		f.insert("5")
		stopLow()
		f.wantHandled("low 1", "middle 2", "high 3", "high 4", "equal 5")
	})
}

func TestWhatCannotBeOperatedIsRefusedWithAnAdvice(t *testing.T) {
	inModes(t, func(f *fleet) {
		ctx := f.Context()
		blue, _ := f.run("blue")
		green, _ := f.run("green")
		off := f.app("off", fw.WithEnabled(false))
		for what, test := range map[string]struct {
			err  error
			want string
		}{
			"hold of an unknown stream": {blue.Hold(ctx, "order", fw.Hold{}), "there are orders"},
			"release of an unknown one": {blue.Release(ctx, "order"), "there are orders"},
			"step-down of an unknown":   {blue.StepDown(ctx, "order"), "there are orders"},
			"hold that is over": {blue.Hold(ctx, "orders", fw.Hold{Until: time.Now()}),
				"leave it zero"},
			"step-down before Run": {off.StepDown(ctx, "orders"), "does not run yet"},
			"step-down of no leader": {green.StepDown(ctx, "orders"), map[fw.Mode]string{
				fw.SingleLeader: "instance blue leads", fw.AllInstances: "has no leader",
			}[f.mode]},
		} {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				f.Errorf("%s: got %v, want %q in it", what, test.err, test.want)
			}
		}
	})
}

func TestHoldDoesNotWaitForAServerThatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := fwtest.NewServer(t)
		f := &fleet{T: t, client: server.Client(), mode: fw.SingleLeader}
		app := f.app("blue")
		server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		err := app.Hold(ctx, "orders", fw.Hold{})
		if err == nil || time.Since(began) > 3*time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}
