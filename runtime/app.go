package fw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/internal/observe"
	"github.com/fwgen/fwgen/runtime/internal/presence"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/internal/supervisor"
	"github.com/fwgen/fwgen/runtime/store"
)

// App runs the streams that were added to it, in one process. Make one with [New].
type App struct {
	config   Config
	instance Instance
	state    *mongostore.Store
	observer *observe.Queue      // nil: nobody observes; set by Run
	presence *presence.Announcer // set by Run

	mu      sync.Mutex // guards what follows
	ran     bool
	streams []*deployed // in the order of Add
}

// deployed is a stream of an App.
type deployed struct {
	Stream
	excluded bool               // by Config.Only or Config.Except
	running  *supervisor.Stream // nil before Run, and where the stream does not run here
}

// New returns an App without streams. It does not talk to the server; [App.Run] does.
func New(config Config) (*App, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	instance, err := config.identify()
	if err != nil {
		return nil, err
	}
	stores := mongostore.New(config.StateClient, config.StateDatabase, config.Prefix)
	if config.Leases == nil {
		config.Leases = stores.Leases()
	}
	if config.Checkpoints == nil {
		config.Checkpoints = stores.Checkpoints()
	}
	if config.DeadLetters == nil {
		config.DeadLetters = stores.DeadLetters()
	}
	return &App{config: config, instance: instance, state: stores}, nil
}

// Add adds the stream of a handler, as opts change it. It returns an error that names every fault
// of the stream, or the stream of the same name that was added before. It may not be called after
// [App.Run].
func (a *App) Add(h Handler, opts ...AddOption) error {
	if h == nil {
		return errors.New("fw.App.Add: the handler is nil")
	}
	s := h.FWStream()
	for _, opt := range opts {
		if opt != nil {
			opt(&s)
		}
	}
	name := cmp.Or(s.Name, strings.Join(s.Collections, ","))
	if err := s.Validate(); err != nil {
		return fmt.Errorf("fw.App.Add: stream %q: %w", name, err)
	}
	s = s.withDefaults(a.config)
	if err := a.validateState(s); err != nil {
		return fmt.Errorf("fw.App.Add: stream %q: %w", s.Name, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ran {
		return fmt.Errorf("fw.App.Add: stream %q comes after Run; add every stream before it", s.Name)
	}
	if a.find(s.Name) != nil {
		return fmt.Errorf("fw.App.Add: stream %q is added already: two streams of one name would "+
			"share a lease and a position; give one of them another Name", s.Name)
	}
	a.streams = append(a.streams, &deployed{Stream: s})
	return nil
}

// validateState refuses a stream that would watch, or write dead letters into, what holds the
// state. All collections with the prefix of state collections are taken for that.
func (a *App) validateState(s Stream) error {
	watched, letters := s.Collections[0], s.DLQ.Collection
	prefix := a.config.Prefix + "_"
	here := s.Database == a.config.StateDatabase
	switch {
	case here && strings.HasPrefix(watched, prefix):
		return fmt.Errorf("it watches the state collection %s; its own writes would be its events",
			watched)
	case strings.HasPrefix(letters, prefix) && letters != prefix+"dlq":
		return fmt.Errorf("DLQ.Collection %s is a state collection", letters)
	case here && letters == watched:
		return fmt.Errorf("it would watch its own dead letters in %s", letters)
	}
	return nil
}

// find returns a stream by name, nil if there is none.
func (a *App) find(name string) *deployed {
	for _, d := range a.streams {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// known returns a stream by name, or an error that lists the names there are.
func (a *App) known(name string) (*deployed, error) {
	if d := a.find(name); d != nil {
		return d, nil
	}
	var known []string
	for _, d := range a.streams {
		known = append(known, d.Name)
	}
	return nil, fmt.Errorf("no stream is named %q; there are %s", name, strings.Join(known, ", "))
}

// Start starts a stream that was stopped by hand, or that is declared with autostart=false. It
// does nothing to one that runs, and returns an error for one that has failed.
func (a *App) Start(_ context.Context, stream string) error {
	running, err := a.controlled(stream)
	if err != nil {
		return fmt.Errorf("start stream: %w", err)
	}
	running.Start()
	return nil
}

// Stop stops a stream in this process and returns when it has drained and its lease is released.
// If ctx ends first, or the handler does not return within [Config.DrainTimeout], it returns an
// error that names the handler; the stream then stops when that has returned. Other instances may
// go on with the stream.
func (a *App) Stop(ctx context.Context, stream string) error {
	running, err := a.controlled(stream)
	if err != nil {
		return fmt.Errorf("stop stream: %w", err)
	}
	return running.Stop(ctx)
}

// controlled returns a stream that runs in this process.
func (a *App) controlled(stream string) (*supervisor.Stream, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, err := a.known(stream)
	switch {
	case err != nil:
		return nil, err
	case !a.ran:
		return nil, errors.New("the App does not run yet")
	case d.running == nil && !d.excluded && !d.Disabled:
		return nil, errors.New("the App is being started; it makes its first checks")
	case d.running == nil:
		return nil, fmt.Errorf("stream %s is %s here", stream, d.idleCode())
	}
	if c := d.running.Snapshot().Condition; c.State == state.Failed {
		return nil, fmt.Errorf("stream %s has failed, and is started again by a restart of the "+
			"process: %s", stream, c.Reason)
	}
	return d.running, nil
}

// idleCode says why a stream does not run in this process.
func (d *deployed) idleCode() string {
	if d.excluded {
		return "excluded"
	}
	return "disabled"
}

// report passes a fact on, where somebody observes.
func (a *App) report() func(fact.Fact) {
	if a.observer == nil {
		return nil
	}
	return a.observer.Report
}

// stored is the instance as stores know it.
func (i Instance) stored() store.Instance {
	return store.Instance{Name: i.Name, Host: i.Host, PID: i.PID, Process: i.Process}
}
