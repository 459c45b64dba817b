package fw_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
)

// A leader that can't read, though it can renew its lease, hands the stream over to an instance
// that can, and to nobody where there is none.
func TestALeaderThatCannotReadHandsOverToAnotherLiveInstance(t *testing.T) {
	t.Parallel()
	for _, others := range []string{"none", "one", "one that excludes the stream"} {
		inBubble(t, others, func(t *testing.T) {
			server := fwtest.NewServer(t)
			f := &fleet{T: t, mode: fw.SingleLeader}
			f.client = server.Client(options.Client().SetAppName("deaf"))
			blue := f.appWith("blue", fw.Config{Client: f.client, StateClient: server.Client()})
			fwtest.Run(t, blue)
			f.client = server.Client()
			switch others {
			case "one":
				f.run("green")
			case "one that excludes the stream":
				green := f.appWith("green", fw.Config{Client: f.client, Except: []string{"orders"}})
				add(t, green, "items")
				fwtest.Run(t, green)
			}
			f.must(f.client.Database("admin").RunCommand(t.Context(), bson.D{
				{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: "alwaysOn"},
				{Key: "data", Value: bson.D{
					{Key: "failCommands", Value: bson.A{"aggregate", "getMore"}},
					{Key: "errorCode", Value: 8}, {Key: "appName", Value: "deaf"},
				}},
			}).Err())
			time.Sleep(time.Minute)
			f.insert("1")
			s := stateOf(blue)
			if others == "one" {
				f.wantHandled("green 1")
				return
			}
			f.wantHandled()
			if !s.Leader || s.Term != 1 || s.State != fw.StateBackingOff {
				t.Errorf("status: %+v, want it to go on trying", s)
			}
		})
	}
}

// Where leases can't be watched, the App that lifts a hold does not wait for its own poll.
func TestReleaseIsSeenAtOnceByTheAppThatCalledIt(t *testing.T) {
	inModes(t, func(f *fleet) {
		leases := memstore.NewLeases()
		leases.DisableWatch()
		blue := f.appWith("blue", fw.Config{Client: f.client, Leases: leases})
		fwtest.Run(f, blue)
		f.must(blue.Hold(f.Context(), "orders", fw.Hold{}))
		time.Sleep(time.Minute)
		f.must(blue.Release(f.Context(), "orders"))
		time.Sleep(5 * time.Second)
		if s := stateOf(blue); s.State != fw.StateRunning {
			f.Errorf("status: %s %s", s.State, s.Reason)
		}
	})
}

// renewals notes when leases are renewed.
type renewals struct {
	mu sync.Mutex // guards at
	at []time.Time
}

func (r *renewals) monitor() *options.ClientOptions {
	return options.Client().SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if name, _ := e.Command.Lookup("findAndModify").StringValueOK(); name != "_fw_locks" {
				return
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.at = append(r.at, time.Now())
		},
	})
}

// X11: the leases of an App are renewed at the same moments, whenever they were acquired, and a
// standby sends no command at all.
func TestTheLeasesOfAnAppAreRenewedInOneRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const streams, beats = 20, 10
		server, leader, standby := fwtest.NewServer(t), &renewals{}, &renewals{}
		run := func(name string, monitor *options.ClientOptions) {
			app, err := fw.New(fw.Config{
				Client: server.Client(), StateClient: server.Client(monitor), Database: "shop",
				Instance: name, Logger: slog.New(slog.DiscardHandler),
			})
			if err != nil {
				t.Fatal(err)
			}
			for n := range streams {
				add(t, app, fmt.Sprint("s", n), fw.WithMode(fw.SingleLeader), fw.WithAutostart(n%2 == 0),
					fw.WithLease(fw.LeasePolicy{Poll: time.Hour}))
			}
			fwtest.Run(t, app)
			for n := 1; n < streams; n += 2 {
				time.Sleep(700 * time.Millisecond)
				if err := app.Start(t.Context(), fmt.Sprint("s", n)); err != nil {
					t.Fatal(err)
				}
			}
		}
		run("blue", leader.monitor())
		run("green", standby.monitor())
		time.Sleep(30 * time.Second)
		leader.mu.Lock()
		standby.mu.Lock()
		leader.at, standby.at = nil, nil
		leader.mu.Unlock()
		standby.mu.Unlock()
		time.Sleep(beats * 15 * time.Second)
		leader.mu.Lock()
		defer leader.mu.Unlock()
		standby.mu.Lock()
		defer standby.mu.Unlock()
		rounds := slices.CompactFunc(slices.Clone(leader.at), func(a, b time.Time) bool {
			return b.Sub(a).Abs() < 100*time.Millisecond
		})
		if len(leader.at) != beats*streams || len(rounds) != beats {
			t.Errorf("%d renewals in %d rounds, want %d in %d", len(leader.at), len(rounds),
				beats*streams, beats)
		}
		if n := len(standby.at); n > 0 {
			t.Errorf("%d commands of a standby", n)
		}
	})
}
