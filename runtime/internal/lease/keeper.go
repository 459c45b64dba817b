package lease

import (
	"context"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// keeper renews the lease of one leadership.
type keeper struct {
	e        *Elector
	l        *Leadership
	due      time.Time // of the next renewal
	failures int       // in a row
	owner    string    // who owns the lease instead, as of the last answer
}

// keep renews until ctx ends: trust has ended, or lead has returned.
func (e *Elector) keep(ctx context.Context, l *Leadership, granted *grant) {
	since := granted.trust.from.Elapsed(e.cfg.Clock.Now())
	k := &keeper{e: e, l: l, due: e.round(time.Now().Add(e.cfg.Heartbeat - since))}
	k.look(granted.lease) // an adopted one may be held, or wanted, already
	for k.wait(ctx) {
		k.renew(ctx)
	}
	if term, why := l.finish(); why != "" {
		e.tell(TrustEnded{Term: term, Reason: why, Owner: k.owner})
	}
}

// wait waits until a renewal is due, and does what is asked of it meanwhile. It returns false when
// ctx has ended.
func (k *keeper) wait(ctx context.Context) bool {
	for {
		timer := time.NewTimer(time.Until(k.due))
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
			return ctx.Err() == nil
		case <-k.e.news.wake:
			k.hear()
		case r := <-k.l.raises:
			r.done <- k.raise(ctx, r)
		}
		timer.Stop()
	}
}

// renew makes one attempt.
func (k *keeper) renew(ctx context.Context) {
	start, term := time.Now(), k.l.Term()
	a := k.e.renew(ctx, term, k.limit())
	switch {
	case ctx.Err() != nil:
	case a.err != nil:
		k.failures++
		k.due = time.Now().Add(k.e.retry(k.failures))
		k.e.tell(RenewalFailed{Term: term, Err: a.err})
	case !a.lease.Granted(k.e.cfg.Owner) || a.lease.Term != term:
		k.lose(a.lease)
	case k.l.confirm(k.e.trustOf(a)):
		k.failures = 0
		k.due = k.e.round(start.Add(k.e.cfg.Heartbeat))
		k.look(a.lease)
	}
}

// limit bounds a call by the trust that is left, too.
func (k *keeper) limit() time.Duration { return min(k.e.limit(), k.l.left()) }

// hear takes the watcher's news. They only hint: what ends a leadership is the answer to a
// renewal.
func (k *keeper) hear() {
	news, reread := k.e.news.take()
	term := k.l.Term()
	switch {
	case news == nil:
	case news.Term == term && news.Owner == k.e.cfg.Owner:
		k.look(*news)
	case news.Term >= term, news.Term == 0: // 0: the lease was deleted
		reread = true
	}
	if reread {
		k.due = time.Now()
	}
}

// look asks for the lease back where its stream is held, or where somebody of a higher priority
// wants it.
func (k *keeper) look(l store.Lease) {
	k.l.setHold(l.Hold)
	switch {
	case l.Hold != nil:
		k.l.ask(store.Held, leave{})
	case l.Contender != nil:
		k.l.giveWay(l.Contender)
	}
}
