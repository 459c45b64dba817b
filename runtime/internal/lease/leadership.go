package lease

import (
	"context"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/store"
)

// grant is a term that this elector may lead, and for how long.
type grant struct {
	term  int64
	trust trust
	lease store.Lease // as it was granted
}

// trust lasts for span from an instant.
type trust struct {
	from clock.Instant
	span time.Duration
}

// left returns how much of the trust is left; zero or less: it has ended.
func (t trust) left(now clock.Instant) time.Duration { return t.span - t.from.Elapsed(now) }

// Leadership is the time during which this instance leads a stream. Its methods may be called by
// several goroutines, until lead returned.
type Leadership struct {
	clock  clock.Clock
	ttl    time.Duration
	every  time.Duration // between two looks at the clock
	cancel context.CancelCauseFunc
	lost   error // the cause to cancel with
	cause  func() error
	done   <-chan struct{} // of the context of lead
	raises chan raise
	asked  chan struct{} // closed when the leader should give the lease back

	mu     sync.Mutex // guards everything below
	term   int64
	trust  trust
	over   bool
	why    store.ReleaseReason // why trust ended: RenewalFailed or Lost; "" if it did not
	reason store.ReleaseReason // why the lease is asked for
	leave  leave               // how long the lease is left to others then
	hold   *store.Hold         // of the stream, as of the last answer or news
	timer  *time.Timer         // looks at the clock
}

// leave is how long a lease is left to others after it was given back.
type leave struct {
	out      time.Duration // whatever the others do
	wait     time.Duration // until somebody of a priority has had it
	priority int
}

// recheckAtLeast is the longest time between two looks at the clock while leading.
const recheckAtLeast = time.Second

// newLeadership begins a leadership, and returns the context of lead.
func newLeadership(
	life context.Context, cfg Config, granted *grant,
) (context.Context, *Leadership) {
	ctx, cancel := context.WithCancelCause(life)
	l := &Leadership{
		clock:  cfg.Clock,
		ttl:    cfg.TTL,
		every:  min(cfg.Heartbeat/4, recheckAtLeast),
		cancel: cancel,
		lost:   cfg.LostCause,
		cause:  func() error { return context.Cause(ctx) },
		done:   ctx.Done(),
		raises: make(chan raise),
		asked:  make(chan struct{}),
		term:   granted.term,
		trust:  granted.trust,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(l.nextLook(), l.look)
	return ctx, l
}

// Term returns the term of this leadership. It changes only by AcquireAbove.
func (l *Leadership) Term() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.term
}

// Trusted reports whether the lease is still trusted, by the clock now. If it is not, the context
// of lead has ended when Trusted returns.
func (l *Leadership) Trusted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trusted()
}

// Asked returns a channel that is closed when the leader should drain and give the lease back.
func (l *Leadership) Asked() <-chan struct{} { return l.asked }

// Reason returns what to release the lease for, once Asked is closed.
func (l *Leadership) Reason() store.ReleaseReason {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// HandOver asks the leader to drain and give the lease back, for another instance to have it: this
// one asks for it again only after one ttl.
func (l *Leadership) HandOver(reason store.ReleaseReason) {
	l.ask(reason, leave{out: l.ttl})
}

// leaves returns how long the lease is left to others after this leadership; the zero leave: no
// longer than after any.
func (l *Leadership) leaves() leave {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leave
}

// giveWay asks the leader to drain and give the lease back to a contender. It is left to it for
// half of a ttl at least, in which a contender without a watch asks for it once, and for a ttl at
// most, whatever the announcement says.
func (l *Leadership) giveWay(c *store.Contender) {
	wait := min(max(c.ExpiresIn, l.ttl/2), l.ttl)
	l.ask(store.SteppedDown, leave{wait: wait, priority: c.Priority})
}

// setHold notes whether the stream is held.
func (l *Leadership) setHold(h *store.Hold) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold = h
}

// held returns the hold that the leadership has seen and not seen lifted.
func (l *Leadership) held() *store.Hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hold
}

// ask closes Asked. The first reason stays, and the longest leave.
func (l *Leadership) ask(reason store.ReleaseReason, asked leave) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked.wait > 0 && (l.leave.wait == 0 || asked.priority > l.leave.priority) {
		l.leave.priority = asked.priority
	}
	l.leave.out = max(l.leave.out, asked.out)
	l.leave.wait = max(l.leave.wait, asked.wait)
	if l.reason == "" {
		l.reason = reason
		close(l.asked)
	}
}

// confirm extends trust, never shortens it, and reports whether there still is any: an answer
// after the end of trust changes nothing.
func (l *Leadership) confirm(t trust) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.trusted() {
		return false
	}
	if now := l.clock.Now(); t.left(now) > l.trust.left(now) {
		l.trust = t
	}
	return true
}

// raised moves to a term that the store granted above the one before.
func (l *Leadership) raised(term int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term = term
}

// end ends trust for a reason, and with it the context of lead.
func (l *Leadership) end(why store.ReleaseReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished(why)
}

// finish ends the leadership if trust has not. It returns its last term and why trust ended.
func (l *Leadership) finish() (term int64, why store.ReleaseReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trusted() {
		l.finished("")
	}
	return l.term, l.why
}

// look is what the timer does. What is left is counted from here on, so that a wall that was set
// back before does not hide a suspend that comes.
func (l *Leadership) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trusted() {
		now := l.clock.Now()
		l.trust = trust{from: now, span: l.trust.left(now)}
		l.timer.Reset(l.nextLook())
	}
}

func (l *Leadership) nextLook() time.Duration {
	return max(0, min(l.every, l.trust.left(l.clock.Now())))
}

// left returns how long the lease is trusted yet.
func (l *Leadership) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.trusted() {
		return 0
	}
	return l.trust.left(l.clock.Now())
}

// trusted is Trusted with l.mu held.
func (l *Leadership) trusted() bool {
	if !l.over && l.trust.left(l.clock.Now()) <= 0 {
		l.finished(store.RenewalFailed)
	}
	return !l.over
}

// finished is end with l.mu held.
func (l *Leadership) finished(why store.ReleaseReason) {
	if l.over {
		return
	}
	l.over, l.why = true, why
	l.timer.Stop()
	if why == "" {
		l.cancel(context.Canceled)
		return
	}
	l.cancel(l.lost)
}
