package fw

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
)

// Typed returns the dispatcher that decodes documents into T and calls handlers. It is what
// generated code puts into [Stream.Handle].
func Typed[T any](handlers Handlers[T]) Dispatcher { return typed[T]{handlers} }

type typed[T any] struct{ Handlers[T] }

func (typed[T]) dispatcher() {}

// bindable is what every Dispatcher is.
type bindable interface {
	Dispatcher
	// bind makes the handler of a stream of that name.
	bind(stream string, decoding decoding) delivery.Handler
	// check returns an error if nothing is handled.
	check() error
	// wantsUpdates reports whether an update can reach a handler.
	wantsUpdates() bool
}

func (t typed[T]) check() error {
	if t.Insert == nil && t.Update == nil && t.Replace == nil && t.Delete == nil && t.Change == nil {
		return errors.New("no function in Handle; set one of Insert, Update, Replace, " +
			"Delete and Change")
	}
	for i, o := range t.OnError {
		if o.Handle == nil {
			return fmt.Errorf("function %d of Handle.OnError is nil", i)
		}
	}
	return nil
}

func (t typed[T]) wantsUpdates() bool { return t.Update != nil || t.Change != nil }

func (t typed[T]) bind(stream string, d decoding) delivery.Handler {
	bound := binding[T]{Handlers: t.Handlers, stream: stream}
	if bound.Decode == nil || d.custom() {
		bound.Decode = decodeWith[T](d)
	}
	return bound
}

// Plan returns what a stream with this dispatcher declares about its deliveries, as it is
// outside of an App. Package fwtest delivers single events by it.
func (t typed[T]) Plan(s Stream) delivery.Plan {
	return s.withDefaults(Config{Prefix: defaultPrefix}).plan(decoding{}, "fwtest")
}

// binding attempts the events of one stream.
type binding[T any] struct {
	Handlers[T]
	stream string
}

// Attempt decodes, filters and handles an event once.
func (b binding[T]) Attempt(ctx context.Context, d *delivery.Delivery) delivery.Result {
	handle := b.route(d.Event.Operation)
	if handle == nil {
		return delivery.Result{Outcome: fact.Skipped, Reason: "no handler for " + d.Event.Operation}
	}
	ev := b.event(d)
	if len(b.OnError) > 0 {
		d.OnError = func(err error) failure.Action { return b.onError(ctx, err, ev) }
	}
	if err := b.decodeDocs(d, ev); err != nil {
		return delivery.Result{Err: err}
	}
	if b.Filter != nil && !d.Passed && !d.Event.Lifecycle() {
		d.Stage = failure.Filter
		pass, err := b.Filter(ctx, ev)
		if err != nil {
			return delivery.Result{Err: err}
		}
		if !pass {
			return delivery.Result{Outcome: fact.Filtered}
		}
		d.Passed = true
	}
	d.Stage = failure.Handler
	return delivery.Result{Outcome: fact.Handled, Err: handle(ctx, ev)}
}

// route returns who handles an operation, nil if nobody does.
func (b binding[T]) route(operation string) func(context.Context, *Event[T]) error {
	own := b.Change
	switch Operation(operation) {
	case OpInsert:
		own = b.Insert
	case OpUpdate:
		own = b.Update
	case OpDelete:
		own = b.Delete
	case OpReplace:
		own = b.Replace
		if own == nil && b.Change == nil {
			own = b.Update
		}
	}
	if own == nil {
		own = b.Change
	}
	return own
}

// event makes the event of one attempt, without its documents.
func (b binding[T]) event(d *delivery.Delivery) *Event[T] {
	e := &d.Event
	ev := &Event[T]{
		ID: d.ID, Stream: b.stream, Operation: Operation(e.Operation),
		Namespace:   Namespace{Database: e.Database, Collection: e.Collection},
		Key:         e.Key,
		ClusterTime: e.ClusterTime, WallTime: e.WallTime,
		Attempt: d.Attempt, Deferrals: d.Deferrals, FirstAttempt: d.FirstAttempt,
		Term: d.Term(), Raw: e.Raw, delivery: d,
	}
	if e.Session != nil {
		ev.Txn = &Txn{Session: e.Session, Number: e.TxnNumber}
	}
	return ev
}

// decodeDocs decodes what the event carries.
func (b binding[T]) decodeDocs(d *delivery.Delivery, ev *Event[T]) error {
	e := &d.Event
	if e.HasDoc() {
		ev.Doc = new(T)
		if err := b.Decode(e.Doc.Value, ev.Doc); err != nil {
			ev.Doc = nil
			return fmt.Errorf("decode fullDocument: %w", err)
		}
	}
	if e.Before.Type == bson.TypeEmbeddedDocument {
		ev.Before = new(T)
		if err := b.Decode(e.Before.Value, ev.Before); err != nil {
			ev.Before = nil
			return fmt.Errorf("decode fullDocumentBeforeChange: %w", err)
		}
	}
	if ev.Operation == OpUpdate {
		ev.Update = new(UpdateDescription)
		if err := ev.Update.read(e.Update); err != nil {
			return fmt.Errorf("decode updateDescription: %w", err)
		}
	}
	return nil
}

// onError asks the first OnError that matches.
func (b binding[T]) onError(ctx context.Context, err error, ev *Event[T]) failure.Action {
	for _, o := range b.OnError {
		if len(o.Match) == 0 || anyMatch(o.Match, err) {
			return failure.Action(o.Handle(ctx, err, ev))
		}
	}
	return failure.Rethrow
}

// decoding is how documents are decoded, as the configuration says.
type decoding struct{ config Config }

// custom reports whether the application has a registry or options of its own, which only the
// driver's decoder honours.
func (d decoding) custom() bool {
	return d.config.Registry != nil || d.config.BSONOptions != nil
}

// decodeWith returns the driver's decoder.
func decodeWith[T any](d decoding) func(bson.Raw, *T) error {
	if !d.custom() {
		return func(raw bson.Raw, doc *T) error { return bson.Unmarshal(raw, doc) }
	}
	return func(raw bson.Raw, doc *T) error {
		decoder := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(raw)))
		if d.config.Registry != nil {
			decoder.SetRegistry(d.config.Registry)
		}
		d.apply(decoder)
		return decoder.Decode(doc)
	}
}

// apply hands the options of the configuration to a decoder.
func (d decoding) apply(decoder *bson.Decoder) {
	o := d.config.BSONOptions
	if o == nil {
		return
	}
	for _, option := range []struct {
		on  bool
		set func()
	}{
		{o.UseJSONStructTags, decoder.UseJSONStructTags},
		{o.BinaryAsSlice, decoder.BinaryAsSlice},
		{o.DefaultDocumentM, decoder.DefaultDocumentM},
		{o.ObjectIDAsHexString, decoder.ObjectIDAsHexString},
		{o.UseLocalTimeZone, decoder.UseLocalTimeZone},
		{o.ZeroMaps, decoder.ZeroMaps},
		{o.ZeroStructs, decoder.ZeroStructs},
	} {
		if option.on {
			option.set()
		}
	}
}

// read reads an updateDescription.
func (u *UpdateDescription) read(raw bson.Raw) error {
	if raw == nil {
		return nil
	}
	var d struct {
		Updated   bson.Raw `bson:"updatedFields"`
		Removed   []string `bson:"removedFields"`
		Truncated []struct {
			Field   string `bson:"field"`
			NewSize int    `bson:"newSize"`
		} `bson:"truncatedArrays"`
	}
	if err := bson.Unmarshal(raw, &d); err != nil {
		return err
	}
	u.Updated, u.Removed = d.Updated, d.Removed
	for _, t := range d.Truncated {
		u.Truncated = append(u.Truncated, TruncatedArray(t))
	}
	return nil
}

var _ delivery.Handler = binding[bson.Raw]{}
