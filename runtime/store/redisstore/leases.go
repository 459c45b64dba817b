package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fwgen/fwgen/runtime/store"
)

// defaultTimeout bounds a call whose context has no deadline.
const defaultTimeout = 10 * time.Second

// Leases keeps the leases of streams. Make one with [New]. It is safe for concurrent use.
type Leases struct {
	client  redis.UniversalClient
	prefix  string
	scripts scripts
}

var _ store.Leases = (*Leases)(nil)

// New returns a store of leases in keys, and on a channel, that begin with prefix, "_fw" if it is
// empty. Applications that share a Redis need one each. The client stays the caller's.
//
// A client of a single server, of a sentinel or of a cluster will do. A redis.Ring has no channel
// that all of its servers publish on: its Watch returns [store.ErrWatchUnsupported].
func New(client redis.UniversalClient, prefix string) *Leases {
	if prefix == "" {
		prefix = "_fw"
	}
	return &Leases{client: client, prefix: prefix, scripts: load()}
}

// Acquire implements [store.Leases].
func (l *Leases) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	instance, err := json.Marshal(newInstance(req.Instance))
	if err != nil {
		return store.Lease{}, fmt.Errorf("acquire lease %q: %w", req.Stream, err)
	}
	return l.ask(ctx, l.scripts.acquire, "acquire", req.Stream, req.Owner, req.Term,
		max(req.MinTerm, 0), milliseconds(req.TTL), req.Priority, instance)
}

// Renew implements [store.Leases].
func (l *Leases) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	return l.ask(ctx, l.scripts.renew, "renew", req.Stream, req.Owner, req.Term,
		milliseconds(req.TTL))
}

// Release implements [store.Leases].
func (l *Leases) Release(ctx context.Context, req store.ReleaseRequest) error {
	done, err := l.run(ctx, l.scripts.release, req.Stream, req.Owner, req.Term,
		string(req.Reason))
	if err == nil && done == int64(0) {
		err = store.ErrNotOwner
	}
	if err != nil {
		return fmt.Errorf("release lease %q: %w", req.Stream, err)
	}
	return nil
}

// Withdraw implements [store.Leases].
func (l *Leases) Withdraw(ctx context.Context, req store.WithdrawRequest) error {
	_, err := l.ask(ctx, l.scripts.withdraw, "withdraw from", req.Stream, req.Owner)
	return err
}

// Look implements [store.Leases]. It asks the server that writes go to.
func (l *Leases) Look(ctx context.Context, stream string) (store.Lease, error) {
	return l.ask(ctx, l.scripts.look, "look at", stream)
}

// Hold implements [store.Leases].
func (l *Leases) Hold(ctx context.Context, req store.HoldRequest) error {
	until := int64(0)
	if !req.Until.IsZero() {
		until = max(req.Until.UnixMilli(), 1)
	}
	_, err := l.ask(ctx, l.scripts.hold, "hold", req.Stream, req.By, req.Reason, until)
	return err
}

// Lift implements [store.Leases].
func (l *Leases) Lift(ctx context.Context, stream string) error {
	_, err := l.ask(ctx, l.scripts.lift, "lift the hold of", stream)
	return err
}

// ask runs a script that answers with the lease.
func (l *Leases) ask(
	ctx context.Context, script *redis.Script, verb, stream string, args ...any,
) (store.Lease, error) {
	answer, err := l.run(ctx, script, stream, args...)
	var told store.Lease
	if err == nil {
		told, err = read(answer)
	}
	if err != nil {
		return store.Lease{}, fmt.Errorf("%s lease %q: %w", verb, stream, err)
	}
	return told, nil
}

// run runs a script on the key of a stream. It returns by the deadline of ctx, for which a client
// without ContextTimeoutEnabled does not care: such a call is left to the client's own time-outs.
func (l *Leases) run(
	ctx context.Context, script *redis.Script, stream string, args ...any,
) (any, error) {
	if _, ok := ctx.Deadline(); !ok {
		bounded, cancel := context.WithTimeout(ctx, defaultTimeout)
		defer cancel()
		ctx = bounded
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	type outcome struct {
		answer any
		err    error
	}
	outcomes := make(chan outcome, 1)
	go func() {
		answer, err := script.Run(ctx, l.client, []string{l.prefix + ":lease:" + stream},
			append([]any{stream, l.channel()}, args...)...).Result()
		outcomes <- outcome{answer, err}
	}()
	select {
	case o := <-outcomes:
		return o.answer, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// channel is where changes are published.
func (l *Leases) channel() string { return l.prefix + ":leases" }

// milliseconds rounds up: a lease is never shorter than asked for.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
