// Package childapp is the application that process tests run as processes of their own: the test
// binary, executed again with a configuration in its environment.
//
// It runs one stream under a lease and journals what its handler does. A document says what that
// is: fail some attempts first, always fail, or nothing special. Lines on its standard input are
// obeyed, see [Step] and [DieWithinDeadLetter].
package childapp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// variable holds the configuration of a child, and makes a test binary one.
const variable = "FW_TEST_CHILD"

// Stream and Collection are the name of the stream and what it watches.
const (
	Stream     = "items"
	Collection = "items"
)

// Effects is the collection of the documents that fenced handlers write.
const Effects = "effects"

// Config configures a child.
type Config struct {
	URI, Database  string
	Instance       string
	Journal        string // path of the file
	TTL, Heartbeat time.Duration
	Poll           time.Duration // 20 s if zero
	Every, Window  int
	Interval       time.Duration // of the checkpoint; 1 s if zero
	Took           time.Duration // by each attempt
	Mode           fw.Mode       // single_leader if empty

	// Fenced makes each effect a write to the document of the stream in [Effects] first, which
	// must be there: one that a smaller term cannot do. Such a handler does not look whether its
	// context has ended.
	Fenced bool

	// Proxies are the addresses to dial instead of the servers'.
	Proxies map[string]string
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
		o := &orders{}
		go o.obey(os.Stdin)
		err = run(clock.With(ctx, &o.clock), c, o)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, c Config, o *orders) error {
	log, err := journal.Open(c.Journal)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	client, err := mongo.Connect(options.Client().ApplyURI(c.URI).
		SetMonitor(o.monitor()).SetDialer(dialer(c.Proxies)))
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
	h := &handler{Config: c, log: log, effects: client.Database(c.Database).Collection(Effects)}
	if err := app.Add(stream(c, h)); err != nil {
		return err
	}
	return app.Run(ctx)
}

func stream(c Config, h *handler) fw.Stream {
	return fw.Stream{
		Collections: []string{Collection},
		Name:        Stream,
		Mode:        cmp.Or(c.Mode, fw.SingleLeader),
		Window:      c.Window,
		Retry:       fw.RetryPolicy{Attempts: Attempts, Initial: 5 * time.Millisecond},
		DLQ:         fw.DLQPolicy{Enabled: true},
		Checkpoint:  fw.CheckpointPolicy{Every: c.Every, Interval: cmp.Or(c.Interval, time.Second)},
		Lease:       lease(c),
		Handle:      fw.Typed(fw.Handlers[Item]{Change: h.change}),
	}
}

func lease(c Config) fw.LeasePolicy {
	if c.Mode == fw.AllInstances {
		return fw.LeasePolicy{}
	}
	return fw.LeasePolicy{TTL: c.TTL, Heartbeat: c.Heartbeat, Poll: c.Poll}
}
