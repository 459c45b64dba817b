package fw

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/store"
)

// Config configures an [App]. In every field zero means the default.
type Config struct {
	// Client reads the change streams and, unless StateClient is set, keeps the state. Required.
	// It stays the caller's: an App does not disconnect it.
	Client *mongo.Client
	// StateClient keeps leases, positions and dead letters, and what processes announce of
	// themselves. Defaults to Client.
	StateClient *mongo.Client
	// Database that is watched by streams that name none. Required.
	Database string
	// StateDatabase holds what StateClient keeps. Defaults to Database.
	StateDatabase string
	// Prefix of the names of the state collections. Defaults to "_fw".
	Prefix string
	// Registry and BSONOptions decode documents. Set them where the client has its own. Default
	// to the driver's.
	Registry    *bson.Registry
	BSONOptions *options.BSONOptions
	// Logger defaults to slog.Default().
	Logger *slog.Logger
	// Observer is told facts about streams. Defaults to none.
	Observer Observer
	// Instance names this process among those of the application. It must be the same after a
	// restart, and different from every other. Defaults to the environment variable FW_INSTANCE,
	// else to the host's name.
	Instance string
	// DrainTimeout is how long handlers keep a live context when a stream stops. Defaults to 20 s.
	DrainTimeout time.Duration
	// MaxInFlightBytes bounds, for each stream, the events that were read and are not settled.
	// Defaults to 64 MiB.
	MaxInFlightBytes int64
	// Only and Except name streams to run, or not to run, in this process. Default to the
	// environment variables FW_ONLY and FW_EXCEPT (names with commas between them), else to
	// running all.
	Only, Except []string
	// Spread makes instances of equal priority lead equally many streams, give or take one: one
	// that leads more hands some over, at most once per heartbeat of 15 s. Without it whoever came
	// first leads them all. Off by default: a stream that is handed over stands still for a moment.
	Spread bool
	// Leases, Checkpoints and DeadLetters keep the state elsewhere. Default to MongoDB, where
	// processes are announced in any case.
	Leases      store.Leases
	Checkpoints store.Checkpoints
	DeadLetters store.DeadLetterWriter
}

const (
	defaultPrefix       = "_fw"
	defaultDrainTimeout = 20 * time.Second
	defaultMaxInFlight  = 64 << 20
)

// withDefaults validates c and returns it with its defaults filled in.
func (c Config) withDefaults() (Config, error) {
	if c.Client == nil {
		return Config{}, errors.New("fw.New: Config.Client is nil; set the *mongo.Client to use")
	}
	if c.Database == "" {
		return Config{}, errors.New(`fw.New: Config.Database is empty; set the database to watch`)
	}
	for field, name := range map[string]string{
		"Database": c.Database, "StateDatabase": c.StateDatabase,
	} {
		if badDatabase(name) {
			return Config{}, fmt.Errorf("fw.New: Config.%s %q is no name for a database of an "+
				"application", field, name)
		}
	}
	if c.Prefix != "" && badCollection(c.Prefix) {
		return Config{}, fmt.Errorf("fw.New: Config.Prefix %q can't begin the name of a collection",
			c.Prefix)
	}
	if c.DrainTimeout < 0 || c.MaxInFlightBytes < 0 {
		return Config{}, errors.New(
			"fw.New: Config.DrainTimeout and Config.MaxInFlightBytes can't be negative")
	}
	if c.StateClient == nil {
		c.StateClient = c.Client
	}
	c.StateDatabase = cmp.Or(c.StateDatabase, c.Database)
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, defaultDrainTimeout)
	c.MaxInFlightBytes = cmp.Or(c.MaxInFlightBytes, int64(defaultMaxInFlight))
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Only == nil {
		c.Only = names(os.Getenv("FW_ONLY"))
	}
	if c.Except == nil {
		c.Except = names(os.Getenv("FW_EXCEPT"))
	}
	return c, nil
}

// identify returns who this process is.
func (c Config) identify() (Instance, error) {
	host, err := os.Hostname()
	name := cmp.Or(c.Instance, os.Getenv("FW_INSTANCE"), host)
	if name == "" {
		return Instance{}, fmt.Errorf(
			"fw.New: this host has no name (%v); set Config.Instance or FW_INSTANCE", err)
	}
	if strings.ContainsAny(name, "/#") {
		return Instance{}, fmt.Errorf(
			"fw.New: instance name %q must not contain / or #", name)
	}
	process := make([]byte, 6)
	_, _ = rand.Read(process) // never fails
	return Instance{
		Name: name, Host: host, Process: hex.EncodeToString(process), PID: os.Getpid(),
	}, nil
}

// owner is what a lease or checkpoint names as its owner.
func (i Instance) owner() string { return i.Name + "/" + i.Process }

// names splits a list of stream names with commas between them.
func names(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}
