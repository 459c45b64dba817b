package lease

import (
	"context"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// releaseLimit bounds all attempts at a release. After it the lease is left to expire.
const releaseLimit = 5 * time.Second

// release gives a term back that was led to its end, and repeats that for a while.
func (e *Elector) release(life context.Context, term int64, reason store.ReleaseReason) {
	if reason == "" {
		reason = store.Stopped
	}
	ctx, cancel := context.WithTimeout(life, releaseLimit)
	defer cancel()
	for n := 1; ; n++ {
		err := e.releaseOnce(ctx, term, reason)
		if err == nil || notOwner(err) {
			e.tell(Released{Term: term, Reason: reason})
			return
		}
		if pause(ctx, ctx, e.retry(n)) != nil {
			if life.Err() == nil {
				e.tell(ReleaseFailed{Term: term, Reason: reason, Err: err})
			}
			return
		}
	}
}

// giveBack releases, once, a term that ended by the elector's own clock, so that nobody has to
// wait for its expiry. It is conditional on owner and term, so it harms nobody who has the lease
// by now.
func (e *Elector) giveBack(life context.Context, term int64) error {
	err := e.releaseOnce(life, term, store.RenewalFailed)
	switch {
	case err == nil:
		e.tell(Released{Term: term, Reason: store.RenewalFailed})
	case notOwner(err):
		return nil
	}
	return err
}

func (e *Elector) releaseOnce(
	ctx context.Context, term int64, reason store.ReleaseReason,
) error {
	a := e.line.do(ctx, e.cfg.Clock, e.limit(), func(ctx context.Context) (store.Lease, error) {
		return store.Lease{}, e.cfg.Leases.Release(ctx, store.ReleaseRequest{
			Stream: e.cfg.Stream, Owner: e.cfg.Owner, Term: term, Reason: reason,
		})
	})
	return a.err
}
