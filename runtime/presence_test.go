package fw_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/internal/presence"
)

// writes counts the commands that change a collection.
type writes struct {
	collection string

	mu sync.Mutex // guards n
	n  int
}

func (w *writes) monitor() *options.ClientOptions {
	return options.Client().SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			named, _ := e.Command.Lookup(e.CommandName).StringValueOK()
			reads := e.CommandName == "find" || e.CommandName == "aggregate"
			w.mu.Lock()
			defer w.mu.Unlock()
			if named == w.collection && !reads && !strings.HasPrefix(e.CommandName, "create") {
				w.n++
			}
		},
	})
}

// since returns the number of writes since it was asked last.
func (w *writes) since() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.n = 0 }()
	return w.n
}

// present returns what processes have announced, by instance name.
func present(t *testing.T, client *mongo.Client, prefix string) map[string]presence.Listed {
	t.Helper()
	listed, err := mongostore.New(client, "shop", prefix).Instances().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]presence.Listed{}
	for _, l := range listed {
		byName[l.Instance.Name] = l
	}
	return byName
}

// several returns an App with many streams that run, one disabled and one excluded.
func several(t *testing.T, c fw.Config, log *logs) *fw.App {
	t.Helper()
	c.Except = []string{"excluded"}
	app := newApp(t, c, log, func() {})
	for n := range 9 {
		name := fmt.Sprint("s", n)
		add(t, app, name, fw.WithName(name), fw.WithMode(fw.AllInstances))
	}
	add(t, app, "disabled", fw.WithEnabled(false))
	add(t, app, "excluded")
	return app
}

func add(t *testing.T, app *fw.App, collection string, opts ...fw.AddOption) {
	t.Helper()
	err := app.Add(fw.Stream{
		Collections: []string{collection},
		Handle:      fw.Typed(fw.Handlers[bson.Raw]{Insert: ignore}),
	}, opts...)
	if err != nil {
		t.Fatal(err)
	}
}

func ignore(context.Context, *fw.Event[bson.Raw]) error { return nil }

// However many streams there are, and wherever their state is, a process writes one document, once
// for each heartbeat, and removes it when it stops.
func TestAProcessIsAnnouncedByOneWriteForEachHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logs
		w := writes{collection: "_app_instances"}
		server := fwtest.NewServer(t)
		state := server.Client(w.monitor())
		app := several(t, fw.Config{
			Client: server.Client(), StateClient: state, Prefix: "_app", Instance: "blue",
			Leases: memstore.NewLeases(),
		}, &log)
		stop := fwtest.Run(t, app)
		time.Sleep(presence.Heartbeat / 2)
		w.since()
		const beats = 20
		time.Sleep(beats * presence.Heartbeat)
		if n := w.since(); n != beats {
			t.Errorf("%d writes in %d heartbeats", n, beats)
		}
		got := present(t, server.Client(), "_app")["blue"]
		if got.Process.ID() != "blue/"+app.Status().Instance.Process || !got.Live() ||
			got.HeartbeatAt.Sub(got.StartedAt).Round(time.Second) != beats*presence.Heartbeat {
			t.Errorf("announced is %+v", got)
		}
		if len(got.Streams) != 10 || got.Streams[0] != (presence.Stream{
			Name: "orders", Mode: "single_leader",
		}) || got.Streams[1] != (presence.Stream{Name: "s0", Mode: "all_instances"}) ||
			!slices.Equal(got.Disabled, []string{"disabled"}) ||
			!slices.Equal(got.Excluded, []string{"excluded"}) {
			t.Errorf("announced is %+v", got)
		}
		stop()
		if n := w.since(); n != 1 {
			t.Errorf("%d writes by a stop, want one", n)
		}
		if left := present(t, server.Client(), "_app"); len(left) > 0 {
			t.Errorf("after the stop there is %+v", left)
		}
	})
}

// Two processes under one name are told once each what to do. One after another are not.
func TestAnotherProcessOfTheSameInstanceIsWarnedOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := fwtest.NewClient(t)
		var before, first, second logs
		run := func(log *logs) (stop func()) {
			c := fw.Config{Client: client, Instance: "blue"}
			return fwtest.Run(t, newApp(t, c, log, func() {}))
		}
		run(&before)()
		stopFirst := run(&first)
		time.Sleep(time.Minute)
		stopSecond := run(&second)
		time.Sleep(10 * time.Minute)
		stopFirst()
		stopSecond()
		for log, want := range map[*logs]int{&before: 0, &first: 1, &second: 1} {
			if got := log.count("set Config.Instance"); got != want {
				t.Errorf("%d warnings, want %d:\n%s", got, want, log)
			}
		}
	})
}

// A server that does not take announcements keeps no stream from running, and no App from stopping.
func TestStreamsRunWithoutAnAnnouncement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logs
		handled := make(chan struct{}, 1)
		server := fwtest.NewServer(t)
		block(t, server.Client(), "shop._fw_instances")
		c := fw.Config{Client: server.Client()}
		stop := fwtest.Run(t, newApp(t, c, &log, func() { handled <- struct{}{} }))
		time.Sleep(5 * time.Minute)
		_, err := server.Client().Database("shop").Collection("orders").
			InsertOne(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		<-handled
		began := time.Now()
		stop()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the stop took %s", took)
		}
		if got := log.count("not announced"); got != 1 {
			t.Errorf("%d warnings:\n%s", got, &log)
		}
	})
}

// block makes a server take a minute for each write to a collection.
func block(t *testing.T, client *mongo.Client, namespace string) {
	t.Helper()
	err := client.Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: "alwaysOn"},
		{Key: "data", Value: bson.D{
			{Key: "failCommands", Value: bson.A{"findAndModify", "delete"}},
			{Key: "namespace", Value: namespace},
			{Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: 60_000},
		}},
	}).Err()
	if err != nil {
		t.Fatal(err)
	}
}
