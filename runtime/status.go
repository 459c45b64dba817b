package fw

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
)

// State is what a stream is doing.
type State string

// The states.
const (
	StateStarting    State = State(state.Starting)    // getting ready
	StateStandby     State = State(state.Standby)     // another instance leads
	StateRunning     State = State(state.Running)     // reading and handling
	StateBackingOff  State = State(state.BackingOff)  // something failed and is tried again
	StateStalled     State = State(state.Stalled)     // an event can't be handled and waits
	StateHeld        State = State(state.Held)        // held by an operator
	StateHistoryLost State = State(state.HistoryLost) // the position is no longer in the oplog
	StateInvalidated State = State(state.Invalidated) // the collection was renamed away
	StateStopped     State = State(state.Stopped)     // see Code: disabled excluded manual operator
	StateFailed      State = State(state.Failed)      // given up
)

// Instance identifies this process.
type Instance struct {
	Name    string // Config.Instance
	Host    string
	Process string // random, new for every App
	PID     int
}

// Status is a snapshot of an [App].
type Status struct {
	Instance Instance
	Streams  []StreamStatus // every stream, in the order of App.Add
}

// StreamStatus is a snapshot of one stream.
type StreamStatus struct {
	Name  string
	State State
	// Since is when it came into this state, NextRetry when it tries again; zero if it does not.
	Since, NextRetry time.Time
	// Code says why, for programs; Reason for people, with what to do.
	Code, Reason string
	// Leader and Term are those of this instance's leadership.
	Leader bool
	Term   int64
	// PositionAge is how long ago the stored position was true; Lag is how far the settled
	// events are behind the server's clock. Zero if unknown.
	PositionAge, Lag time.Duration
	// InFlight counts the events that were read and are not settled.
	InFlight int
	// OldestUnsettled is the id of the event that holds the position.
	OldestUnsettled string
	// Stalled lists the events that wait for another attempt after all of theirs failed.
	Stalled []StalledEvent
	// Attempts counts the attempts, DeadLetters the dead letters, of this process.
	Attempts, DeadLetters int64
}

// StalledEvent is an event that could not be handled and is kept.
type StalledEvent struct {
	EventID  string
	Key      string // the documentKey, as relaxed extended JSON
	Since    time.Time
	NextRun  time.Time // zero: only an operator or a restart asks for another attempt
	Attempts int
	Reason   string
}

// Status returns what every stream is doing in this process. It can be called at any time.
func (a *App) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	status := Status{Instance: a.instance}
	for _, d := range a.streams {
		status.Streams = append(status.Streams, d.status())
	}
	return status
}

func (d *deployed) status() StreamStatus {
	s := StreamStatus{Name: d.Name, State: StateStarting}
	switch {
	case d.running != nil:
		return s.of(d.running.Snapshot())
	case d.excluded:
		s.State, s.Code = StateStopped, "excluded"
		s.Reason = "Config.Only or Config.Except keep it from running in this process"
	case d.Disabled:
		s.State, s.Code = StateStopped, "disabled"
		s.Reason = "declared with enabled=false, or added WithEnabled(false)"
	}
	return s
}

func (s StreamStatus) of(snap supervisor.Snapshot) StreamStatus {
	c := snap.Condition
	s.State, s.Since, s.NextRetry = State(c.State), c.Since, c.NextRetry
	s.Code, s.Reason = c.Code, c.Reason
	s.Leader, s.Term = snap.Leads, snap.Term
	s.PositionAge, s.Lag = snap.PositionAge, snap.Lag
	s.InFlight, s.OldestUnsettled = snap.Load.Unsettled, snap.Load.OldestID
	s.Attempts, s.DeadLetters = snap.Attempts, snap.DeadLetters
	for _, stalled := range snap.Stalled {
		key, err := bson.MarshalExtJSON(stalled.Delivery.Event.Key, false, false)
		if err != nil {
			key = nil
		}
		s.Stalled = append(s.Stalled, StalledEvent{
			EventID: stalled.Delivery.ID, Key: string(key), Since: stalled.Since,
			NextRun: stalled.NextRun, Attempts: stalled.Attempts, Reason: stalled.Reason,
		})
	}
	return s
}
