package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fwgen/fwgen/runtime/store"
)

// pingEvery is how often a watch asks whether its connection is there. Two questions that were not
// answered by the time of the third break it.
const pingEvery = 5 * time.Second

var (
	errSilent      = errors.New("the connection is silent")
	errReconnected = errors.New("the connection was lost")
)

// Watch implements [store.Leases]. A lease is told of as it was when it was published.
func (l *Leases) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	if _, ring := l.client.(*redis.Ring); ring {
		return store.ErrWatchUnsupported
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	watching, end := context.WithCancelCause(ctx)
	w := &watch{sub: l.client.Subscribe(watching, l.channel()), heard: make(chan struct{}, 1)}
	closed := make(chan struct{})
	context.AfterFunc(watching, func() {
		defer close(closed)
		_ = w.sub.Close() // ends the read, too
	})
	var pings sync.WaitGroup
	pings.Go(func() { end(w.keepAlive(watching)) })
	err := w.receive(watching, ready, changed)
	end(err)
	pings.Wait()
	<-closed
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("watch leases: %w", context.Cause(watching))
}

// watch is one subscription.
type watch struct {
	sub   *redis.PubSub
	heard chan struct{} // wakes keepAlive when something came, of capacity 1
}

// receive tells of changes until the connection ends.
func (w *watch) receive(ctx context.Context, ready func(), changed func(store.Lease)) error {
	for subscribed := false; ; {
		message, err := w.sub.Receive(ctx)
		if err != nil {
			return err
		}
		select {
		case w.heard <- struct{}{}:
		default:
		}
		switch m := message.(type) {
		case *redis.Subscription:
			if subscribed { // the client connected again, and something may have been missed
				return errReconnected
			}
			subscribed = true
			ready()
		case *redis.Message:
			if err := tell(m.Payload, changed); err != nil {
				return err
			}
		}
	}
}

func tell(payload string, changed func(store.Lease)) error {
	var answer []any
	if err := json.Unmarshal([]byte(payload), &answer); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	lease, err := read(answer)
	if err == nil {
		changed(lease)
	}
	return err
}

// keepAlive asks for a sign of life, and returns when none comes, or when ctx ends.
func (w *watch) keepAlive(ctx context.Context) error {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for asked := 0; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.heard:
			asked = 0
		case <-ticker.C:
			if asked == 2 {
				return errSilent
			}
			asked++
			if err := w.sub.Ping(ctx); err != nil {
				return err
			}
		}
	}
}
