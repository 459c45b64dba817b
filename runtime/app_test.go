package fw

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// newApp makes an App whose client is never used.
func newApp(t *testing.T, c Config) *App {
	t.Helper()
	c.Client, c.Database = &mongo.Client{}, "shop"
	app, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func add(t *testing.T, app *App, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := app.Add(valid(), WithName(name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConfigThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	client := &mongo.Client{}
	for says, c := range map[string]Config{
		"Config.Client":           {Database: "shop"},
		"Config.Database":         {Client: client},
		`Config.Database "a.b"`:   {Client: client, Database: "a.b"},
		`Config.StateDatabase "$`: {Client: client, Database: "shop", StateDatabase: "$"},
		`Config.Prefix "system.`:  {Client: client, Database: "shop", Prefix: "system.x"},
		"Config.DrainTimeout":     {Client: client, Database: "shop", DrainTimeout: -1},
		"Config.MaxInFlightBytes": {Client: client, Database: "shop", MaxInFlightBytes: -1},
		`instance name "a/b"`:     {Client: client, Database: "shop", Instance: "a/b"},
		`instance name "a#b"`:     {Client: client, Database: "shop", Instance: "a#b"},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error that says %q", err, says)
		}
	}
}

func TestConfigDefaults(t *testing.T) {
	t.Setenv("FW_INSTANCE", "")
	t.Setenv("FW_ONLY", "")
	t.Setenv("FW_EXCEPT", "")
	app := newApp(t, Config{})
	c := app.config
	host, _ := os.Hostname()
	if c.StateClient != c.Client || c.StateDatabase != "shop" || c.Prefix != "_fw" ||
		c.DrainTimeout != 20*time.Second || c.MaxInFlightBytes != 64<<20 || c.Logger == nil ||
		c.Leases == nil || c.Checkpoints == nil || c.DeadLetters == nil ||
		len(c.Only)+len(c.Except) != 0 {
		t.Errorf("config: %+v", c)
	}
	if i := app.instance; i.Name != host || i.Host != host || i.PID != os.Getpid() ||
		len(i.Process) < 8 || i.Process == newApp(t, Config{}).instance.Process {
		t.Errorf("instance: %+v", i)
	}
}

func TestEnvironmentCountsWhereConfigIsSilent(t *testing.T) {
	t.Setenv("FW_INSTANCE", "green")
	t.Setenv("FW_ONLY", " a, b ,")
	t.Setenv("FW_EXCEPT", "c")
	app := newApp(t, Config{})
	if app.instance.Name != "green" {
		t.Errorf("instance: %+v", app.instance)
	}
	if diff := cmp.Diff([]string{"a", "b"}, app.config.Only); diff != "" {
		t.Errorf("only (-want +got):\n%s", diff)
	}
	app = newApp(t, Config{Instance: "blue", Only: []string{}, Except: []string{"d"}})
	if app.instance.Name != "blue" || len(app.config.Only) != 0 || app.config.Except[0] != "d" {
		t.Errorf("the environment wins over Config: %+v", app.config)
	}
}

func TestStreamDefaults(t *testing.T) {
	t.Parallel()
	s := valid().withDefaults(Config{Database: "shop", Prefix: "_fw"})
	want := Stream{
		Name: "orders", Database: "shop", Collections: []string{"orders"}, Mode: AllInstances,
		Window: 10_000, Exhausted: "stall",
		Retry: RetryPolicy{Attempts: 1, Initial: 500 * time.Millisecond, Max: 30 * time.Second,
			Multiplier: 2, Jitter: 0.2},
		DLQ:        DLQPolicy{Collection: "_fw_dlq", Retention: 30 * 24 * time.Hour},
		Checkpoint: CheckpointPolicy{Every: 10_000, Interval: time.Second, Idle: time.Minute},
		Lease: LeasePolicy{TTL: time.Minute, Heartbeat: 15 * time.Second,
			Poll: 20 * time.Second, Yield: 3},
		Restart: RestartPolicy{Initial: time.Second, Max: time.Minute, Multiplier: 2, Jitter: 0.2},
	}
	s.Handle = nil
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	off := valid()
	off.Retry.Jitter, off.DLQ.Retention = -1, -1
	off = off.withDefaults(Config{})
	if off.Retry.Jitter != 0 || off.DLQ.Retention >= 0 {
		t.Errorf("what is off: jitter %v, retention %s", off.Retry.Jitter, off.DLQ.Retention)
	}
}

func TestOptionsOverrideTheDirective(t *testing.T) {
	t.Parallel()
	s := valid()
	for _, option := range []AddOption{
		WithName("n"), WithDatabase("d"), WithMode(SingleLeader), WithEnabled(false),
		WithAutostart(false), WithRetry(RetryPolicy{Attempts: 7}), WithDLQ(DLQPolicy{Enabled: true}),
		WithCheckpoint(CheckpointPolicy{Every: 3}), WithLease(LeasePolicy{TTL: 9}),
		WithRestart(RestartPolicy{Attempts: 4}), WithTimeout(5), WithWindow(6),
	} {
		option(&s)
	}
	want := Stream{
		Name: "n", Database: "d", Collections: []string{"orders"}, Mode: SingleLeader,
		Disabled: true, ManualStart: true, Retry: RetryPolicy{Attempts: 7},
		DLQ: DLQPolicy{Enabled: true}, Checkpoint: CheckpointPolicy{Every: 3},
		Lease: LeasePolicy{TTL: 9}, Restart: RestartPolicy{Attempts: 4}, Timeout: 5, Window: 6,
	}
	s.Handle = nil
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
}

func TestAddRefusesWhatCannotRun(t *testing.T) {
	t.Parallel()
	state := func(collection string) Stream {
		s := valid()
		s.Name, s.Collections = "s", []string{collection}
		return s
	}
	for name, test := range map[string]struct {
		handler Handler
		says    string
	}{
		"nil":              {nil, "nil"},
		"invalid":          {Stream{Name: "s"}, `stream "s"`},
		"twice (B175)":     {valid(), "added already"},
		"leases":           {state("_fw_locks"), "_fw_locks"},
		"positions":        {state("_fw_checkpoints"), "_fw_checkpoints"},
		"its dead letters": {state("_fw_dlq"), "_fw_dlq"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newApp(t, Config{})
			if err := app.Add(valid()); err != nil {
				t.Fatal(err)
			}
			if err := app.Add(test.handler); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want an error that says %q", err, test.says)
			}
		})
	}
	app := newApp(t, Config{})
	letters := valid()
	letters.DLQ = DLQPolicy{Enabled: true, Collection: "_fw_checkpoints"}
	if err := app.Add(letters); err == nil {
		t.Error("dead letters may be written over positions")
	}
}

func TestNothingIsAddedAfterRun(t *testing.T) {
	t.Parallel()
	app := newApp(t, Config{})
	add(t, app, "a")
	if err := app.begin(); err != nil {
		t.Fatal(err)
	}
	if err := app.Add(valid(), WithName("b")); err == nil || !strings.Contains(err.Error(), "Run") {
		t.Errorf("got %v", err)
	}
	if err := app.begin(); err == nil {
		t.Error("Run can be called twice")
	}
}

func TestRunWithoutStreamsSaysSo(t *testing.T) {
	t.Parallel()
	app := newApp(t, Config{})
	if err := app.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Add") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyAndExcept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config Config
		want   []string // that run here
	}{
		"all":    {Config{Only: []string{}, Except: []string{}}, []string{"a", "b", "c"}},
		"only":   {Config{Only: []string{"a", "c"}, Except: []string{}}, []string{"a", "c"}},
		"except": {Config{Only: []string{}, Except: []string{"a"}}, []string{"b", "c"}},
		"both":   {Config{Only: []string{"a", "b"}, Except: []string{"a"}}, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newApp(t, test.config)
			add(t, app, "a", "b", "c")
			if err := app.begin(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range app.Status().Streams {
				if s.Code != "excluded" {
					got = append(got, s.Name)
				} else if s.State != StateStopped || s.Reason == "" {
					t.Errorf("an excluded stream: %+v", s)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("streams that run here (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownNamesFailAndListTheKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Only: []string{"x"}}, {Except: []string{"x"}}} {
		app := newApp(t, c)
		add(t, app, "a", "b")
		err := app.begin()
		for _, part := range []string{`"x"`, "a, b"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("got %v, want an error that says %s", err, part)
			}
		}
	}
}

func TestEveryStreamIsInStatus(t *testing.T) {
	t.Parallel()
	app := newApp(t, Config{Instance: "blue", Except: []string{"excluded"}})
	add(t, app, "runs", "excluded")
	if err := app.Add(valid(), WithName("disabled"), WithEnabled(false)); err != nil {
		t.Fatal(err)
	}
	if err := app.begin(); err != nil {
		t.Fatal(err)
	}
	status := app.Status()
	var got []string
	for _, s := range status.Streams {
		got = append(got, strings.TrimSpace(s.Name+" "+string(s.State)+" "+s.Code))
	}
	want := []string{"runs starting", "excluded stopped excluded", "disabled stopped disabled"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
	if status.Instance.Name != "blue" {
		t.Errorf("instance: %+v", status.Instance)
	}
}

func TestControlOfAStreamThatDoesNotRunHere(t *testing.T) {
	t.Parallel()
	app := newApp(t, Config{Except: []string{"excluded"}})
	add(t, app, "runs", "excluded")
	for name, says := range map[string]string{"runs": "does not run yet", "x": "runs, excluded"} {
		if err := app.Stop(t.Context(), name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("stop %s: got %v, want an error that says %q", name, err, says)
		}
	}
	if err := app.begin(); err != nil {
		t.Fatal(err)
	}
	if err := app.Start(t.Context(), "excluded"); err == nil ||
		!strings.Contains(err.Error(), "excluded here") {
		t.Errorf("got %v", err)
	}
	if err := app.StepDown(t.Context(), "runs"); err == nil ||
		!strings.Contains(err.Error(), "being started") {
		t.Errorf("during the checks: got %v", err)
	}
}

func TestStatusFields(t *testing.T) {
	s := Stream{Handle: Typed(Handlers[bson.Raw]{Insert: func(
		_ context.Context, ev *Event[bson.Raw]) error {
		if ev.Key.Lookup("_id").AsInt64() == 1 {
			return nil
		}
		return errBroken
	}})}
	run(t, s, func(h *harness) {
		h.oplog.Insert(1)
		began := time.Now()
		bad := h.oplog.Insert(2)
		h.oplog.Insert(3)
		time.Sleep(5 * time.Second)
		got := h.status()
		if got.PositionAge < 5*time.Second || got.Lag < 5*time.Second || got.Lag > 7*time.Second {
			t.Errorf("position age %s, lag %s", got.PositionAge, got.Lag)
		}
		got.PositionAge, got.Lag = 0, 0
		want := StreamStatus{
			Name: "orders", State: StateStalled, Code: "stalled", Since: began,
			NextRetry: began.Add(10 * time.Second),
			Reason:    "event " + bad.ID() + " can't be handled: broken",
			Term:      1, InFlight: 2, OldestUnsettled: bad.ID(), Attempts: 2,
			Stalled: []StalledEvent{{EventID: bad.ID(), Key: `{"_id":2}`, Since: began,
				NextRun: began.Add(10 * time.Second), Attempts: 1, Reason: "broken"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
	})
}

func TestUpdateDescriptionChanged(t *testing.T) {
	t.Parallel()
	updated, err := bson.Marshal(bson.D{{Key: "a.b", Value: 1}, {Key: "list.3", Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	u := &UpdateDescription{Updated: updated, Removed: []string{"old"},
		Truncated: []TruncatedArray{{Field: "tags", NewSize: 1}}}
	for path, want := range map[string]bool{
		"a": true, "a.b": true, "a.b.c": true, "a.c": false, "ab": false, "list": true,
		"old": true, "older": false, "tags": true, "": false,
	} {
		if got := u.Changed(path); got != want {
			t.Errorf("%q: got %t, want %t", path, got, want)
		}
	}
	if (&UpdateDescription{}).Changed("a") || (*UpdateDescription)(nil).Changed("a") {
		t.Error("nothing changed")
	}
}

func TestWaitForTheStopNamesTheHandlerThatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := &harness{T: t}
		h.prepare()
		h.start(Config{}, Stream{Handle: Typed(Handlers[bson.Raw]{Insert: func(
			context.Context, *Event[bson.Raw]) error {
			<-release
			return nil
		}})})
		e := h.oplog.Insert(1)
		synctest.Wait()
		over := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		stopped := time.Now()
		err := h.app.await(ctx, over)
		if err == nil || !strings.Contains(err.Error(), e.ID()) ||
			!strings.Contains(err.Error(), "orders") {
			t.Errorf("got %v, want an error that names stream and event", err)
		}
		if took := time.Since(stopped); took != h.app.config.DrainTimeout+5*time.Second {
			t.Errorf("waited %s", took)
		}
		close(release)
		h.stop()
		close(over)
		if err := h.app.await(ctx, over); err != nil {
			t.Errorf("a clean stop: %v", err)
		}
	})
}
