package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fwgen/fwgen/runtime/fwtest/leasetest"
	"github.com/fwgen/fwgen/runtime/store"
	"github.com/fwgen/fwgen/runtime/store/redisstore"
)

func TestRedisKeepsTheRulesOfLeases(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	leasetest.Run(t, leasetest.Options{New: func(t testing.TB) leasetest.Store {
		return server.tested(t, server.client())
	}})
}

// tested is the store of a client, with what the suite does to it by another.
func (s *server) tested(t testing.TB, client redis.UniversalClient) leasetest.Store {
	person, prefix := s.client(), namespace(t)
	return leasetest.Store{
		Leases: redisstore.New(client, prefix),
		Delete: func(ctx context.Context, stream string) error {
			return person.Del(ctx, prefix+":lease:"+stream).Err()
		},
		Writes: func(ctx context.Context) (int64, error) { return dirty(ctx, person) },
		Break:  func() { _ = client.Close() },
	}
}

// dirty is the number of changes to the data, as the server counts them.
func dirty(ctx context.Context, client *redis.Client) (n int64, err error) {
	info, err := client.InfoMap(ctx, "persistence").Result()
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscan(info["Persistence"]["rdb_changes_since_last_save"], &n)
	return n, err
}

// A client with other settings is bounded and exact, too.
func TestRedisKeepsTheRulesWithRESP2AndContextTimeouts(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	leasetest.Run(t, leasetest.Options{New: func(t testing.TB) leasetest.Store {
		client := redis.NewUniversalClient(&redis.UniversalOptions{
			Addrs: []string{"unused"}, Protocol: 2, ContextTimeoutEnabled: true,
			Dialer: server.dial,
		})
		t.Cleanup(func() { _ = client.Close() })
		return server.tested(t, client)
	}})
}

func ask(owner string) store.AcquireRequest {
	return store.AcquireRequest{Stream: "orders", Owner: owner, TTL: time.Minute, Priority: 1}
}

// Nothing of a lease expires by itself: the term in it must survive.
func TestALeaseHasNoExpiryInRedis(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	client := server.client()
	leases, ctx := redisstore.New(client, ""), within(t, 20*time.Second)
	lease, err := leases.Acquire(ctx, ask("a"))
	must(t, err)
	must(t, leases.Hold(ctx, store.HoldRequest{Stream: "orders", Until: time.Now()}))
	must(t, leases.Release(ctx, store.ReleaseRequest{Stream: "orders", Owner: "a", Term: lease.Term}))
	keys, err := client.Keys(ctx, "*").Result()
	must(t, err)
	if !slices.Equal(keys, []string{"_fw:lease:orders"}) {
		t.Errorf("keys: %v", keys)
	}
	if ttl, err := client.TTL(ctx, "_fw:lease:orders").Result(); err != nil || ttl != -1 {
		t.Errorf("the key expires after %v (%v)", ttl, err)
	}
}

func TestTermsSurviveARestartWithAppendOnly(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	leases, ctx := redisstore.New(server.client(), ""), within(t, time.Minute)
	req := ask("a")
	req.MinTerm = 41
	_, err := leases.Acquire(ctx, req)
	must(t, err)
	must(t, leases.Hold(ctx, store.HoldRequest{Stream: "orders", By: "eva"}))
	server.kill()
	server.start()
	after, err := leases.Look(ctx, "orders")
	must(t, err)
	if !after.Granted("a") || after.Term != 41 || after.Hold == nil {
		t.Errorf("after the restart: %+v", after)
	}
	must(t, leases.Lift(ctx, "orders"))
	must(t, leases.Release(ctx, store.ReleaseRequest{Stream: "orders", Owner: "a", Term: 41}))
	next, err := leases.Acquire(ctx, ask("b")) // also where the scripts are new to the server
	must(t, err)
	if !next.Granted("b") || next.Term != 42 {
		t.Errorf("got %+v, want term 42", next)
	}
}

// A server that does not answer, or is not there, keeps no call longer than it may take.
func TestACallEndsByItsDeadline(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{
		"stopped": syscall.SIGSTOP, "killed": syscall.SIGKILL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			leases := redisstore.New(server.client(), "")
			_, err := leases.Acquire(within(t, 20*time.Second), ask("a"))
			must(t, err)
			server.signal(sig)
			const limit = 500 * time.Millisecond
			began := time.Now()
			lease, err := leases.Acquire(within(t, limit), ask("a"))
			if err == nil || lease != (store.Lease{}) {
				t.Errorf("Acquire = %+v, %v", lease, err)
			}
			if took := time.Since(began); took > limit+2*time.Second {
				t.Errorf("the call took %s, its deadline was %s", took, limit)
			}
		})
	}
}

// A watch whose connection is lost says so: what happened meanwhile is not told of.
func TestAWatchBreaksWithItsConnection(t *testing.T) {
	t.Parallel()
	watchBreaks(t, func(ctx context.Context, server *server) {
		must(t, server.client().ClientKillByFilter(ctx, "TYPE", "pubsub").Err())
	})
}

func TestAWatchOfASilentServerBreaks(t *testing.T) {
	t.Parallel()
	watchBreaks(t, func(_ context.Context, server *server) { server.signal(syscall.SIGSTOP) })
}

// watchBreaks fails unless a watch ends by itself after something is done to its server.
func watchBreaks(t *testing.T, do func(context.Context, *server)) {
	t.Helper()
	server := startServer(t)
	leases, ctx := redisstore.New(server.client(), ""), within(t, time.Minute)
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- leases.Watch(ctx, func() { close(ready) }, func(store.Lease) {}) }()
	<-ready
	do(ctx, server)
	select {
	case err := <-ended:
		if err == nil || ctx.Err() != nil {
			t.Errorf("Watch: %v", err)
		}
	case <-ctx.Done():
		t.Error("the watch goes on")
	}
}

func TestAWatchBreaksWhenTheClientConnectsAgain(t *testing.T) {
	t.Parallel()
	leases := redisstore.New(startServer(t).client(), "")
	ended := make(chan error, 1)
	go func() { ended <- leases.WatchTwice(t.Context()) }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "lost") {
			t.Errorf("the watch ends with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the watch goes on")
	}
}

func TestARingHasNoWatch(t *testing.T) {
	t.Parallel()
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	defer func() { _ = ring.Close() }()
	err := redisstore.New(ring, "").Watch(t.Context(), func() {}, func(store.Lease) {})
	if !errors.Is(err, store.ErrWatchUnsupported) {
		t.Errorf("Watch: %v", err)
	}
}
