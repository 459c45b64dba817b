package fw

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

// instanceLifetime is how long the position of an instance that is gone is kept.
const instanceLifetime = 30 * 24 * time.Hour

// assemble makes what runs each stream that runs in this process.
// Leases are trusted by the clock.
func (a *App) assemble(found server, watcher *lease.Watcher, clock clock.Clock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	rounds := new(lease.Rounds)
	for _, d := range a.streams {
		if !d.Disabled && !d.excluded {
			config := a.supervised(d.Stream, found, watcher)
			config.Lease.Clock = clock
			config.Lease.Rounds = rounds
			d.running = supervisor.New(config)
		}
	}
}

// supervised turns a descriptor, with its defaults filled in, into what the engines take.
func (a *App) supervised(s Stream, found server, watcher *lease.Watcher) supervisor.Config {
	c := supervisor.Config{
		Plan:            s.plan(decoding{a.config}, a.instance.owner()),
		Source:          func() (reader.Source, store.Scope) { return a.source(s, found) },
		Restart:         s.Restart.backoff(),
		RestartAttempts: s.Restart.Attempts,
		Checkpoints:     a.config.Checkpoints,
		DeadLetters:     a.config.DeadLetters,
		CheckpointID:    s.Name,
		Owner:           a.instance.owner(),
		Limits: position.Limits{
			Window: s.Window, Bytes: a.config.MaxInFlightBytes, Every: s.Checkpoint.Every,
		},
		Interval:     s.Checkpoint.Interval,
		Idle:         s.Checkpoint.Idle,
		DrainTimeout: a.config.DrainTimeout,
		ManualStart:  s.ManualStart,
		Lease:        a.lease(s, watcher),
		Everywhere:   s.Mode == AllInstances,
		Yield:        max(s.Lease.Yield, 0),
		OtherLive: func(ctx context.Context) (bool, error) {
			return a.presence.OtherLive(ctx, s.Name)
		},
		Log:    a.config.Logger,
		Report: a.report(),
	}
	if c.Everywhere {
		c.CheckpointID = s.Name + "#" + a.instance.Name
		c.LetterID, c.Lifetime = c.CheckpointID, instanceLifetime
	}
	return c
}

// plan is what the stream declares about its deliveries. Its defaults are filled in.
func (s Stream) plan(d decoding, owner string) delivery.Plan {
	return delivery.Plan{
		Stream: s.Name, InstanceID: owner, LetterID: s.Name,
		Handler: s.Handle.(bindable).bind(s.Name, d),
		Policy: failure.Policy{
			Attempts: s.Retry.Attempts, Retryable: s.Retry.retryable(),
			Backoff:     s.Retry.backoff().Wait,
			DeadLetters: s.DLQ.Enabled, SkipExhausted: s.Exhausted == "skip",
		},
		Timeout: s.Timeout,
		Letters: delivery.Letters{
			Collection: s.DLQ.Collection, Retention: s.DLQ.Retention,
			OmitDocument: s.DLQ.OmitDocument, OmitStack: s.DLQ.OmitStack,
		},
	}
}

func (a *App) lease(s Stream, watcher *lease.Watcher) lease.Config {
	config := lease.Config{
		Leases: a.config.Leases, Stream: s.Name, Owner: a.instance.owner(),
		Instance: a.instance.stored(), TTL: s.Lease.TTL, Heartbeat: s.Lease.Heartbeat,
		Poll: s.Lease.Poll, Priority: s.Lease.Priority, Watcher: watcher,
		Logger: a.config.Logger, LostCause: ErrLeaseLost,
	}
	if a.config.Spread {
		config.Reluctance = a.reluctant
	}
	return config
}

// source makes the source of one start, with the scope that positions of it belong to.
func (a *App) source(s Stream, found server) (reader.Source, store.Scope) {
	source := reader.Collection{
		Collection:   a.config.Client.Database(s.Database).Collection(s.Collections[0]),
		Stream:       s.Name,
		UpdateLookup: s.updateLookup(),
	}
	if s.Pipeline != nil {
		source.Pipeline = s.Pipeline()
	}
	return source, store.Scope{
		Deployment: found.deployment, Database: s.Database, Collections: s.Collections,
		Hash: hashOf(s, source.Pipeline),
	}
}

// updateLookup reports whether updates carry the document.
func (s Stream) updateLookup() bool {
	if s.FullDocument == "" {
		return s.Handle.(bindable).wantsUpdates()
	}
	return s.FullDocument == "update_lookup"
}

// hashOf tells apart scopes and pipelines, whose event tokens may not fit each other.
func hashOf(s Stream, pipeline mongo.Pipeline) string {
	raw, err := bson.Marshal(bson.D{
		{Key: "db", Value: s.Database}, {Key: "collections", Value: s.Collections},
		{Key: "pipeline", Value: pipeline},
	})
	if err != nil {
		return "" // the server will refuse the pipeline, and say why
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

func (p RetryPolicy) backoff() backoff.Policy {
	return backoff.Policy{
		Initial: p.Initial, Max: p.Max, Multiplier: p.Multiplier, Jitter: p.Jitter,
	}
}

func (p RestartPolicy) backoff() backoff.Policy {
	return backoff.Policy{
		Initial: p.Initial, Max: p.Max, Multiplier: p.Multiplier, Jitter: p.Jitter,
	}
}
