package fwtest

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// Outcome is what becomes of an event after an attempt.
type Outcome string

// The outcomes.
const (
	Handled      Outcome = "handled"       // settled
	Filtered     Outcome = "filtered"      // settled: Filter or the pipeline said no
	Skipped      Outcome = "skipped"       // settled: on purpose, or no method is for it
	DeadLettered Outcome = "dead_lettered" // settled: stored as a dead letter
	Retried      Outcome = "retried"       // attempted again after Wait
	Stalled      Outcome = "stalled"       // attempted again from time to time, or when asked
)

// Delivery is an event on its way through a handler.
type Delivery struct {
	// Outcome is that of the last attempt, EventID what the handler saw as Event.ID.
	Outcome Outcome
	EventID string
	// Attempts counts the attempts so far.
	Attempts int
	// Err is what the last attempt failed with; nil if it did not.
	Err error
	// Reason is that of a skip or a dead letter.
	Reason string
	// Wait is the time before the next attempt, where there is one.
	Wait time.Duration
	// Letter is what was stored, where the outcome is DeadLettered.
	Letter *store.DeadLetter

	t        TB
	runner   *delivery.Runner
	delivery *delivery.Delivery
}

// Deliver lets a change happen in a collection of its own, and hands its event to the handler
// once, as the runtime does: with the stream's pipeline and filter, decoding, retry policy and
// OnError methods. Nothing is waited for between attempts; [Delivery.Again] makes the next one.
// Options change the stream as those of fw.App.Add do.
//
// Each Deliver has a server of its own, with nothing else in it, and stores nothing: what the
// handler writes through a client of its own is elsewhere, and a dead letter is in
// [Delivery.Letter]. The handler is called by another goroutine than the test's, one at a time. An
// attempt that takes longer than [Patience] fails the test.
func Deliver(t TB, h fw.Handler, c Change, opts ...fw.AddOption) *Delivery {
	t.Helper()
	s := h.FWStream()
	for _, opt := range opts {
		opt(&s)
	}
	if err := s.Validate(); err != nil {
		t.Fatalf("fwtest: stream %q: %v", s.Name, err)
	}
	event, err := happen(t, s, c)
	if err != nil {
		t.Fatalf("fwtest: %v", err)
	}
	d := &Delivery{t: t}
	if event == nil {
		d.Outcome, d.Reason = Filtered, "the pipeline does not let the event through"
		return d
	}
	d.begin(s, *event)
	d.attempt()
	return d
}

// Again makes the next attempt. It fails the test if there is none, because the event is settled.
func (d *Delivery) Again() *Delivery {
	d.t.Helper()
	if d.Outcome != Retried && d.Outcome != Stalled {
		d.t.Fatalf("fwtest: there is no next attempt: the event is %s", d.Outcome)
	}
	d.attempt()
	return d
}

// happen returns the event of a change, nil where the stream's pipeline hides it.
func happen(t TB, s fw.Stream, c Change) (*change.Event, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	database := "fwtest"
	if s.Database != "" {
		database = s.Database
	}
	server := newServer(t)
	defer server.end()
	in := server.Client().Database(database).Collection(s.Collections[0])
	id, err := c.prepare(ctx, in)
	if err != nil {
		return nil, err
	}
	stream, err := watch(ctx, s, in)
	if err != nil {
		return nil, fmt.Errorf("open the change stream: %w", err)
	}
	defer func() { _ = stream.Close(ctx) }()
	if err := c.happen(ctx, in, id); err != nil {
		return nil, fmt.Errorf("let the change happen: %w", err)
	}
	return next(ctx, stream)
}

func watch(ctx context.Context, s fw.Stream, in *mongo.Collection) (*mongo.ChangeStream, error) {
	opts := options.ChangeStream().SetMaxAwaitTime(time.Millisecond)
	if s.FullDocument != "off" {
		opts.SetFullDocument(options.UpdateLookup)
	}
	pipeline := mongo.Pipeline{}
	if s.Pipeline != nil {
		pipeline = s.Pipeline()
	}
	return in.Watch(ctx, pipeline, opts)
}

// next returns the event that the stream has, if any. The server has it when the write is
// answered; the first call may not ask the server.
func next(ctx context.Context, stream *mongo.ChangeStream) (*change.Event, error) {
	for range 2 {
		if stream.TryNext(ctx) {
			event, err := change.Parse(stream.Current)
			return &event, err
		}
		if err := stream.Err(); err != nil {
			return nil, fmt.Errorf("read the change stream: %w", err)
		}
	}
	return nil, nil
}

// planned is what every dispatcher of package fw is.
type planned interface{ Plan(fw.Stream) delivery.Plan }

func (d *Delivery) begin(s fw.Stream, event change.Event) {
	limits := position.Limits{Window: 1, Bytes: 1, Every: 1}
	tracker := position.NewTracker(limits, change.Token{})
	slot, err := tracker.Event(context.Background(), &event)
	if err != nil {
		d.t.Fatalf("fwtest: %v", err)
	}
	d.delivery = delivery.New(event, slot)
	d.EventID = d.delivery.ID
	d.runner = delivery.NewRunner(delivery.Config{
		Plan: s.Handle.(planned).Plan(s), Term: 1,
		Tracker: tracker, Writer: d.writer(), Board: state.NewBoard(nil),
		Counters: &delivery.Counters{}, Log: slog.New(slog.DiscardHandler), Report: d.report,
	})
}

// attempt makes an attempt in a goroutine of its own, as the runtime does, so that a handler that
// does not return can be told of.
func (d *Delivery) attempt() {
	d.t.Helper()
	d.Err, d.Reason, d.Wait, d.Outcome = nil, "", 0, ""
	d.Attempts++
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	step := make(chan delivery.Next, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		step <- d.runner.Step(ctx, d.delivery)
	}()
	select {
	case <-gone:
	case <-time.After(Patience + time.Second): // the handler has no regard for its context
	}
	d.decided(ctx, step)
}

// decided notes how it goes on with the event.
func (d *Delivery) decided(ctx context.Context, step <-chan delivery.Next) {
	d.t.Helper()
	if ctx.Err() != nil {
		d.t.Fatalf("fwtest: the handler of event %s takes longer than %s", d.EventID, Patience)
	}
	select {
	case next := <-step:
		if next.Done {
			return
		}
		d.Outcome, d.Wait = Retried, max(next.Wait, 0)
		if len(d.runner.Stalled()) > 0 {
			d.Outcome = Stalled
		}
	default:
		d.t.Fatalf("fwtest: the handler of event %s ended its goroutine, as t.FailNow and t.Fatal "+
			"do; use t.Error in a handler", d.EventID)
	}
}

// report notes what the runtime tells observers of the attempt.
func (d *Delivery) report(f fw.Fact) {
	switch f := f.(type) {
	case fact.AttemptFailed:
		d.Err = f.Err
	case fact.EventSettled:
		d.Outcome, d.Reason = Outcome(f.Outcome), f.Reason
	}
}

// writer keeps dead letters in memory.
func (d *Delivery) writer() delivery.Writer { return letters{d} }

type letters struct{ d *Delivery }

func (l letters) DeadLetter(_ context.Context, letter store.DeadLetter) error {
	l.d.Letter = &letter
	return nil
}

func (letters) Flush(context.Context) error { return nil }
