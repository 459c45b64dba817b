package lease

import (
	"context"
	"fmt"

	"github.com/fwgen/fwgen/runtime/store"
)

// raise asks the keeper of a leadership for a greater term.
type raise struct {
	ctx  context.Context
	min  int64
	done chan<- error // of capacity 1
}

// AcquireAbove gets a new term that is greater than term, as a leader needs that finds such a term
// on the position it takes over: somebody deleted the lease by hand. It is called before anything
// runs under the old term, and repeats until it succeeds, ctx ends or trust does.
func (l *Leadership) AcquireAbove(ctx context.Context, term int64) error {
	done := make(chan error, 1)
	select {
	case l.raises <- raise{ctx: ctx, min: term + 1, done: done}:
	case <-l.done:
		return l.cause()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// raise repeats an acquisition with a smallest term until its outcome is known. Meanwhile nothing
// is renewed: the old term may be gone.
func (k *keeper) raise(ctx context.Context, r raise) error {
	for n := 1; k.l.Term() < r.min; n++ {
		a := k.e.acquire(ctx, k.l.Term(), r.min, k.limit())
		if a.err == nil {
			return k.judgeRaise(a, r.min)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k.e.tell(RenewalFailed{Term: k.l.Term(), Err: a.err})
		if err := pause(ctx, r.ctx, k.e.retry(n)); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) judgeRaise(a answer, least int64) error {
	old := k.l.Term()
	switch {
	case !a.lease.Granted(k.e.cfg.Owner):
		k.lose(a.lease)
		return k.l.cause()
	case a.lease.Term < least:
		return fmt.Errorf("acquire a term of at least %d: the store answered with %d",
			least, a.lease.Term)
	case !k.l.confirm(k.e.trustOf(a)):
		return k.l.cause()
	}
	k.l.raised(a.lease.Term)
	k.e.tell(Acquired{Term: a.lease.Term, Replaces: old})
	k.look(a.lease)
	return nil
}

// lose ends a leadership whose lease an answer shows to be gone.
func (k *keeper) lose(l store.Lease) {
	k.owner = l.Owner
	if l.Live() {
		k.l.end(store.Lost)
		return
	}
	k.l.end(store.RenewalFailed)
}
