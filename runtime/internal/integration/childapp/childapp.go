// Package childapp is the application that process tests run as processes of their own: the test
// binary, executed again with a configuration in its environment.
//
// It runs one stream under a lease and journals every effect of its handler. A document says what
// its handler does with it: fail some attempts first, always fail, or nothing special.
package childapp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// variable holds the configuration of a child, and makes a test binary one.
const variable = "FW_TEST_CHILD"

// Stream and Collection are the name of the stream and what it watches.
const (
	Stream     = "items"
	Collection = "items"
)

// Config configures a child.
type Config struct {
	URI, Database  string
	Instance       string
	Journal        string // path of the file
	TTL, Heartbeat time.Duration
	Every, Window  int
	Took           time.Duration // by each attempt
	Mode           fw.Mode       // single_leader if empty
}

// Deleted is the Seq of a deletion: the event does not tell which change of its key it is.
const Deleted = -1

// Item is a document of the watched collection: change number Seq of the key. Where documents are
// updated and deleted, the key is their _id too, and every update sets all fields but the key.
type Item struct {
	Key   string `bson:"key"`
	Seq   int    `bson:"seq"`
	Flaky int    `bson:"flaky"` // attempts that fail before one succeeds
	Fails bool   `bson:"fails"` // every attempt fails
}

// Attempts is how often an event is attempted.
const Attempts = 3

// Command returns a command that runs this binary as a child.
func Command(c Config) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the test binary: %w", err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	return cmd, nil
}

// Main runs the child and exits, if this process is one. Call it first in TestMain.
func Main() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var c Config
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		go endWithParent()
		err = run(ctx, c)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// endWithParent exits when the other end of standard input is gone: a child must not outlive the
// test that started it.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(2)
}

func run(ctx context.Context, c Config) error {
	log, err := journal.Open(c.Journal)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	client, err := mongo.Connect(options.Client().ApplyURI(c.URI))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	app, err := fw.New(fw.Config{
		Client: client, Database: c.Database, Instance: c.Instance,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	if err := app.Add(stream(c, log)); err != nil {
		return err
	}
	return app.Run(ctx)
}

func stream(c Config, log *journal.Journal) fw.Stream {
	return fw.Stream{
		Collections: []string{Collection},
		Name:        Stream,
		Mode:        cmp.Or(c.Mode, fw.SingleLeader),
		Window:      c.Window,
		Retry:       fw.RetryPolicy{Attempts: Attempts, Initial: 5 * time.Millisecond},
		DLQ:         fw.DLQPolicy{Enabled: true},
		Checkpoint:  fw.CheckpointPolicy{Every: c.Every, Interval: time.Second},
		Lease:       lease(c),
		Handle: fw.Typed(fw.Handlers[Item]{
			Change: func(ctx context.Context, ev *fw.Event[Item]) error {
				item, err := changed(ev)
				if err != nil {
					return fw.Permanent(err)
				}
				return handle(ctx, c, log, ev, item)
			},
		}),
	}
}

func lease(c Config) fw.LeasePolicy {
	if c.Mode == fw.AllInstances {
		return fw.LeasePolicy{}
	}
	return fw.LeasePolicy{TTL: c.TTL, Heartbeat: c.Heartbeat, Poll: c.TTL}
}

// changed returns what an event did, from the event alone: the document of an update is a later
// one, or gone.
func changed(ev *fw.Event[Item]) (item Item, err error) {
	switch ev.Operation {
	case fw.OpInsert:
		return *ev.Doc, nil
	case fw.OpUpdate:
		err = bson.Unmarshal(ev.Update.Updated, &item)
	case fw.OpDelete:
		item.Seq = Deleted
	default:
		return Item{}, fmt.Errorf("unexpected %s", ev.Operation)
	}
	item.Key, _ = ev.Key.Lookup("_id").StringValueOK()
	return item, err
}

// handle has its effect at the end, if its context still lives then.
func handle(
	ctx context.Context, c Config, log *journal.Journal, ev *fw.Event[Item], item Item,
) error {
	timer := time.NewTimer(c.Took)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case item.Fails, ev.Attempt <= item.Flaky:
		return errors.New("told to fail")
	}
	return log.Append(journal.Entry{
		Instance: c.Instance, Stream: ev.Stream, Term: ev.Term, Attempt: ev.Attempt,
		Event: ev.ID, Key: item.Key, Seq: item.Seq,
	})
}
