package fw

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// GeneratedABI1 ties a generated file to a runtime that understands it. Generated code refers to
// it, so that a runtime that is too old for the file, or too new, does not compile with it.
const GeneratedABI1 = 1

// NoDocument is the reason of an event that was skipped because a handler asked for a document
// and the event had none any more: an update whose document was deleted before the server looked
// it up. The delete follows as an event of its own.
const NoDocument = "the document no longer exists"

// Handler is what [App.Add] takes. fwgen writes FWStream for every struct with a directive;
// a [Stream] that was built by hand is a Handler too.
type Handler interface {
	FWStream() Stream
}

// Dispatcher decodes the events of a stream and calls its handlers. [Typed] makes one.
type Dispatcher interface {
	dispatcher()
}

// Handlers are the functions that handle the events of one stream, with documents of type T.
//
// A nil function means that the stream does not handle that operation: its events are settled as
// skipped. There are two exceptions: Change takes every operation without a function of its own,
// and a replace goes to Update where neither Replace nor Change is set.
type Handlers[T any] struct {
	// Decode decodes a document. Defaults to the driver's decoder, with the registry and the
	// options of [Config].
	Decode func(bson.Raw, *T) error

	Insert, Update, Replace, Delete func(context.Context, *Event[T]) error

	// Change handles every operation that has no function of its own, drop, dropDatabase and
	// rename included.
	Change func(context.Context, *Event[T]) error

	// Filter decides, once per delivery and after decoding, whether an event is handled at all.
	// It is never asked about drop, dropDatabase and rename. Defaults to handling everything.
	Filter func(context.Context, *Event[T]) (bool, error)

	// OnError are asked, in order, what to do about an error; the first that matches answers.
	OnError []OnError[T]
}

// OnError decides about errors that match.
type OnError[T any] struct {
	Match  []ErrorMatch // empty: any error
	Handle func(context.Context, error, *Event[T]) ErrorAction
}

// ErrorAction is what an [OnError] wants done about an error.
type ErrorAction int

const (
	// ActionRethrow applies the declared policy, as if there had been no OnError.
	ActionRethrow ErrorAction = iota
	// ActionRetry attempts the event again while attempts are left, whatever the policy's On and
	// Except say. It can't revive a permanent error or one of decoding.
	ActionRetry
	// ActionSkip settles the event as skipped.
	ActionSkip
	// ActionDLQ stores the event as a dead letter at once.
	ActionDLQ
)
