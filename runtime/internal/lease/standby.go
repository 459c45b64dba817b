package lease

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

const (
	// expiryJitter spreads standbys that wait for the same expiry.
	expiryJitter = 100 * time.Millisecond

	// wakeJitter spreads those that saw the same release.
	wakeJitter = 20 * time.Millisecond

	// courtesy is how long a released lease is left to the contender that it was released for:
	// longer than peek, for one without a watch.
	courtesy = time.Second

	// peek is how often an announced contender without a watch looks whether the lease is free.
	peek = 500 * time.Millisecond

	// shortest is the shortest sleep after an answer that granted nothing.
	shortest = 10 * time.Millisecond
)

// sleep waits until next, or until news make it ask earlier or later. It returns false when stop
// or life ended.
func (e *Elector) sleep(stop, life context.Context, next time.Time) bool {
	limit := time.Now().Add(e.cfg.Poll) // earlier once something may have been missed
	for {
		timer := time.NewTimer(time.Until(next))
		select {
		case <-stop.Done():
		case <-life.Done():
		case <-timer.C:
			return stop.Err() == nil && life.Err() == nil
		case <-e.news.wake:
			timer.Stop()
			reread := false
			if next, reread = e.revise(next); reread {
				limit = earlier(limit, time.Now().Add(jitter(expiryJitter)))
			}
			next = later(earlier(next, limit), e.rests())
			continue
		}
		timer.Stop()
		return false
	}
}

// standBy reports who has the lease, and returns when to ask again.
func (e *Elector) standBy(l store.Lease) time.Time {
	now := time.Now()
	e.tell(standing(l, now))
	e.announce = now.Add(e.cfg.Heartbeat)
	return e.asksAgain(l, now)
}

// asksAgain returns when to ask after an answer: when the lease opens, and within a poll.
func (e *Elector) asksAgain(l store.Lease, now time.Time) time.Time {
	return earlier(e.opens(l, now), now.Add(e.cfg.Poll))
}

// standing is what there is to report to somebody who was not granted a lease.
func standing(l store.Lease, now time.Time) Report {
	if !l.Live() && l.Hold != nil {
		return Held{Hold: *l.Hold}
	}
	return Standby{Owner: l.Owner, Term: l.Term, Instance: l.Instance, Expires: now.Add(l.ExpiresIn)}
}

// hear reports news that put off the next attempt: until that, nobody would be told who leads, or
// that the stream is held. Who sits out has told so, and until when; a hold is told all the same.
func (e *Elector) hear(l store.Lease) {
	now, out := time.Now(), later(e.sits, e.way)
	standby, standsBy := e.said.(Standby)
	_, held := e.said.(Held)
	switch {
	case e.failures > 0:
	case !l.Live() && l.Hold != nil:
		e.tell(standing(l, now))
	case now.Before(out):
		if held && l.Hold == nil {
			e.tell(SittingOut{Until: out, Reason: e.sitsFor})
		}
	case l.Live() && (!standsBy || standby.Term != l.Term):
		e.tell(standing(l, now))
	}
}

// outranks reports whether the owner of a lease is to be asked to step down.
func (e *Elector) outranks(l store.Lease) bool {
	return l.Live() && l.Hold == nil && l.Priority < e.cfg.Priority && !e.isModest()
}

// isModest reports whether this elector has yielded and does not ask a leader to step down yet.
func (e *Elector) isModest() bool { return time.Now().Before(e.modest) }

// blind reports whether this elector is announced as the contender, and would not be told that the
// lease is released.
func (e *Elector) blind() bool { return e.asking && !e.cfg.Watcher.watching() }

// revise returns when to ask again after news, and whether some may have been missed.
func (e *Elector) revise(next time.Time) (time.Time, bool) {
	news, reread := e.news.take()
	if news != nil && e.gate {
		news = &store.Lease{Hold: news.Hold} // whoever has the lease
	}
	switch {
	case news == nil, news.Owner == e.cfg.Owner:
	case news.Term == 0 && e.seen > 0: // deleted by hand: its owner may not know yet
		e.see(0)
	case news.Term >= e.seen:
		if news.Term > e.seen { // a new leader has not heard of us
			e.announce = time.Now()
		}
		e.see(news.Term)
		if e.wayIsFree(*news) {
			e.way = time.Time{}
		}
		e.hear(*news)
		opens := e.opens(*news, time.Now())
		if e.failures > 0 {
			opens = earlier(opens, next)
		}
		next = opens
	}
	return next, reread
}

// wayIsFree reports whether nobody is to be waited for any more: somebody of the priority has had
// the lease, or nobody wants it who did when this elector gave it back.
func (e *Elector) wayIsFree(l store.Lease) bool {
	if l.Term == e.ended {
		return l.Owner == "" && l.Contender == nil
	}
	return l.Term > e.ended && l.Priority >= e.wayTo
}

// opens returns when to ask for a lease that was seen now, if nothing more happens to it: when it
// can be acquired, or its owner must hear again that somebody of a higher priority is here.
func (e *Elector) opens(l store.Lease, now time.Time) time.Time {
	wait, spread := time.Duration(0), wakeJitter
	if l.Live() {
		wait, spread = l.ExpiresIn, expiryJitter
	}
	if h := l.Hold; h != nil {
		if h.Until.IsZero() {
			return now.Add(e.cfg.Poll)
		}
		wait, spread = max(wait, h.ExpiresIn), expiryJitter
	}
	if c := l.Contender; c != nil && l.Owner == "" && c.Priority > e.cfg.Priority {
		wait = max(wait, min(c.ExpiresIn, courtesy))
	}
	wait = min(max(wait, shortest), e.cfg.Poll) // nobody sleeps longer, and a sum may overflow
	opens := now.Add(wait + e.cfg.Reluctance() + jitter(spread))
	if e.outranks(l) {
		opens = earlier(opens, later(e.announce, now))
		if e.blind() {
			opens = earlier(opens, now.Add(min(peek, e.cfg.Heartbeat/4)))
		}
	}
	return opens
}

func jitter(most time.Duration) time.Duration { return rand.N(most) }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// pause waits for d, or until one of two contexts ends, whose cause it returns.
func pause(a, b context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.Done():
		return context.Cause(a)
	case <-b.Done():
		return context.Cause(b)
	case <-timer.C:
		return nil
	}
}
