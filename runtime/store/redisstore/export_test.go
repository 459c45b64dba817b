package redisstore

import (
	"context"

	"github.com/fwgen/fwgen/runtime/store"
)

// WatchTwice watches by a subscription that is confirmed again once it is ready, as when the client
// connects again by itself.
func (l *Leases) WatchTwice(ctx context.Context) error {
	w := &watch{sub: l.client.Subscribe(ctx, l.channel()), heard: make(chan struct{}, 1)}
	defer func() { _ = w.sub.Close() }()
	again := func() { _ = w.sub.Subscribe(ctx, l.channel()) }
	return w.receive(ctx, again, func(store.Lease) {})
}
