package supervisor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// read reads until the session stops, or until the reader meets what it can't cure.
func (c *session) read(source reader.Source, config reader.Config) {
	config.Source, config.Sink = source, sink{c}
	config.Backoff, config.Attempts = c.stream.Restart, c.stream.RestartAttempts
	err := reader.New(config).Run(c.stop)
	if err == nil {
		return
	}
	s := c.stream
	s.report(fact.ReaderFailed{Stream: s.fact(), Err: err, Class: string(classOf(err))})
	c.show(func(b *state.Board) {
		c.lost = classOf(err) == reader.Lost
		b.Set(c.terminal(err))
	})
	if class := classOf(err); class != reader.Lost && class != reader.Invalidated {
		c.end(errGaveUp)
	}
}

// terminal says what a stream shows whose reader met what it can't cure.
func (c *session) terminal(err error) state.Condition {
	switch classOf(err) {
	case reader.Lost:
		stored, _ := c.writer.Stored()
		return state.Condition{State: state.HistoryLost, Code: "position_lost",
			Reason: fmt.Sprintf("%v; the stored position of cluster time %d can't be resumed and "+
				"is kept; events since then may be lost: to begin again at now, delete the checkpoint "+
				"%q of this stream, then stop it and start it again; if the pipeline of the stream "+
				"removes or changes _id, mend that instead", err, stored.ClusterTime.T, c.stream.CheckpointID)}
	case reader.Invalidated:
		return state.Condition{State: state.Invalidated, Code: "renamed",
			Reason: "a rename took the collection away, or put another in its place, and the stream " +
				"has ended there; stop it and start it again to go on with the collection of that name"}
	default:
		return state.Condition{State: state.Failed, Code: "reader_gave_up",
			Reason: fmt.Sprintf("%v; restart attempts are used up", err)}
	}
}

func classOf(err error) reader.Class {
	if e, ok := errors.AsType[*reader.Error](err); ok {
		return e.Class
	}
	return reader.Transient
}

// sink takes what the reader reads into a session.
type sink struct{ c *session }

// Began stores where a new stream begins.
func (k sink) Began(ctx context.Context, token change.Token) error {
	at := token.Time()
	err := k.c.writer.Start(ctx, store.Position{
		Token: token.Raw, Kind: store.PositionStart, ClusterTime: at,
	})
	if err == nil {
		k.c.showOpening()
	}
	return err
}

// showOpening shows a stream whose position is stored: what is written from now on is not missed,
// though the server has not answered yet, which takes a second where nothing happens.
func (c *session) showOpening() {
	c.show(func(b *state.Board) {
		b.Set(state.Condition{State: state.Starting, Code: "opening",
			Reason: "the position is stored; waiting for the first answer of the change stream"})
	})
}

// Event tracks an event and puts it on its lane.
func (k sink) Event(ctx context.Context, e change.Event) error {
	slot, err := k.c.tracker.Event(ctx, &e)
	if err != nil {
		return err
	}
	k.c.lane.Submit(delivery.New(e, slot))
	k.c.caughtUp.set(time.Time{})
	return nil
}

// Marker tracks a post-batch resume token.
func (k sink) Marker(token change.Token, kind store.PositionKind, caughtUp bool) {
	k.c.tracker.Marker(token, kind)
	if caughtUp {
		k.c.caughtUp.set(time.Now())
	}
}

// Opened shows a stream that reads.
func (k sink) Opened() {
	s := k.c.stream
	k.c.opened = true
	k.c.show(func(b *state.Board) {
		b.Clear(state.Reader)
		b.Set(state.Condition{State: state.Running})
	})
	s.report(fact.ReaderOpened{Stream: s.fact()})
}

// Failed shows a stream that will be opened again, here or by another instance.
func (k sink) Failed(class reader.Class, err error, failures int, wait time.Duration) {
	s := k.c.stream
	s.Log.Warn("change stream failed; opening it again", "class", class, "wait", wait, "error", err)
	condition := state.Condition{State: state.BackingOff, Code: string(class),
		NextRetry: time.Now().Add(wait), Reason: fmt.Sprintf("the change stream failed: %v", err)}
	k.c.show(func(b *state.Board) {
		if k.c.opened {
			b.Trouble(state.Reader, condition)
		} else {
			b.Set(condition)
		}
	})
	s.report(fact.ReaderFailed{Stream: s.fact(), Class: string(class), Err: err, Retry: wait})
	k.c.failing(failures)
}

// Settled counts the events that are settled.
func (k sink) Settled() uint64 { return k.c.tracker.Watermark().Settled }

// caughtUp is when the server last had nothing more.
type caughtUp struct {
	mu sync.Mutex // guards at
	at time.Time  // zero: events came since
}

func (c *caughtUp) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func (c *caughtUp) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// foreign reports whether a position was stored by another deployment. Only like is compared with
// like: an identity is a kind and a value, as replicaSetId:… or setName:…, and which kind can be
// read depends on the rights of the day.
func foreign(stored, now store.Scope) bool {
	storedKind, _, _ := strings.Cut(stored.Deployment, ":")
	kind, _, _ := strings.Cut(now.Deployment, ":")
	return stored.Deployment != "" && storedKind == kind && stored.Deployment != now.Deployment
}

func (c *session) refuseForeign(stored, now store.Scope) {
	c.stream.board.Set(state.Condition{State: state.HistoryLost, Code: "foreign_deployment",
		Reason: fmt.Sprintf("the stored position belongs to deployment %s, and this is %s; it is "+
			"kept: to begin again at now, delete the checkpoint %q of this stream, then stop it and "+
			"start it again",
			stored.Deployment, now.Deployment, c.stream.CheckpointID)})
}
