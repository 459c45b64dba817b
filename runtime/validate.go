package fw

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Validate returns every fault of the stream, joined, each naming the field. It applies the rules
// that fwgen applies to directives. [App.Add] calls it.
func (s Stream) Validate() error {
	v := &validator{}
	s.validateScope(v)
	s.validateHandling(v)
	s.Retry.validate(v)
	s.DLQ.validate(v)
	s.Checkpoint.validate(v)
	s.Lease.validate(v, s.Mode)
	s.Restart.validate(v)
	return errors.Join(v.faults...)
}

type validator struct{ faults []error }

// refuse notes a fault if bad.
func (v *validator) refuse(bad bool, format string, args ...any) {
	if bad {
		v.faults = append(v.faults, fmt.Errorf(format, args...))
	}
}

// later notes a value whose engine this release does not have.
func (v *validator) later(bad bool, field string) {
	v.refuse(bad, "%s is not available in this release", field)
}

// The shortest times that make sense: shorter ones only load the server.
const (
	leastSave = 10 * time.Millisecond
	leastBeat = 100 * time.Millisecond
	// mostPriority bounds a priority both ways.
	mostPriority = 1_000_000
)

// atLeast refuses a duration that is set and shorter than least.
func (v *validator) atLeast(least time.Duration, field string, d time.Duration) {
	v.refuse(d != 0 && d < least, "%s is %s; it must be at least %s", field, d, least)
}

func (s Stream) validateScope(v *validator) {
	v.refuse(s.Name == "" && len(s.Collections) != 1, "Name is empty; set it")
	v.refuse(strings.ContainsAny(s.Name, "/#") || hasControl(s.Name),
		"Name %q must not contain /, # or a control character", s.Name)
	v.later(len(s.Collections) != 1, "a stream of a whole database, or of several collections,")
	for _, c := range s.Collections {
		v.refuse(badCollection(c), "Collections: %q is not a name a collection can have: it must "+
			"not be empty, longer than %d bytes, begin with a dot or system., or contain $ or a "+
			"control character", c, maxCollection)
	}
	v.refuse(badDatabase(s.Database), "Database %q is not a name a database to watch can have: it "+
		"must be shorter than 64 bytes, contain none of /\\. \"$*<>:|? and control characters, and "+
		"not be admin, config or local", s.Database)
	switch s.Mode {
	case "", AllInstances, SingleLeader:
	case Partitioned:
		v.later(true, "Mode partitioned")
	default:
		v.refuse(true, "Mode %q is unknown; use %s or %s", s.Mode, AllInstances, SingleLeader)
	}
}

// maxCollection leaves room for the database in a namespace, which has at most 255 bytes.
const maxCollection = 235

func badCollection(name string) bool {
	return name == "" || len(name) > maxCollection || strings.Contains(name, "$") ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "system.") || hasControl(name)
}

// badDatabase accepts the empty name, which means the default.
func badDatabase(name string) bool {
	return len(name) >= 64 || strings.ContainsAny(name, "/\\. \"$*<>:|?") || hasControl(name) ||
		slices.Contains([]string{"admin", "config", "local"}, name)
}

func hasControl(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
}

func (s Stream) validateHandling(v *validator) {
	if handle, ok := s.Handle.(bindable); ok {
		if err := handle.check(); err != nil {
			v.faults = append(v.faults, err)
		}
	} else {
		v.refuse(true, "Handle is not set; make it with fw.Typed")
	}
	switch s.FullDocument {
	case "", "update_lookup", "off":
	case "when_available", "required":
		v.later(true, "FullDocument "+s.FullDocument)
	default:
		v.refuse(true, "FullDocument %q is unknown; use update_lookup or off", s.FullDocument)
	}
	v.refuse(s.Workers < 0, "Workers is %d; it must be at least 1", s.Workers)
	v.later(s.Workers > 1, "Workers above 1")
	v.later(s.Before != "" && s.Before != "off", "Before")
	v.later(s.Key != "", "Key")
	v.later(s.Oversize != "", "Oversize")
	v.later(s.OnRename != "", "OnRename")
	v.refuse(s.Window < 0, "Window is %d; it must be at least 1", s.Window)
	v.refuse(s.Timeout < 0, "Timeout is %s; it can't be negative", s.Timeout)
	v.refuse(s.Exhausted != "" && s.Exhausted != "stall" && s.Exhausted != "skip",
		"Exhausted %q is unknown; use stall or skip", s.Exhausted)
	v.refuse(s.Exhausted != "" && s.DLQ.Enabled,
		"Exhausted has no effect where dead letters are enabled; leave one of them out")
}

func (p RetryPolicy) validate(v *validator) {
	v.refuse(p.Attempts < 0, "Retry.Attempts is %d; it must be at least 1", p.Attempts)
	validateBackoff(v, "Retry", p.Initial, p.Max, p.Multiplier, p.Jitter)
	p = p.withInitialAndMax()
	v.refuse(p.Max < p.Initial, "Retry.Max %s is below Retry.Initial %s", p.Max, p.Initial)
}

func (p RestartPolicy) validate(v *validator) {
	v.refuse(p.Attempts < 0, "Restart.Attempts is %d; it can't be negative", p.Attempts)
	validateBackoff(v, "Restart", p.Initial, p.Max, p.Multiplier, p.Jitter)
	p = p.withInitialAndMax()
	v.refuse(p.Max < p.Initial, "Restart.Max %s is below Restart.Initial %s", p.Max, p.Initial)
}

func validateBackoff(
	v *validator, field string, initial, limit time.Duration, multiplier, jitter float64,
) {
	v.refuse(initial < 0, "%s.Initial is %s; it can't be negative", field, initial)
	v.refuse(limit < 0, "%s.Max is %s; it can't be negative", field, limit)
	v.refuse(multiplier != 0 && !(multiplier >= 1 && multiplier <= 100),
		"%s.Multiplier is %v; it must be from 1 to 100", field, multiplier)
	v.refuse(!(jitter <= 1), "%s.Jitter is %v; it must be a share of at most 1", field, jitter)
}

func (p DLQPolicy) validate(v *validator) {
	v.refuse(p.Collection != "" && badCollection(p.Collection),
		"DLQ.Collection %q is not a name a collection can have", p.Collection)
	v.refuse(p.OnFailure != "" && !slices.Contains([]string{"block", "stop", "drop"}, p.OnFailure),
		"DLQ.OnFailure %q is unknown; use block", p.OnFailure)
	v.later(p.OnFailure == "stop" || p.OnFailure == "drop", "DLQ.OnFailure "+p.OnFailure)
	v.later(p.Breaker != 0, "DLQ.Breaker")
}

func (p CheckpointPolicy) validate(v *validator) {
	v.refuse(p.Every < 0, "Checkpoint.Every is %d; it must be at least 1", p.Every)
	v.atLeast(leastSave, "Checkpoint.Interval", p.Interval)
	v.atLeast(leastSave, "Checkpoint.Idle", p.Idle)
	v.later(p.Start != "" && p.Start != "now", "Checkpoint.Start "+p.Start)
	v.later(p.OnHistoryLost != "" && p.OnHistoryLost != "stop",
		"Checkpoint.OnHistoryLost "+p.OnHistoryLost)
}

func (p LeasePolicy) validate(v *validator, mode Mode) {
	v.refuse(p != (LeasePolicy{}) && mode != SingleLeader,
		"Lease has no effect in mode %s; set Mode to %s", cmp.Or(mode, AllInstances), SingleLeader)
	v.atLeast(leastBeat, "Lease.TTL", p.TTL)
	v.atLeast(leastBeat, "Lease.Heartbeat", p.Heartbeat)
	v.atLeast(leastBeat, "Lease.Poll", p.Poll)
	ttl, heartbeat := cmp.Or(p.TTL, defaultTTL), cmp.Or(p.Heartbeat, defaultHeartbeat)
	v.refuse(ttl < 3*heartbeat, "Lease.TTL %s is below three heartbeats of %s: "+
		"a leader needs time to try again before its trust ends", ttl, heartbeat)
	v.refuse(max(p.Priority, -p.Priority) > mostPriority,
		"Lease.Priority is %d; it must be from -%d to %[2]d", p.Priority, mostPriority)
}
