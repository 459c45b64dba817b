package lease

import (
	"context"
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// contend asks for the lease until it is granted. It returns nil when stop or life ended.
func (e *Elector) contend(stop, life context.Context) *grant {
	defer e.withdraw(life)
	next := later(time.Now(), e.rests())
	for e.sleep(stop, life, next) {
		granted, at := e.attempt(life)
		if granted != nil && stop.Err() != nil {
			e.release(life, granted.term, store.Stopped)
			return nil
		}
		if granted != nil {
			return granted
		}
		next = at
	}
	return nil
}

// attempt asks for the lease once. It returns what was granted, or when to ask again.
func (e *Elector) attempt(life context.Context) (*grant, time.Time) {
	switch {
	case e.isModest():
		if next, ok := e.lookFirst(life); ok {
			return nil, next
		}
	case e.blind() && time.Now().Before(e.announce):
		if next, ok := e.peek(life); ok {
			return nil, next
		}
	}
	a := e.acquire(life, 0, e.known+1, e.limit())
	if a.err != nil {
		return nil, e.failed(life, a.err)
	}
	failures := e.failures
	e.failures = 0
	e.see(a.lease.Term)
	e.asking = a.lease.Contender != nil && a.lease.Contender.Owner == e.cfg.Owner
	switch {
	case !a.lease.Granted(e.cfg.Owner):
		return nil, e.standBy(a.lease)
	case a.lease.Term <= e.ended:
		if err := e.giveBack(life, a.lease.Term); err != nil {
			return nil, e.failed(life, err)
		}
		e.failures = failures + 1 // it may not be given back by that: a person may have set its term
		return nil, time.Now().Add(e.retry(e.failures))
	case a.lease.ExpiresIn < e.cfg.TTL:
		return e.adopt(life, a.lease.Term)
	}
	return e.promote(a)
}

// lookFirst looks whether the lease is free before it is asked for, which would announce this
// elector as a contender otherwise. It returns when to ask again, unless that is now.
func (e *Elector) lookFirst(life context.Context) (next time.Time, ok bool) {
	a := e.look(life)
	switch {
	case a.err != nil:
		return e.failed(life, a.err), true
	case !a.lease.Live() || a.lease.Owner == e.cfg.Owner:
		return time.Time{}, false
	}
	e.failures = 0
	e.see(a.lease.Term)
	return earlier(e.standBy(a.lease), e.modest), true
}

// peek looks whether the leader has heard of this contender, and writes nothing. It returns when to
// ask again, unless that is now.
func (e *Elector) peek(life context.Context) (next time.Time, ok bool) {
	a := e.look(life)
	if a.err != nil {
		return e.failed(life, a.err), true
	}
	c := a.lease.Contender
	if !a.lease.Live() || c == nil || c.Owner != e.cfg.Owner {
		return time.Time{}, false
	}
	e.failures = 0
	return e.asksAgain(a.lease, time.Now()), true
}

// adopt renews a term that an earlier acquisition was granted, whose answer was lost.
func (e *Elector) adopt(life context.Context, term int64) (*grant, time.Time) {
	a := e.renew(life, term, e.limit())
	if a.err != nil {
		return nil, e.failed(life, a.err)
	}
	if !a.lease.Granted(e.cfg.Owner) || a.lease.Term != term {
		return nil, time.Now()
	}
	return e.promote(a)
}

// promote makes a grant of an answer, unless it came too late.
func (e *Elector) promote(a answer) (*grant, time.Time) {
	t := e.trustOf(a)
	if t.left(e.cfg.Clock.Now()) <= 0 {
		return nil, time.Now()
	}
	return &grant{term: a.lease.Term, trust: t, lease: a.lease}, time.Time{}
}

// failed notes an attempt without an answer, and returns when to make the next.
func (e *Elector) failed(life context.Context, err error) time.Time {
	e.failures++
	next := time.Now().Add(e.retry(e.failures))
	e.announce = later(e.announce, next) // which may have happened, and is news then
	if life.Err() == nil {
		e.tell(AttemptFailed{Err: err, Next: next})
	}
	return next
}

// trustOf returns the trust that an answer gives, from before its call was made. The lease lives
// for ExpiresIn from some later time; that it is less than TTL shows that an earlier call set it.
func (e *Elector) trustOf(a answer) trust {
	return trust{from: a.start, span: min(e.cfg.TTL, a.lease.ExpiresIn) - e.cfg.Heartbeat}
}

func (e *Elector) acquire(ctx context.Context, term, least int64, limit time.Duration) answer {
	return e.line.do(ctx, e.cfg.Clock, limit, func(ctx context.Context) (store.Lease, error) {
		return e.cfg.Leases.Acquire(ctx, store.AcquireRequest{
			Stream:   e.cfg.Stream,
			Owner:    e.cfg.Owner,
			Term:     term,
			MinTerm:  least,
			TTL:      e.cfg.TTL,
			Priority: e.cfg.Priority,
			Instance: e.cfg.Instance,
		})
	})
}

func (e *Elector) look(ctx context.Context) answer {
	return e.line.do(ctx, e.cfg.Clock, e.limit(), func(ctx context.Context) (store.Lease, error) {
		return e.cfg.Leases.Look(ctx, e.cfg.Stream)
	})
}

func (e *Elector) renew(ctx context.Context, term int64, limit time.Duration) answer {
	return e.line.do(ctx, e.cfg.Clock, limit, func(ctx context.Context) (store.Lease, error) {
		return e.cfg.Leases.Renew(ctx, store.RenewRequest{
			Stream: e.cfg.Stream, Owner: e.cfg.Owner, Term: term, TTL: e.cfg.TTL,
		})
	})
}

// withdraw takes back that this elector contends, which it does no longer: the leader should not
// step down for it.
func (e *Elector) withdraw(life context.Context) {
	if !e.asking {
		return
	}
	e.asking = false
	limit := min(e.limit(), withdrawLimit)
	e.line.do(life, e.cfg.Clock, limit, func(ctx context.Context) (store.Lease, error) {
		return store.Lease{}, e.cfg.Leases.Withdraw(ctx, store.WithdrawRequest{
			Stream: e.cfg.Stream, Owner: e.cfg.Owner,
		})
	})
}

// withdrawLimit bounds a withdrawal. After it the announcement is left to lapse.
const withdrawLimit = time.Second

// notOwner reports whether a release failed because the lease is not there to be released, which
// is as good.
func notOwner(err error) bool { return errors.Is(err, store.ErrNotOwner) }
