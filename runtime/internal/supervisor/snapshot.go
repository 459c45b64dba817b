package supervisor

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

// Snapshot is what a stream is doing.
type Snapshot struct {
	Condition   state.Condition
	Leads       bool
	Term        int64
	Load        position.Load
	Stalled     []delivery.Stalled
	PositionAge time.Duration
	Lag         time.Duration
	Attempts    int64
	DeadLetters int64
}

// Snapshot returns what the stream is doing now.
func (s *Stream) Snapshot() Snapshot {
	s.mu.Lock()
	snap := Snapshot{Leads: s.leads}
	if s.leads {
		snap.Term = s.term // until there is a session, which may have a greater one
	}
	current := s.session
	s.mu.Unlock()
	snap.Condition = s.board.Current()
	snap.Attempts, snap.DeadLetters = s.counters.Attempts.Load(), s.counters.DeadLetters.Load()
	if current == nil {
		return snap
	}
	snap.Term = current.term
	snap.Leads = snap.Leads && current.leadership.Trusted()
	snap.Load = current.tracker.Load()
	snap.Stalled = current.runner.Stalled()
	stored, _ := current.writer.Stored()
	snap.PositionAge = age(stored.ClusterTime)
	snap.Lag = current.lag(snap.Load)
	current.showRetry(&snap.Condition)
	return snap
}

// State returns what the stream is doing now.
func (s *Stream) State() state.State { return s.board.Current().State }

// Leads reports whether this instance leads the stream.
func (s *Stream) Leads() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leads
}

// showRetry shows, of a stream that is well otherwise, the event that waits for its next attempt.
// It is not on the board: events that wait come and go too often to be told of as states.
func (c *session) showRetry(condition *state.Condition) {
	if condition.State != state.Running || condition.Code != "" {
		return
	}
	if d, until := c.lane.Waiting(); d != nil {
		condition.Code, condition.NextRetry = "retrying", until
		condition.Reason = fmt.Sprintf("event %s waits for its next attempt", d.ID)
	}
}

// lag is how far the settled events are behind: the time since the server last had nothing more,
// if everything is settled, else the age of the oldest unsettled event.
func (c *session) lag(load position.Load) time.Duration {
	if load.Unsettled > 0 {
		return age(load.OldestAt)
	}
	if at := c.caughtUp.get(); !at.IsZero() {
		return time.Since(at)
	}
	return age(c.tracker.Watermark().Position().ClusterTime)
}

// age is how long ago a cluster time was, 0 if it is not known or not over yet.
func age(at bson.Timestamp) time.Duration {
	if at.T == 0 {
		return 0
	}
	return max(time.Since(time.Unix(int64(at.T), 0)), 0)
}
