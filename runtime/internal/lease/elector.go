package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/store"
)

// Config says which lease to seek, and how. TTL, Heartbeat and Poll are greater than zero, and TTL
// is at least three heartbeats; the caller has validated that.
type Config struct {
	Leases   store.Leases
	Stream   string
	Owner    string // unique per App, also among runs of one instance
	Instance store.Instance

	TTL       time.Duration // how long a lease lives without a renewal
	Heartbeat time.Duration // from the start of one renewal to the start of the next
	Poll      time.Duration // the longest that a standby sleeps
	Priority  int           // an owner of a lower one is asked to step down

	Clock   clock.Clock // Defaults to clock.System.
	Watcher *Watcher    // Nil: expiry and poll only.
	Rounds  *Rounds     // Nil: renewals go out on their own.

	// Reluctance is how long a lease that has become free is left to others first, as of now. It
	// is a second at most. Defaults to none.
	Reluctance func() time.Duration
	Logger     *slog.Logger // Defaults to none.

	// Report is told what happens, one call at a time and in order. It must not block. Defaults to
	// none.
	Report func(Report)

	// LostCause is the cause that the context of lead ends with when the lease is lost. Defaults
	// to context.Canceled.
	LostCause error
}

// Elector seeks the lease of one stream for one instance.
type Elector struct {
	cfg  Config
	line line          // of store calls
	news *subscription // from the watcher

	ended    int64     // no term up to here is led again
	known    int64     // the highest term that was ever seen; a new one is above it
	seen     int64     // the term that was seen last; news of a smaller one are old
	rest     time.Time // not asked for before
	way      time.Time // nor before this, until it was had by somebody of wayTo, or nobody wants it
	wayTo    int       // a priority, the least that counts
	sits     time.Time // until when it has told that it sits out
	sitsFor  store.ReleaseReason
	announce time.Time // when to ask a leader of a lower priority again
	asking   bool      // announced as the contender of a lease, as of the last answer
	failures int       // attempts that failed, in a row
	gate     bool      // for a Gate: holds are all that counts
	yields   int       // leaderships in a row that ended because the stream fails here
	modest   time.Time // until when, after those, no leader is asked to step down
	said     Report    // the last one that was logged, so that a state is logged once
}

// Lead runs the stream under a leadership. It returns when nothing of this leadership runs any
// more, with the reason to release the lease for.
type Lead func(ctx context.Context, l *Leadership) store.ReleaseReason

// NewElector returns an elector. It does nothing until Run.
func NewElector(cfg Config) *Elector {
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Reluctance == nil {
		cfg.Reluctance = func() time.Duration { return 0 }
	}
	if cfg.Report == nil {
		cfg.Report = func(Report) {}
	}
	cfg.Logger = cfg.Logger.With("stream", cfg.Stream)
	return &Elector{cfg: cfg}
}

// Run seeks leadership until stop ends, and calls lead whenever it leads. It is called once.
//
// When stop ends nothing is acquired any more, and Run returns once lead has returned, by itself,
// and the lease was released; renewals go on until then. life bounds everything: when it ends, the
// context of lead does, store calls do, and the lease is left to expire. Run always waits for
// lead.
//
// The context of lead is a child of life. It ends with the cause Config.LostCause when trust does.
func (e *Elector) Run(stop, life context.Context, lead Lead) {
	e.news = e.cfg.Watcher.subscribe(e.cfg.Stream)
	defer e.cfg.Watcher.unsubscribe(e.news)
	defer func() { _, _ = e.line.wait(life, hungAfter) }()
	for {
		granted := e.contend(stop, life)
		if granted == nil {
			return
		}
		e.serve(life, granted, lead)
	}
}

// serve leads under a term, from the first call of lead to the release.
func (e *Elector) serve(life context.Context, granted *grant, lead Lead) {
	began := time.Now()
	ctx, l := newLeadership(life, e.cfg, granted)
	e.tell(Acquired{Term: granted.term})
	reason := e.keepWhile(ctx, l, granted, lead)
	term, lost := l.finish()
	e.ended = max(e.ended, term)
	e.see(term)
	defer e.tell(Ended{Term: term})
	switch {
	case life.Err() != nil, lost == store.Lost:
	case lost != "":
		e.giveBack(life, term)
	default:
		e.release(life, term, reason)
		e.rest = time.Now().Add(min(e.cfg.Heartbeat, restAfterRelease))
	}
	e.yielded(l.Reason(), time.Since(began))
	e.leaveTo(l.leaves(), l.Reason())
	if h := l.held(); h != nil && life.Err() == nil && lost == "" {
		e.tell(Held{Hold: *h}) // not only when it asks again
	}
}

// mostModesty bounds the doubling of the time after a yield.
const mostModesty = 6

// yielded notes why the lease was given back after a leadership that lasted for a while. Whoever
// yields again and again takes a lease that is free after one ttl, but lets a leader of a lower
// priority be for two, four and more of them: it is likely to fail again.
func (e *Elector) yielded(reason store.ReleaseReason, lasted time.Duration) {
	if reason != store.StreamFailing || lasted > e.cfg.TTL<<e.yields {
		e.yields = 0
	}
	if reason == store.StreamFailing {
		e.modest = time.Now().Add(e.cfg.TTL << e.yields)
		e.yields = min(e.yields+1, mostModesty)
	}
}

// leaveTo leaves the lease to others for a while, and says why.
func (e *Elector) leaveTo(l leave, reason store.ReleaseReason) {
	now := time.Now()
	e.sits = now.Add(l.out)
	e.rest = later(e.rest, e.sits)
	e.way, e.wayTo = now.Add(l.wait), l.priority
	if l.out > 0 || l.wait > 0 {
		e.sitsFor = reason
		e.tell(SittingOut{Until: e.rests(), Reason: reason})
	}
}

// rests returns until when the lease is not asked for.
func (e *Elector) rests() time.Time { return later(e.rest, e.way) }

// see notes a term that an answer, the news or a leadership showed.
func (e *Elector) see(term int64) {
	e.seen, e.known = term, max(e.known, term)
}

// keepWhile calls lead and renews the lease until it has returned.
func (e *Elector) keepWhile(
	ctx context.Context, l *Leadership, granted *grant, lead Lead,
) store.ReleaseReason {
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		e.keep(keeping, l, granted)
	}()
	defer func() {
		stop()
		<-kept
	}()
	return lead(ctx, l)
}

const (
	// callLimit bounds a store call where a heartbeat is longer.
	callLimit = 5 * time.Second

	// restAfterRelease is how long an elector that gave its lease back leaves it to others.
	restAfterRelease = time.Second
)

// limit bounds one store call.
func (e *Elector) limit() time.Duration { return min(e.cfg.Heartbeat, callLimit) }

// retry is the wait after the n-th failure in a row, short enough to fit several into the time
// that a lease is trusted.
func (e *Elector) retry(n int) time.Duration {
	p := backoff.Store
	p.Initial = min(p.Initial, e.cfg.Heartbeat/8)
	p.Max = min(p.Max, e.cfg.Heartbeat/2)
	return p.Wait(n)
}
