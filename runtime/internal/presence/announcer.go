package presence

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
)

const (
	// Heartbeat is the time between two announcements, unless a Config says otherwise.
	Heartbeat = 15 * time.Second

	// lifetime is for how many heartbeats an announcement counts. Two may be lost, and a third one
	// be slow, before a process seems dead.
	lifetime = 4

	// callTimeout bounds a call of the store, leaveTimeout the last one of a process that stops.
	callTimeout  = 10 * time.Second
	leaveTimeout = time.Second
)

// Store keeps what processes announce. Every call ends by the deadline of its context.
type Store interface {
	// Announce stores that a process is there and will be for ttl from now. up is how long it has
	// been there.
	Announce(ctx context.Context, p Process, up, ttl time.Duration) error
	// Retract removes what a process has announced.
	Retract(ctx context.Context, id string) error
	// Named returns the processes under the name of an instance, live or not.
	Named(ctx context.Context, name string) ([]Listed, error)
	// List returns all processes that are announced, live or not.
	List(ctx context.Context) ([]Listed, error)
	// OtherLive reports whether a live process other than id deploys a stream that is not stopped
	// there.
	OtherLive(ctx context.Context, id, stream string) (bool, error)
}

// Config is what an [Announcer] needs.
type Config struct {
	Store     Store
	Process   Process
	Heartbeat time.Duration // defaults to [Heartbeat]
	Log       *slog.Logger

	// Leads tells which streams the process leads now. Defaults to none.
	Leads func() []string
	// Stopped tells which streams are stopped by hand now, or have failed. Defaults to none.
	Stopped func() []string
	// HandOver is told of a stream that the process should hand over, so that streams are spread.
	// It must not block. Nil: they are not.
	HandOver func(stream string)
}

// Announcer keeps a process announced. Make one with [New].
type Announcer struct {
	config Config
	began  time.Time
	warned bool // of a namesake; used by Run alone
	failed int  // announcements in a row that failed; used by Run alone
}

// New returns an Announcer of a process that begins now.
func New(config Config) *Announcer {
	config.Heartbeat = cmp.Or(config.Heartbeat, Heartbeat)
	return &Announcer{config: config, began: time.Now()}
}

// Run announces the process until ctx ends, and then takes the announcement back, for which it
// takes a second at most. It reports by the log alone: nothing depends on whether it succeeds.
func (a *Announcer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := a.announce(ctx)
		backoff.Sleep(ctx, wait)
	}
	a.leave(ctx)
}

// OtherLive reports whether another live process deploys a stream.
func (a *Announcer) OtherLive(ctx context.Context, stream string) (bool, error) {
	return a.config.Store.OtherLive(ctx, a.config.Process.ID(), stream)
}

// announce makes one announcement and returns the time until the next.
func (a *Announcer) announce(ctx context.Context) time.Duration {
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	heartbeat, own := a.config.Heartbeat, a.config.Process
	if a.config.Leads != nil {
		own.Leads = a.config.Leads()
	}
	if a.config.Stopped != nil {
		own.Stopped = a.config.Stopped()
	}
	err := a.config.Store.Announce(bounded, own, time.Since(a.began), lifetime*heartbeat)
	if err != nil {
		a.failed++
		if a.failed == 1 && ctx.Err() == nil {
			a.config.Log.Warn("this process is not announced; trying again", "error", err)
		}
		return min(heartbeat, a.again().Wait(a.failed))
	}
	a.failed = 0
	if !a.warned {
		a.lookForNamesakes(bounded)
	}
	if a.config.HandOver != nil && len(own.Leads) > 1 {
		a.spread(bounded, own)
	}
	return heartbeat
}

// spread hands over the streams that others are to have. What can't be read now is looked at again
// at the next heartbeat.
func (a *Announcer) spread(ctx context.Context, own Process) {
	listed, err := a.config.Store.List(ctx)
	if err != nil {
		return
	}
	for _, stream := range Excess(own, listed, rand.IntN) {
		a.config.HandOver(stream)
	}
}

// again is the backoff of an announcement that failed.
func (a *Announcer) again() backoff.Policy {
	return backoff.Policy{
		Initial: a.config.Heartbeat / 8, Max: a.config.Heartbeat, Multiplier: 2, Jitter: 0.2,
	}
}

// lookForNamesakes warns of another process under the same name, once. What can't be read now is
// looked for at the next heartbeat.
func (a *Announcer) lookForNamesakes(ctx context.Context) {
	own := a.config.Process
	listed, err := a.config.Store.Named(ctx, own.Instance.Name)
	if err != nil {
		return
	}
	for _, other := range Namesakes(listed)[own.Instance.Name] {
		if other.ID() == own.ID() {
			continue
		}
		a.warned = true
		a.config.Log.Warn("another live process has the same instance name: positions of "+
			"all_instances streams are kept by that name, and each fences the other; set "+
			"Config.Instance or FW_INSTANCE to a name that no other process has",
			"instance", own.Instance.Name, "process", own.Instance.Process,
			"other", other.Instance.Process, "host", other.Instance.Host,
			"pid", other.Instance.PID)
		return
	}
}

// leave takes the announcement back. Where it can't, the announcement expires.
func (a *Announcer) leave(ctx context.Context) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if err := a.config.Store.Retract(bounded, a.config.Process.ID()); err != nil {
		a.config.Log.Debug("the announcement of this process is left to expire", "error", err)
	}
}
