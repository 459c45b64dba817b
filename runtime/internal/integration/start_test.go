package integration

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// startError runs an App with one stream of every kind of state and returns what Run says.
func startError(t *testing.T, client *mongo.Client, database string) error {
	t.Helper()
	app, err := fw.New(fw.Config{
		Client: client, Database: database, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Add(anyStream("orders")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	err = app.Run(ctx)
	if took := time.Since(began); took > 11*time.Second {
		t.Errorf("Run took %s to say that it can't start", took)
	}
	return err
}

func anyStream(collection string) fw.Stream {
	return fw.Stream{
		Collections: []string{collection}, Mode: fw.SingleLeader,
		DLQ: fw.DLQPolicy{Enabled: true},
		Handle: fw.Typed(fw.Handlers[bson.M]{
			Insert: func(context.Context, *fw.Event[bson.M]) error { return nil },
		}),
	}
}

func wantSaid(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("Run returned nil")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}

func connect(t *testing.T, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

func TestRunWithoutAServerSaysSo(t *testing.T) {
	t.Parallel()
	client := connect(t, options.Client().ApplyURI("mongodb://127.0.0.1:1/?directConnection=true"))
	wantSaid(t, startError(t, client, "shop"), "can't be reached", "connection string")
}

func TestB072RunOnAStandaloneSaysWhatToDo(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1, Standalone: true})
	wantSaid(t, startError(t, d.Client(t), "shop"), "standalone", "--replSet", "rs.initiate()")
}

func TestRunWithWrongCredentialsSaysSo(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1, Auth: true})
	client := connect(t, options.Client().ApplyURI(d.URI).SetAuth(options.Credential{
		Username: "nobody", Password: "wrong",
	}))
	wantSaid(t, startError(t, client, "shop"), "refuses the credentials", "authSource")
	bare := strings.Replace(d.URI[strings.Index(d.URI, "@")+1:], "authSource=admin", "", 1)
	anonymous := connect(t, options.Client().ApplyURI("mongodb://"+bare))
	wantSaid(t, startError(t, anonymous, "shop"), "has none", "authSource")
}

func TestB073RunNamesThePrivilegesThatAreMissing(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1, Auth: true})
	root := d.Client(t)
	for _, bundle := range []struct {
		name  string
		roles bson.A
		said  []string // nil: it may run
	}{
		{"nothing", bson.A{}, []string{"changeStream, find on shop.orders"}},
		{"read only", bson.A{bson.M{"role": "read", "db": "shop"}},
			[]string{"insert, update on shop._fw_locks", "shop._fw_checkpoints", "shop._fw_dlq",
				"insert, remove, update on shop._fw_instances"}},
		{"another database", bson.A{bson.M{"role": "readWrite", "db": "else"}},
			[]string{"changeStream, find on shop.orders"}},
		{"enough", bson.A{bson.M{"role": "readWrite", "db": "shop"}}, nil},
	} {
		t.Run(bundle.name, func(t *testing.T) {
			user := strings.ReplaceAll(bundle.name, " ", "")
			create := bson.D{{Key: "createUser", Value: user}, {Key: "pwd", Value: "secret"},
				{Key: "roles", Value: bundle.roles}}
			if err := root.Database("shop").RunCommand(t.Context(), create).Err(); err != nil {
				t.Fatal(err)
			}
			client := connect(t, options.Client().ApplyURI(d.URI).SetAuth(options.Credential{
				Username: user, Password: "secret", AuthSource: "shop",
			}))
			if bundle.said == nil {
				runUntil(t, client, "shop", fw.StateRunning)
				return
			}
			wantSaid(t, startError(t, client, "shop"), append(bundle.said, "grant")...)
		})
	}
}

// runUntil runs an App until its one stream is in a state, then stops it. It returns the log.
func runUntil(t *testing.T, client *mongo.Client, database string, want fw.State) string {
	t.Helper()
	var log lockedBuffer
	app, err := fw.New(fw.Config{
		Client: client, Database: database, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Add(anyStream("orders")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- app.Run(ctx) }()
	eventually(t, patience, func() error {
		if s := app.Status().Streams[0]; s.State != want {
			return fmt.Errorf("not %s: %+v", want, s)
		}
		return nil
	})
	stop()
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	return log.String()
}

func TestRunNoticesAPoolThatIsTooSmall(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1})
	for size, noticed := range map[uint64]bool{4: true, 10: true, 11: false, 100: false} {
		db := d.Database(t)
		client := d.Client(t, options.Client().SetMaxPoolSize(size))
		log := runUntil(t, client, db.Name(), fw.StateRunning)
		if got := strings.Contains(log, "connection pool is small"); got != noticed {
			t.Errorf("pool of %d: noticed %v, want %v\n%s", size, got, noticed, log)
		}
	}
}

func TestRunNoticesACollectionThatDoesNotExist(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1})
	db := d.Database(t)
	for _, other := range []string{"order", "Orders", "customers"} {
		if err := db.CreateCollection(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	log := runUntil(t, d.Client(t), db.Name(), fw.StateRunning)
	if !strings.Contains(log, `near="Orders, order"`) {
		t.Errorf("the log does not name what is near:\n%s", log)
	}
	if err := db.CreateCollection(t.Context(), "orders"); err != nil {
		t.Fatal(err)
	}
	if log := runUntil(t, d.Client(t), db.Name(), fw.StateRunning); strings.Contains(log, "near=") {
		t.Errorf("the log notices a collection that exists:\n%s", log)
	}
}
