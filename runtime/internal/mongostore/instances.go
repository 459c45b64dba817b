package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/presence"
)

// remains is how long the document of a process that does not announce itself any more can still
// be read.
const remains = time.Hour

// mostListed bounds a list of processes: one answer has to hold it.
const mostListed = 10_000

// Instances keeps what processes announce. It is safe for concurrent use.
type Instances struct {
	db         commands
	collection string
}

// Announce implements [presence.Store] by one command. It stores everything each time, so that a
// document that somebody removed comes back whole.
func (i *Instances) Announce(
	ctx context.Context, p presence.Process, up, ttl time.Duration,
) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, _, err := i.db.modify(ctx, modification{
		collection: i.collection,
		id:         p.ID(),
		upsert:     true,
		pipeline: pipeline(
			kv("instance", instanceFields(p.Instance)),
			kv("version", literal(bson.D{
				kv("main", p.Version.Main), kv("fwgen", p.Version.Fwgen),
			})),
			kv("streams", literal(streamsDocument(p.Streams))),
			kv("leads", literal(names(p.Leads))),
			kv("stopped", literal(names(p.Stopped))),
			kv("disabled", literal(names(p.Disabled))),
			kv("excluded", literal(names(p.Excluded))),
			kv("startedAt", orElse("$startedAt", op("$subtract", now, milliseconds(up)))),
			kv("heartbeatAt", now),
			kv("expiresAt", from(ttl)),
			kv("ttlMs", milliseconds(ttl)),
		),
	})
	if err != nil {
		return fmt.Errorf("announce process %q: %w", p.ID(), err)
	}
	return nil
}

// Retract implements [presence.Store].
func (i *Instances) Retract(ctx context.Context, id string) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err := i.db.write(ctx, bson.D{
		kv("delete", i.collection),
		kv("deletes", bson.A{bson.D{kv("q", bson.D{kv("_id", id)}), kv("limit", 1)}}),
	})
	if err != nil {
		return fmt.Errorf("retract process %q: %w", id, err)
	}
	return nil
}

// List returns the processes that are announced, live or not, up to 10 000.
func (i *Instances) List(ctx context.Context) ([]presence.Listed, error) {
	return i.list(ctx, bson.D{})
}

// Named implements [presence.Store].
func (i *Instances) Named(ctx context.Context, name string) ([]presence.Listed, error) {
	return i.list(ctx, bson.D{kv("instance.name", name)})
}

// OtherLive implements [presence.Store].
func (i *Instances) OtherLive(ctx context.Context, id, stream string) (bool, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	found, err := i.db.findTimed(ctx, i.collection, 1, bson.D{
		kv("_id", bson.D{kv("$ne", id)}),
		kv("streams.name", stream), kv("stopped", bson.D{kv("$ne", stream)}),
		kv("$expr", gt("$expiresAt", now)),
	})
	if err != nil {
		return false, fmt.Errorf("look for another process that deploys %q: %w", stream, err)
	}
	return len(found) > 0, nil
}

func (i *Instances) list(ctx context.Context, filter bson.D) ([]presence.Listed, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	found, err := i.db.findTimed(ctx, i.collection, mostListed, filter)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	listed := make([]presence.Listed, 0, len(found))
	for _, one := range found {
		listed = append(listed, process(one.sub("document"), one.time("now")))
	}
	return listed, nil
}

// process reads a stored announcement as of an instant of the server's clock.
func process(stored document, at time.Time) presence.Listed {
	listed := presence.Listed{
		Process: presence.Process{
			Instance: instance(stored.sub("instance")),
			Version: presence.Version{
				Main:  stored.sub("version").str("main"),
				Fwgen: stored.sub("version").str("fwgen"),
			},
			Leads:    stored.strs("leads"),
			Stopped:  stored.strs("stopped"),
			Disabled: stored.strs("disabled"),
			Excluded: stored.strs("excluded"),
		},
		StartedAt:   stored.time("startedAt"),
		HeartbeatAt: stored.time("heartbeatAt"),
		TTL:         stored.milliseconds("ttlMs"),
		ExpiresIn:   stored.left("expiresAt", at),
	}
	for _, s := range stored.subs("streams") {
		listed.Streams = append(listed.Streams, presence.Stream{
			Name: s.str("name"), Mode: s.str("mode"), Priority: int(s.int("priority")),
		})
	}
	return listed
}

func streamsDocument(streams []presence.Stream) bson.A {
	stored := make(bson.A, 0, len(streams))
	for _, s := range streams {
		stored = append(stored, bson.D{
			kv("name", s.Name), kv("mode", s.Mode), kv("priority", s.Priority),
		})
	}
	return stored
}

// names is a list to store, which is never null.
func names(list []string) []string { return append([]string{}, list...) }
