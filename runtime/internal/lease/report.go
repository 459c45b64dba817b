package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Report is one of the types below: what an elector tells about itself.
type Report interface{ report() }

// Standby says that somebody else owns the lease. It is reported for every answer that says so, and
// for news of a leader that was not reported yet.
type Standby struct {
	Owner    string
	Term     int64
	Instance store.Instance
	Expires  time.Time // by this process's clock
}

// Held says that nobody may run the stream. It is reported for every answer that says so, for news
// that do, and after a lease was given back because of it.
type Held struct{ Hold store.Hold }

// AttemptFailed says that an attempt at the lease got no answer.
type AttemptFailed struct {
	Err  error
	Next time.Time // when the next attempt is made, by this process's clock
}

// Acquired says that a leadership has begun, or has got a greater term by AcquireAbove.
type Acquired struct {
	Term     int64
	Replaces int64 // the term before, where AcquireAbove got this one
}

// RenewalFailed says that a renewal got no answer. The lease is still trusted, and the renewal is
// repeated.
type RenewalFailed struct {
	Term int64
	Err  error
}

// TrustEnded says that the context of lead has ended before lead returned.
type TrustEnded struct {
	Term   int64
	Reason store.ReleaseReason // RenewalFailed, or Lost if somebody else owns the lease
	Owner  string              // who, if Lost
}

// Released says that the lease was given back.
type Released struct {
	Term   int64
	Reason store.ReleaseReason
}

// ReleaseFailed says that the lease could not be given back. It is left to expire.
type ReleaseFailed struct {
	Term   int64
	Reason store.ReleaseReason
	Err    error
}

// Ended says that a leadership is over, and that its lease was given back or will expire.
type Ended struct{ Term int64 }

// SittingOut says that the lease was handed over and is left to others until a time.
type SittingOut struct {
	Until  time.Time
	Reason store.ReleaseReason // why it was handed over
}

func (Ended) report()         {}
func (SittingOut) report()    {}
func (Standby) report()       {}
func (Held) report()          {}
func (AttemptFailed) report() {}
func (Acquired) report()      {}
func (RenewalFailed) report() {}
func (TrustEnded) report()    {}
func (Released) report()      {}
func (ReleaseFailed) report() {}

// tell reports and logs.
func (e *Elector) tell(r Report) {
	e.log(r)
	e.cfg.Report(r)
}

func (e *Elector) log(r Report) {
	before := e.said
	e.said = r
	log := e.cfg.Logger
	switch r := r.(type) {
	case Standby:
		if b, ok := before.(Standby); !ok || b.Term != r.Term {
			log.Info("standing by", "owner", r.Owner, "term", r.Term)
		}
	case Held:
		if _, ok := before.(Held); !ok {
			log.Info("stream is held", "by", r.Hold.By, "reason", r.Hold.Reason)
		}
	case AttemptFailed:
		level := slog.LevelWarn
		if _, ok := before.(AttemptFailed); ok {
			level = slog.LevelDebug
		}
		log.Log(context.Background(), level, "asking for the lease got no answer", "error", r.Err)
	case Acquired:
		log.Info("leading", "term", r.Term)
	case RenewalFailed:
		log.Warn("renewing the lease got no answer", "term", r.Term, "error", r.Err)
	case TrustEnded:
		log.Warn("lease is no longer trusted", "term", r.Term, "reason", r.Reason, "owner", r.Owner)
	case Released:
		log.Info("lease released", "term", r.Term, "reason", r.Reason)
	case SittingOut:
		log.Info("stream handed over; sitting out", "until", r.Until)
	case ReleaseFailed:
		log.Warn("lease could not be released and will expire", "term", r.Term, "error", r.Err)
	}
}
