package fw

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Hold says who keeps a stream from running, why, and until when. See [App.Hold].
type Hold struct {
	// By names who holds the stream. Defaults to the name of this instance.
	By string
	// Reason is for people.
	Reason string
	// Until is when the hold ends by itself, by the server's clock. Defaults to never: until
	// [App.Release].
	Until time.Time
}

// Hold keeps a stream from running on any instance, in every mode, until it is released or
// h.Until has passed. It is stored with the leases, so that restarts and new instances obey it too;
// it replaces a hold that there is. A stream that is disabled or excluded here can be held, and
// Hold can be called before [App.Run].
//
// Hold returns once the hold is stored and nothing of the stream runs in this process. Other
// instances drain by themselves: within a moment where they can watch the leases, else within a
// heartbeat or [LeasePolicy.Poll]. If ctx ends first, or a handler here does not return within
// [Config.DrainTimeout], the hold stands and the error names the handler; the lease is released
// when that has returned.
func (a *App) Hold(ctx context.Context, stream string, h Hold) error {
	d, err := a.deployment(stream)
	if err != nil {
		return fmt.Errorf("hold stream: %w", err)
	}
	if !h.Until.IsZero() && !h.Until.After(time.Now()) {
		return fmt.Errorf("hold stream %s: Until %s has passed; leave it zero to hold the stream "+
			"until App.Release", stream, h.Until.Format(time.RFC3339))
	}
	err = a.config.Leases.Hold(ctx, store.HoldRequest{
		Stream: stream, By: cmp.Or(h.By, a.instance.Name), Reason: h.Reason, Until: h.Until,
	})
	if err != nil {
		return fmt.Errorf("hold stream %s: %w", stream, err)
	}
	if d.running == nil {
		return nil
	}
	return d.running.AwaitHeld(ctx)
}

// Release ends the hold of a stream, on every instance. It returns nil if the stream is not held.
func (a *App) Release(ctx context.Context, stream string) error {
	d, err := a.deployment(stream)
	if err != nil {
		return fmt.Errorf("release stream: %w", err)
	}
	if err := a.config.Leases.Lift(ctx, stream); err != nil {
		return fmt.Errorf("release stream %s: %w", stream, err)
	}
	if d.running != nil {
		d.running.Nudge()
	}
	return nil
}

// StepDown makes this instance give up the leadership of a stream: it drains, saves its position,
// releases the lease and leaves it to other instances for one [LeasePolicy.TTL]; after that it
// contends again. It returns when the lease is released, and an error if this instance does not
// lead the stream. If ctx ends first, or the handler does not return within [Config.DrainTimeout],
// the error names the handler; the lease is released when that has returned.
func (a *App) StepDown(ctx context.Context, stream string) error {
	running, err := a.controlled(stream)
	if err != nil {
		return fmt.Errorf("step down: %w", err)
	}
	return running.StepDown(ctx)
}

// deployment returns a stream by name, whether it runs here or not.
func (a *App) deployment(stream string) (deployed, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, err := a.known(stream)
	if err != nil {
		return deployed{}, err
	}
	return *d, nil
}
