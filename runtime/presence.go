package fw

import (
	"time"

	"github.com/fwgen/fwgen/runtime/internal/presence"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

// announcer makes what announces this process. It needs to know which streams are excluded.
func (a *App) announcer() *presence.Announcer {
	config := presence.Config{
		Store: a.state.Instances(), Process: a.process(), Log: a.config.Logger,
		Leads: a.leads, Stopped: a.stopped,
	}
	if a.config.Spread {
		config.HandOver = a.handOver
	}
	return presence.New(config)
}

// leads returns the streams that this instance leads.
func (a *App) leads() (names []string) {
	for _, d := range a.here() {
		if d.running != nil && d.running.Leads() {
			names = append(names, d.Name)
		}
	}
	return names
}

// stopped returns the streams that could run here and are stopped by hand, or have failed.
func (a *App) stopped() (names []string) {
	for _, d := range a.here() {
		if d.running == nil {
			continue
		}
		switch d.running.State() {
		case state.Stopped, state.Failed:
			names = append(names, d.Name)
		}
	}
	return names
}

// handOver hands a stream over to another instance that leads fewer.
func (a *App) handOver(stream string) {
	a.config.Logger.Info("handing a stream over to an instance that leads fewer", "stream", stream)
	if running, err := a.controlled(stream); err == nil {
		running.HandOver()
	}
}

const (
	// reluctance, for each stream that this instance leads, lets those take a free lease first that
	// lead fewer. It is longer than the jitter among equals.
	reluctance = 25 * time.Millisecond
	// mostReluctance keeps a take-over within its bound.
	mostReluctance = 10 * reluctance
)

// reluctant returns how long this instance leaves a free lease to others.
func (a *App) reluctant() time.Duration {
	return min(time.Duration(len(a.leads()))*reluctance, mostReluctance)
}

// process is what this process says of itself.
func (a *App) process() presence.Process {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := presence.Process{Instance: a.instance.stored(), Version: presence.Built()}
	for _, d := range a.streams {
		switch {
		case d.excluded:
			p.Excluded = append(p.Excluded, d.Name)
		case d.Disabled:
			p.Disabled = append(p.Disabled, d.Name)
		default:
			p.Streams = append(p.Streams, presence.Stream{
				Name: d.Name, Mode: string(d.Mode), Priority: d.Lease.Priority,
			})
		}
	}
	return p
}
