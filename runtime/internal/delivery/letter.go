package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// writeLetter tries to write the delivery's dead letter. One that can't be written blocks its
// event, and is tried until it is written or the leadership ends.
func (r *Runner) writeLetter(ctx context.Context, d *Delivery) Next {
	bounded, cancel := context.WithTimeout(ctx, letterTimeout)
	defer cancel()
	err := r.Writer.DeadLetter(bounded, *d.letter)
	switch {
	case err == nil:
		r.Board.Clear(state.DeadLetters)
		r.Log.Warn("event became a dead letter", "event", d.ID, "attempt", d.Attempt,
			"kind", d.letter.Error.Kind, "error", d.letter.Error.Message)
		r.settle(d, fact.DeadLettered, d.reason)
		return Next{Done: true}
	case ctx.Err() != nil, errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrMissing):
		r.forget(d)
		return Next{Done: true} // unsettled: the leadership is over
	}
	d.retries++
	wait := backoff.Store.Wait(d.retries)
	if d.retries == 1 {
		r.Log.Error("dead letter not written; trying again", "event", d.ID, "error", err)
	}
	r.report(fact.DeadLetterFailed{Stream: r.fact(), EventID: d.ID, Err: err})
	r.Board.Trouble(state.DeadLetters, state.Condition{
		Code: "dead_letter_blocked", NextRetry: time.Now().Add(wait),
		Reason: fmt.Sprintf("the dead letter of event %s can't be written: %v", d.ID, err),
	})
	return Next{Wait: wait}
}

// compose makes the dead letter of an event as it is now.
func (r *Runner) compose(d *Delivery, f failed) store.DeadLetter {
	if r.Letters.OmitStack {
		f.stack = ""
	}
	e := &d.Event
	letter := store.DeadLetter{
		Collection: r.Letters.Collection, ID: r.LetterID + "/" + d.ID, Stream: r.Stream,
		Operation: strings.ToUpper(e.Operation), Term: r.Term, InstanceID: r.InstanceID,
		DocumentKey: e.Key, FullDocument: e.Doc, FullDocumentBeforeChange: e.Before,
		UpdateDescription: e.Update, Namespace: e.Namespace, ClusterTime: e.ClusterTime,
		WallTime: e.WallTime, ResumeToken: e.Token.Raw, Metadata: r.marshalMetadata(d),
		Error: store.DeadLetterError{
			Type: errorType(f.err), Kind: string(f.kind), Message: f.err.Error(),
			StackTrace: f.stack,
		},
		History: d.history, Attempts: d.Attempt,
		FirstAttemptAt: d.FirstAttempt, LastAttemptAt: d.lastAttempt,
		Retention: r.Letters.Retention, OmitDocument: r.Letters.OmitDocument,
	}
	if e.Session != nil {
		letter.Txn, _ = bson.Marshal(bson.D{
			{Key: "lsid", Value: e.Session}, {Key: "txnNumber", Value: e.TxnNumber},
		})
	}
	return letter
}

// marshalMetadata encodes what handlers kept with the event; a value that can't be stored is
// replaced by why, since a dead letter is never refused.
func (r *Runner) marshalMetadata(d *Delivery) bson.Raw {
	meta := d.metadata()
	raw, err := marshal(meta)
	if err == nil {
		return raw
	}
	kept := make(map[string]any, len(meta))
	for key, value := range meta {
		key = strings.ReplaceAll(key, "\x00", "\uFFFD") // which no key can have
		if _, err := marshal(bson.D{{Key: key, Value: value}}); err != nil {
			value = fmt.Sprintf("not stored: %v", err)
		}
		kept[key] = value
	}
	raw, err = marshal(kept)
	if err != nil {
		r.Log.Error("metadata not stored", "event", d.ID, "error", err)
	}
	return raw
}

// marshal encodes values of the application, whose own methods may panic.
func marshal(v any) (raw bson.Raw, err error) {
	defer func() {
		if p := recover(); p != nil {
			raw, err = nil, &failure.PanicError{Value: p}
		}
	}()
	return bson.Marshal(v)
}

// errorType names the type of the error that matters, below what only wraps it: the runtime's own
// words and fmt.Errorf.
func errorType(err error) string {
	for {
		name := fmt.Sprintf("%T", err)
		inner := errors.Unwrap(err)
		if inner == nil || name != "*fmt.wrapError" && !strings.HasPrefix(name, "*failure.") {
			return name
		}
		err = inner
	}
}

// sendToDLQ stores the event as a dead letter from inside its handler.
func (r *Runner) sendToDLQ(ctx context.Context, d *Delivery, reason string) error {
	if d.isSettled() {
		return errors.New("send to dead letters: the event is settled already")
	}
	bounded, cancel := context.WithTimeout(ctx, letterTimeout)
	defer cancel()
	letter := r.compose(d, failed{err: errors.New(reason), kind: failure.Handler})
	letter.History = d.historyWith(failure.Handler, reason)
	if err := r.Writer.DeadLetter(bounded, letter); err != nil {
		return fmt.Errorf("send to dead letters: %w", err)
	}
	r.settle(d, fact.DeadLettered, reason)
	return nil
}

// checkpoint settles the event from inside its handler and saves the position.
func (r *Runner) checkpoint(ctx context.Context, d *Delivery) error {
	r.settle(d, fact.Handled, "")
	if err := r.Writer.Flush(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// late deals with what a handler returned after it had settled its event itself.
func (r *Runner) late(d *Delivery, err error) {
	if err == nil {
		return
	}
	r.Counters.LateErrors.Add(1)
	r.Log.Error("handler failed after it had settled its event", "event", d.ID,
		"attempt", d.Attempt, "error", err)
}
