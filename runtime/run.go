package fw

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/observe"
	"github.com/fwgen/fwgen/runtime/internal/state"
)

const (
	// checkTimeout bounds the checks at the start of Run.
	checkTimeout = 10 * time.Second
	// abandonAfter is how long after DrainTimeout handlers have to notice that their context ended.
	abandonAfter = 5 * time.Second
	// observerPatience is how long Run waits for the observer to take its last facts.
	observerPatience = time.Second
)

// Run runs the streams until ctx ends, which is the graceful stop: nothing more is read, handlers
// keep a live context for [Config.DrainTimeout], positions are saved and leases released. A clean
// stop returns nil. Handlers that have not returned 5 s after their context ended are named in the
// error, and their leases are left to expire.
//
// Run first checks, for at most 10 s, that the server is there, can serve change streams and lets
// the user do what the streams need, and returns the error if not. After that nothing is terminal
// for Run: a stream that fails stays in [App.Status]. Run returns early only when every stream has
// failed or does not run here, naming the failed ones. It can be called once.
func (a *App) Run(ctx context.Context) error {
	if err := a.begin(); err != nil {
		return fmt.Errorf("fw.App.Run: %w", err)
	}
	var notices sync.WaitGroup
	defer notices.Wait()
	noticing, enough := context.WithCancel(ctx)
	defer enough()
	server, err := a.check(ctx, noticing, &notices)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("fw.App.Run: %w", err)
	}
	if a.config.Observer != nil {
		a.observer = observe.NewQueue(a.config.Observer.Observe, a.config.Logger)
		defer a.observer.Close(observerPatience)
	}
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(failure.ErrStopping)
	watcher := lease.NewWatcher(a.config.Leases, a.config.Logger)
	a.presence = a.announcer()
	a.assemble(server, watcher, clock.From(ctx))
	return a.supervise(ctx, life, end, watcher)
}

// begin marks the App as run and settles which streams run here.
func (a *App) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.ran:
		return errors.New("it was called before; make another App")
	case len(a.streams) == 0:
		return errors.New("there are no streams; call App.Add first")
	}
	a.ran = true
	for _, list := range [][]string{a.config.Only, a.config.Except} {
		for _, name := range list {
			if _, err := a.known(name); err != nil {
				return fmt.Errorf("Config.Only or Config.Except (FW_ONLY, FW_EXCEPT): %w", err)
			}
		}
	}
	for _, d := range a.streams {
		d.excluded = a.excludes(d.Name)
	}
	return nil
}

// supervise runs the streams, and what serves them, until all of them are over.
func (a *App) supervise(
	ctx, life context.Context, end context.CancelCauseFunc, watcher *lease.Watcher,
) error {
	serving, stopServing := context.WithCancel(life)
	// A stop needs neither, and the watch takes a second to end, as readers do.
	defer context.AfterFunc(ctx, stopServing)()
	var served, streams sync.WaitGroup
	served.Go(func() { watcher.Run(serving) })
	served.Go(func() { a.prepare(serving) })
	served.Go(func() { a.presence.Run(life) }) // a process that drains is still there
	over := make(chan struct{})
	for _, d := range a.streams {
		if d.running != nil {
			streams.Go(func() { d.running.Run(ctx, life) })
		}
	}
	go func() {
		streams.Wait()
		close(over)
	}()
	err := a.await(ctx, over)
	stopServing()
	end(failure.ErrStopping)
	served.Wait()
	a.closeState()
	return err
}

// await waits until every stream is over, or a stop takes longer than it may.
func (a *App) await(ctx context.Context, over <-chan struct{}) error {
	select {
	case <-over:
	case <-ctx.Done():
		patience := time.NewTimer(a.config.DrainTimeout + abandonAfter)
		defer patience.Stop()
		select {
		case <-over:
		case <-patience.C:
			return a.abandoned()
		}
	}
	return a.failed(ctx)
}

// abandoned names the handlers that did not return.
func (a *App) abandoned() error {
	var busy []string
	for _, d := range a.streams {
		if d.running != nil {
			if handler := d.running.Busy(""); handler != "" {
				busy = append(busy, fmt.Sprintf("stream %s: %s", d.Name, handler))
			}
		}
	}
	if len(busy) == 0 {
		busy = []string{"the server did not answer"}
	}
	return fmt.Errorf("fw.App.Run: not stopped within %s: %s; leases are left to expire",
		a.config.DrainTimeout+abandonAfter, strings.Join(busy, "; "))
}

// failed names the streams that failed, where that is why Run is over.
func (a *App) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	var failed []string
	for _, d := range a.streams {
		if d.running == nil {
			continue
		}
		if c := d.running.Snapshot().Condition; c.State == state.Failed {
			failed = append(failed, fmt.Sprintf("%s (%s)", d.Name, c.Reason))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("fw.App.Run: every stream has ended; failed: %s", strings.Join(failed, "; "))
}

// prepare makes collections and indexes, again and again until it succeeds. Streams run meanwhile:
// the server makes collections by itself, and without indexes nothing expires yet.
func (a *App) prepare(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		err := a.prepareOnce(ctx)
		a.showPrepared(err)
		if err == nil {
			return
		}
		if n == 1 && ctx.Err() == nil {
			a.config.Logger.Warn("state collections not prepared; trying again", "error", err)
		}
		backoff.Sleep(ctx, backoff.Store.Wait(n))
	}
}

func (a *App) prepareOnce(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := a.state.Prepare(bounded); err != nil {
		return fmt.Errorf("prepare state collections: %w", err)
	}
	for _, d := range a.streams {
		if d.running == nil {
			continue
		}
		if err := a.config.DeadLetters.Prepare(bounded, d.DLQ.Collection); err != nil {
			return fmt.Errorf("prepare dead letters of stream %s: %w", d.Name, err)
		}
	}
	return nil
}

func (a *App) showPrepared(err error) {
	for _, d := range a.streams {
		if d.running != nil {
			d.running.ShowSetup(err)
		}
	}
}

// closeState gives back what the stores hold in the server.
func (a *App) closeState() {
	bounded, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := a.state.Close(bounded); err != nil {
		a.config.Logger.Debug("state not closed", "error", err)
	}
}
