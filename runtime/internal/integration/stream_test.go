package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// A stream with a function for every operation: each is called for its own, with what belongs to
// it.
func TestEveryOperationReachesItsFunction(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		var calls recorder
		var faults []string // of the handlers, which run alone
		called := func(function fw.Operation) func(context.Context, *fw.Event[item]) error {
			return func(ctx context.Context, ev *fw.Event[item]) error {
				if fault := wrong(function, ev, b.db.Name()); fault != "" {
					faults = append(faults, fmt.Sprintf("%s: %s: %+v", function, fault, *ev))
				}
				return calls.handle(ctx, ev)
			}
		}
		s := stream(mode, &calls)
		s.Handle = fw.Typed(fw.Handlers[item]{
			Insert: called(fw.OpInsert), Update: called(fw.OpUpdate), Replace: called(fw.OpReplace),
			Delete: called(fw.OpDelete), Change: called(fw.OpDrop),
		})
		a := b.run(fw.Config{}, s)
		a.awaitPosition(checkpointID(mode))
		b.insert(1)
		calls.expect(a, 1) // else the update would look up a later document
		_, err := b.items.UpdateByID(b.Context(), 1, bson.M{"$set": bson.M{"n": 7}})
		must(b, err)
		calls.expect(a, 1, 1)
		_, err = b.items.ReplaceOne(b.Context(), bson.M{"_id": 1}, item{1, 8})
		must(b, err)
		_, err = b.items.DeleteOne(b.Context(), bson.M{"_id": 1})
		must(b, err)
		must(b, b.items.Drop(b.Context()))
		calls.expect(a, 1, 1, 1, 1, nil)
		a.stop()
		for _, fault := range faults {
			b.Error(fault)
		}
		ids := map[string]bool{}
		for i, s := range calls.all() {
			want := []fw.Operation{fw.OpInsert, fw.OpUpdate, fw.OpReplace, fw.OpDelete, fw.OpDrop}[i]
			if s.op != want || s.attempt != 1 || s.term != 1 {
				b.Errorf("event %d is %+v, want %s", i, s, want)
			}
			ids[s.event] = true
		}
		if len(ids) != 5 {
			b.Errorf("the events have the ids %v, want five", ids)
		}
	})
}

// wrong says what is wrong with an event that reached the function for an operation.
func wrong(function fw.Operation, ev *fw.Event[item], database string) string {
	docs := map[fw.Operation]*item{
		fw.OpInsert: {int32(1), 0}, fw.OpUpdate: {int32(1), 7}, fw.OpReplace: {int32(1), 8},
	}
	want := docs[function]
	switch {
	case ev.Operation != function:
		return "the wrong function"
	case (ev.Doc == nil) != (want == nil), want != nil && *ev.Doc != *want:
		return fmt.Sprintf("document %+v, want %+v", ev.Doc, want)
	case (ev.Update != nil) != (function == fw.OpUpdate):
		return "an update description is missing, or too much"
	case ev.Update.Changed("n") != (function == fw.OpUpdate):
		return "the changed fields"
	case (ev.Key != nil) == (function == fw.OpDrop):
		return "the key"
	case ev.Namespace != (fw.Namespace{Database: database, Collection: "items"}):
		return "the namespace"
	case ev.Stream != "items", ev.ClusterTime.T == 0, ev.WallTime.IsZero(), ev.FirstAttempt.IsZero(),
		ev.Raw == nil, ev.Replayed, ev.Txn != nil, ev.Deferrals != 0, ev.Before != nil:
		return "one of the rest"
	}
	return ""
}

func TestB049ReplaceGoesToUpdateWhereNothingElseTakesIt(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var update, change recorder
	onlyUpdate := stream(fw.AllInstances, &update)
	onlyUpdate.Name = "update"
	onlyUpdate.Handle = fw.Typed(fw.Handlers[item]{Update: update.handle})
	withChange := stream(fw.AllInstances, &change)
	withChange.Name = "change"
	var updates recorder
	withChange.Handle = fw.Typed(fw.Handlers[item]{Update: updates.handle, Change: change.handle})
	a := b.run(fw.Config{}, onlyUpdate, withChange)
	a.awaitPosition("update#one")
	a.awaitPosition("change#one")
	b.insert(1)
	_, err := b.items.ReplaceOne(b.Context(), bson.M{"_id": 1}, item{1, 2})
	must(b, err)
	update.expect(a, 1)
	change.expect(a, 1, 1) // the insert, too
	for _, s := range []seen{update.all()[0], change.all()[1]} {
		if s.op != fw.OpReplace || s.doc == nil || s.doc.N != 2 {
			b.Errorf("event %+v, want the replace with its document", s)
		}
	}
	if n := updates.count(); n > 0 {
		b.Errorf("Update was called for %d events, though there is Change", n)
	}
}

// An update whose document is gone by the time it is looked up arrives without it. The generated
// guard skips it; the delete follows.
func TestB026UpdateOfADocumentThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	facts := &observed{}
	var r recorder
	s := stream(fw.SingleLeader, &r)
	s.Handle = fw.Typed(fw.Handlers[item]{
		Update: func(ctx context.Context, ev *fw.Event[item]) error {
			if ev.Doc == nil { // as generated code has it
				return fw.Skip(fw.NoDocument)
			}
			return r.handle(ctx, ev)
		},
		Delete: r.handle,
	})
	a := b.run(fw.Config{Observer: facts}, s)
	a.awaitPosition("items")
	a.stop() // so that everything has happened before the server looks
	b.insert(1)
	_, err := b.items.UpdateByID(b.Context(), 1, bson.M{"$set": bson.M{"n": 7}})
	must(b, err)
	_, err = b.items.DeleteOne(b.Context(), bson.M{"_id": 1})
	must(b, err)
	a = b.run(fw.Config{Observer: facts}, s)
	r.expect(a, 1)
	if s := r.all()[0]; s.op != fw.OpDelete || s.doc != nil {
		b.Errorf("event %+v, want the delete", s)
	}
	a.stop()
	var outcomes []fact.Outcome
	for _, f := range facts.of("EventSettled") {
		outcomes = append(outcomes, f.(fact.EventSettled).Outcome)
	}
	want := []fact.Outcome{fact.Skipped, fact.Skipped, fact.Handled} // nobody takes the insert
	if !slices.Equal(outcomes, want) {
		b.Errorf("outcomes %v, want %v", outcomes, want)
	}
}

func TestB031KeysMayBeOfAnyType(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	uuid := bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")}
	keys := []any{
		int32(42), int64(1 << 40), "x", uuid, bson.D{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}},
		bson.D{{Key: "b", Value: int32(2)}, {Key: "a", Value: int32(1)}}, bson.NewObjectID(), 3.5, true,
	}
	var r recorder
	var got []bson.RawValue
	r.also = func(_ context.Context, ev *fw.Event[item]) error {
		got = append(got, ev.Key.Lookup("_id"))
		return nil
	}
	s := stream(fw.SingleLeader, &r)
	s.Handle = fw.Typed(fw.Handlers[item]{Insert: r.handle, Delete: r.handle})
	a := b.run(fw.Config{}, s)
	a.awaitPosition("items")
	b.insert(keys...)
	for _, key := range keys {
		_, err := b.items.DeleteOne(b.Context(), bson.M{"_id": key})
		must(b, err)
	}
	eventually(b, patience, atLeast("events", 2*len(keys), r.count), a)
	a.stop()
	for i, raw := range got {
		kind, want, err := bson.MarshalValue(keys[i%len(keys)])
		must(b, err)
		if raw.Type != kind || string(raw.Value) != string(want) {
			b.Errorf("key %d is %v, want %v", i, raw, keys[i%len(keys)])
		}
	}
}

// What a handler returns decides alone about its event; the next ones are not touched.
func TestResultsOfHandlersAreObeyed(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	facts := &observed{}
	var r recorder
	r.also = func(_ context.Context, ev *fw.Event[item]) error {
		switch ev.Doc.ID {
		case "skip":
			return fw.Skip("not ours")
		case "letter":
			return fw.DeadLetter("by hand", errors.New("why"))
		case "permanent":
			return fmt.Errorf("wrapped: %w", fw.Permanent(errors.New("for ever")))
		case "later":
			if ev.Deferrals < 2 {
				return fw.RetryAfter(0, nil)
			}
		case "panic":
			mark(nil)
		case "second":
			if ev.Attempt < 2 {
				return errors.New("once more")
			}
		}
		return nil
	}
	s := stream(fw.SingleLeader, &r)
	s.Retry.Attempts = 2
	s.DLQ.Enabled = true
	a := b.run(fw.Config{Observer: facts}, s)
	a.awaitPosition("items")
	b.insert("skip", "letter", "permanent", "later", "panic", "second", "fine")
	r.expect(a, "skip", "letter", "permanent", "later", "later", "later", "panic", "panic",
		"second", "second", "fine")
	a.stop()
	var told []string
	for _, f := range facts.of("EventSettled") {
		e := f.(fact.EventSettled)
		told = append(told, fmt.Sprintf("%s/%d", e.Outcome, e.Attempts))
	}
	want := []string{"skipped/1", "dead_lettered/1", "dead_lettered/1", "handled/1",
		"dead_lettered/2", "handled/2", "handled/1"}
	if !slices.Equal(told, want) {
		b.Errorf("outcomes and attempts %v, want %v", told, want)
	}
	for i, text := range []string{"by hand", "for ever", "nil map"} {
		letters := deadLettersOf(b, b.db, "items")
		if len(letters) != 3 || !strings.Contains(letters[i].Error.Message, text) {
			b.Errorf("dead letter %d of %+v does not say %q", i, letters, text)
		}
	}
}

// Interrupted is not failed: a stop that ends a handler's context leaves no trace of the attempt.
func TestB108StopDoesNotCountAsFailure(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		begun := make(chan struct{}, 1)
		cause := make(chan error, 1)
		first := recorder{also: func(ctx context.Context, _ *fw.Event[item]) error {
			begun <- struct{}{}
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return ctx.Err()
		}}
		s := stream(mode, &first)
		s.DLQ.Enabled = mode == fw.SingleLeader
		if !s.DLQ.Enabled {
			s.Exhausted = "skip"
		}
		a := b.run(fw.Config{DrainTimeout: 1}, s)
		a.awaitPosition(checkpointID(mode))
		b.insert(1, 2)
		<-begun
		a.stop()
		if err := <-cause; !errors.Is(err, fw.ErrStopping) {
			b.Errorf("the cause is %v, want ErrStopping", err)
		}
		if letters := deadLettersOf(b, b.db, "items"); len(letters) > 0 {
			b.Errorf("dead letters %+v", letters)
		}
		var second recorder
		s = stream(mode, &second)
		a = b.run(fw.Config{}, s)
		second.expect(a, 1, 2)
		if second.all()[0].event != first.all()[0].event || second.all()[0].attempt != 1 {
			b.Errorf("event %+v, then %+v", first.all()[0], second.all()[0])
		}
	})
}

// mark writes to a map, which panics for one that was never made.
func mark(seen map[string]int) { seen["x"] = 1 }
