package presence

import (
	"slices"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Process is what a process says of itself.
type Process struct {
	Instance store.Instance
	Version  Version
	Streams  []Stream // that run here, or may
	Leads    []string // names of the streams that it led then
	Stopped  []string // names of those that were stopped by hand then, or had failed
	Disabled []string // names of streams that are declared so
	Excluded []string // names of streams that the configuration keeps from this process
}

// Stream is a stream that a process deploys.
type Stream struct {
	Name, Mode string
	Priority   int // of the process among those that may lead it
}

// ID tells a process from all others, of any time: the name of the instance and the random part,
// as the owner of a lease.
func (p Process) ID() string { return p.Instance.Name + "/" + p.Instance.Process }

// deploys reports whether a stream runs in the process, or could at once.
func (p Process) deploys(stream string) bool {
	_, ok := p.stream(stream)
	return ok && !slices.Contains(p.Stopped, stream)
}

func (p Process) stream(name string) (Stream, bool) {
	n := slices.IndexFunc(p.Streams, func(s Stream) bool { return s.Name == name })
	if n < 0 {
		return Stream{}, false
	}
	return p.Streams[n], true
}

// Listed is a process as of an answer of the server, whose clock all times are of.
type Listed struct {
	Process
	StartedAt   time.Time
	HeartbeatAt time.Time
	TTL         time.Duration // how long an announcement counts
	ExpiresIn   time.Duration // zero or less: the process has ended, or can't reach the server
}

// Live reports whether the process has announced itself recently enough.
func (l Listed) Live() bool { return l.ExpiresIn > 0 }

// Nowhere returns those of the streams that no live process deploys, in their order.
func Nowhere(listed []Listed, streams []string) (nowhere []string) {
	for _, stream := range streams {
		if !deployed(listed, stream) {
			nowhere = append(nowhere, stream)
		}
	}
	return nowhere
}

func deployed(listed []Listed, stream string) bool {
	for _, l := range listed {
		if l.Live() && l.deploys(stream) {
			return true
		}
	}
	return false
}

// Namesakes returns the processes that are live at the same time under one instance name, by that
// name. A process that was killed counts as live for a while, and its successor's name is rightly
// the same: two are namesakes only if each has announced itself after the other began.
func Namesakes(listed []Listed) map[string][]Listed {
	found := map[string][]Listed{}
	for _, one := range listed {
		for _, other := range listed {
			if namesakes(one, other) {
				name := one.Instance.Name
				found[name] = append(found[name], one)
				break
			}
		}
	}
	return found
}

func namesakes(one, other Listed) bool {
	return one.Instance.Name == other.Instance.Name && one.ID() != other.ID() &&
		one.Live() && other.Live() &&
		one.HeartbeatAt.After(other.StartedAt) && other.HeartbeatAt.After(one.StartedAt)
}
