package redisstore_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
	"github.com/fwgen/fwgen/runtime/store/redisstore"
)

// lease is one that a test can wait for, and that lasts longer than a hand-over takes.
var lease = fw.LeasePolicy{TTL: 4 * time.Second, Heartbeat: 500 * time.Millisecond}

// handled is an event as a handler saw it.
type handled struct {
	id       int32
	instance string
	term     int64
}

// journal is what the handlers of all instances did, in order.
type journal struct {
	mu      sync.Mutex // guards entries
	entries []handled
}

func (j *journal) all() []handled {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries)
}

// last waits until an event was handled, and returns how.
func (j *journal) last(t *testing.T, id int32) handled {
	t.Helper()
	var found handled
	eventually(t, func() error {
		all := j.all()
		at := slices.IndexFunc(all, func(h handled) bool { return h.id == id })
		if at < 0 {
			return fmt.Errorf("event %d is not handled: %v", id, all)
		}
		found = all[at]
		return nil
	})
	return found
}

// instance is an App with a connection of its own to each server.
type instance struct {
	*fw.App
	redis *redis.Client
	stop  func() // graceful
}

func run(t *testing.T, name string, db *fwtest.Server, leases *redis.Client, j *journal) *instance {
	t.Helper()
	app, err := fw.New(fw.Config{
		Client: db.Client(), Database: "shop", Instance: name,
		Leases: redisstore.New(leases, "shop"), Logger: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	must(t, app.Add(fw.Stream{
		Collections: []string{"orders"}, Mode: fw.SingleLeader, Lease: lease,
		Handle: fw.Typed(fw.Handlers[bson.Raw]{
			Insert: func(_ context.Context, ev *fw.Event[bson.Raw]) error {
				j.mu.Lock()
				defer j.mu.Unlock()
				j.entries = append(j.entries, handled{ev.Key.Lookup("_id").Int32(), name, ev.Term})
				return nil
			},
		}),
	}))
	return &instance{app, leases, fwtest.Run(t, app)}
}

func insert(t *testing.T, db *mongo.Client, id int32) {
	t.Helper()
	_, err := db.Database("shop").Collection("orders").
		InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}})
	must(t, err)
}

// Two instances share a stream by a lease in Redis, with positions in MongoDB. One that stops is
// replaced at once; one that can't reach Redis any more stops by itself and is replaced after it.
func TestAppsHandOverByALeaseInRedis(t *testing.T) {
	t.Parallel()
	server, db, j := startServer(t), fwtest.NewServer(t), &journal{}
	client := db.Client()
	a := run(t, "a", db, server.client(), j)
	b := run(t, "b", db, server.client(), j)
	insert(t, client, 1)
	if got := j.last(t, 1); got.instance != "a" || got.term != 1 {
		t.Errorf("the first event: %+v, want a's of term 1", got)
	}

	began := time.Now()
	a.stop()
	insert(t, client, 2)
	got := j.last(t, 2)
	if took := time.Since(began); got.instance != "b" || got.term != 2 || took > lease.TTL {
		t.Errorf("after the stop: %+v within %s, want b's of term 2 before the ttl", got, took)
	}

	c := run(t, "c", db, server.client(), j)
	must(t, b.redis.Close()) // its answers, and its watch, are gone
	insert(t, client, 3)
	eventually(t, func() error {
		if s := fwtest.StreamStatus(t, c.App, "orders"); !s.Leader || s.Term != 3 {
			return fmt.Errorf("c is %+v", s)
		}
		return nil
	})
	insert(t, client, 4)
	if got := j.last(t, 4); got.instance != "c" || got.term != 3 {
		t.Errorf("after the connection was lost: %+v, want c's of term 3", got)
	}
	mustNotOverlap(t, j, 4)
	c.stop()
}

// A lease that Redis forgot counts again from 1, and is raised above what the position has seen.
func TestALeaseThatRedisLostIsRaisedAboveThePosition(t *testing.T) {
	t.Parallel()
	server, db, j := startServer(t), fwtest.NewServer(t), &journal{}
	client, person := db.Client(), server.client()
	for term := range int64(3) {
		app := run(t, "a", db, server.client(), j)
		insert(t, client, int32(term))
		if got := j.last(t, int32(term)); got.term != term+1 {
			t.Errorf("handled %+v, want term %d", got, term+1)
		}
		app.stop()
		must(t, person.FlushAll(t.Context()).Err())
	}
}

// mustNotOverlap checks that every event was handled, under terms that never fall. What an instance
// handled last, and could not store any more, may be handled again.
func mustNotOverlap(t *testing.T, j *journal, events int32) {
	t.Helper()
	all, ids := j.all(), map[int32]bool{}
	for n, h := range all {
		ids[h.id] = true
		if n > 0 && h.term < all[n-1].term {
			t.Errorf("a smaller term after a greater one: %v", all)
		}
	}
	if len(ids) != int(events) {
		t.Errorf("handled %v, want %d events", all, events)
	}
}
