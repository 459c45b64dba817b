package lease

import (
	"sync"
	"time"
)

// Rounds lets the renewals of all leases of a process go out at the same moments, one round per
// heartbeat, each in a call of its own: a lease whose call is slow delays no other, and every call
// brings its own verdict. Leases of different heartbeats are renewed in rounds of their own.
type Rounds struct {
	mu    sync.Mutex // guards began
	began time.Time  // of the first round
}

// round returns the last moment of a round until latest, or latest where there are no rounds.
func (e *Elector) round(latest time.Time) time.Time {
	r := e.cfg.Rounds
	if r == nil {
		return latest
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began.IsZero() {
		r.began = latest
	}
	past := latest.Sub(r.began) % e.cfg.Heartbeat
	if past < 0 {
		past += e.cfg.Heartbeat
	}
	return latest.Add(-past)
}
