package fwtest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

var errClosed = errors.New("the bank is closed")

// handling returns a stream whose handler answers what each says, in turn.
func handling(answers ...error) fw.Stream {
	n := -1
	return stream(func(context.Context, *fw.Event[order]) error {
		n++
		return answers[min(n, len(answers)-1)]
	})
}

func TestDeliverSaysWhatBecomesOfAnEvent(t *testing.T) {
	t.Parallel()
	insert := fwtest.Insert(order{ID: 1, Cents: 5})
	for _, test := range []struct {
		name   string
		stream fw.Stream
		change fwtest.Change
		want   fwtest.Outcome
		reason string
	}{
		{"nil", handling(nil), insert, fwtest.Handled, ""},
		{"an error", handling(errClosed), insert, fwtest.Retried, ""},
		{"skip", handling(fw.Skip("too small")), insert, fwtest.Skipped, "too small"},
		{"permanent", handling(fw.Permanent(errClosed)), insert, fwtest.DeadLettered, ""},
		{"dead letter", handling(fw.DeadLetter("odd", errClosed)), insert, fwtest.DeadLettered, "odd"},
		{"no method", handling(nil), fwtest.Delete(order{ID: 1}), fwtest.Skipped,
			"no handler for delete"},
		{"filter", filtering(), insert, fwtest.Filtered, ""},
		{"pipeline", hiding(), insert, fwtest.Filtered,
			"the pipeline does not let the event through"},
		{"undecodable", handling(nil), fwtest.Insert(bson.M{"_id": 1, "cents": "x"}),
			fwtest.DeadLettered, ""},
		{"stall", stalling(), insert, fwtest.Stalled, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := fwtest.Deliver(t, test.stream, test.change)
			if d.Outcome != test.want || d.Reason != test.reason {
				t.Errorf("%s (%s), want %s (%s)", d.Outcome, d.Reason, test.want, test.reason)
			}
		})
	}
}

func filtering() fw.Stream {
	s := handling(nil)
	s.Handle = fw.Typed(fw.Handlers[order]{
		Insert: func(context.Context, *fw.Event[order]) error { return nil },
		Filter: func(context.Context, *fw.Event[order]) (bool, error) { return false, nil },
	})
	return s
}

func hiding() fw.Stream {
	s := handling(nil)
	s.Pipeline = func() mongo.Pipeline {
		return mongo.Pipeline{{{Key: "$match", Value: bson.D{{Key: "fullDocument.cents", Value: 6}}}}}
	}
	return s
}

func stalling() fw.Stream {
	s := handling(errClosed)
	s.Retry, s.DLQ = fw.RetryPolicy{}, fw.DLQPolicy{}
	return s
}

func TestDeliveryGoesOnAttemptByAttempt(t *testing.T) {
	t.Parallel()
	d := fwtest.Deliver(t, handling(errClosed, fw.RetryAfter(time.Hour, errClosed), errClosed),
		fwtest.Insert(order{ID: 1}))
	if d.Outcome != fwtest.Retried || d.Wait != time.Minute || !errors.Is(d.Err, errClosed) {
		t.Fatalf("first: %s after %v: %v", d.Outcome, d.Wait, d.Err)
	}
	if d.Again(); d.Outcome != fwtest.Retried || d.Wait != time.Hour {
		t.Fatalf("deferred: %s after %v", d.Outcome, d.Wait)
	}
	if d.Again(); d.Outcome != fwtest.Retried || d.Wait != 2*time.Minute {
		t.Fatalf("second: %s after %v", d.Outcome, d.Wait)
	}
	if d.Again(); d.Outcome != fwtest.DeadLettered || d.Letter == nil || d.Letter.Attempts != 3 {
		t.Fatalf("third: %s, letter %+v", d.Outcome, d.Letter)
	}
}

func TestDeliveredEventIsThatOfTheChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    fwtest.Change
		operation fw.Operation
		cents     int
		changed   bool
	}{
		"insert": {fwtest.Insert(order{1, 5}), fw.OpInsert, 5, false},
		"update": {fwtest.Update(order{1, 5}, bson.M{"$inc": bson.M{"cents": 1}}), fw.OpUpdate, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *fw.Event[order]
			d := fwtest.Deliver(t, stream(func(_ context.Context, ev *fw.Event[order]) error {
				got = ev
				return nil
			}), test.change)
			switch {
			case got == nil:
				t.Fatalf("%s: %v", d.Outcome, d.Err)
			case got.Operation != test.operation, got.Doc.Cents != test.cents,
				got.Update.Changed("cents") != test.changed, got.ID != d.EventID, got.Attempt != 1:
				t.Errorf("%+v, document %+v", got, got.Doc)
			}
		})
	}
}

func TestHandlerThatDoesNotReturnFailsTheTest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		for name, handle := range map[string]func(ctx context.Context){
			"ends with its context": func(ctx context.Context) { <-ctx.Done() },
			"goes on for ever":      func(context.Context) { <-release },
		} {
			said := failing(func(tb fwtest.TB) {
				fwtest.Deliver(tb, stream(func(ctx context.Context, _ *fw.Event[order]) error {
					handle(ctx)
					return ctx.Err()
				}), fwtest.Insert(order{ID: 1}))
			})
			t.Log(name)
			wantSaid(t, said, "the handler of event ", "takes longer than 30s")
		}
	})
}

func TestWhatCannotBeDeliveredSaysWhy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		broken := stream(nothing)
		broken.Retry.Attempts = -1
		for _, bundle := range []struct {
			stream fw.Stream
			change fwtest.Change
			said   []string
		}{
			{broken, fwtest.Insert(order{}), []string{`stream "orders"`, "Retry.Attempts"}},
			{stream(nothing), fwtest.Insert(5), []string{"let the change happen"}},
			{stream(nothing), fwtest.Change{}, []string{"an empty Change; Insert"}},
			{stream(nothing), fwtest.Update(order{1, 5}, bson.M{"$set": bson.M{"cents": 5}}),
				[]string{"the update changes nothing, so there is no event"}},
			{stream(nothing), fwtest.Update(5, bson.M{}), []string{"store the document as it was"}},
			{stream(func(context.Context, *fw.Event[order]) error {
				runtime.Goexit()
				return nil
			}), fwtest.Insert(order{}), []string{"t.Fatal", "use t.Error"}},
		} {
			wantSaid(t, failing(func(tb fwtest.TB) {
				fwtest.Deliver(tb, bundle.stream, bundle.change)
			}), bundle.said...)
		}
		wantSaid(t, failing(func(tb fwtest.TB) {
			fwtest.Deliver(tb, stream(nothing), fwtest.Insert(order{})).Again()
		}), "no next attempt: the event is handled")
	})
}

func TestOptionsChangeWhatIsDelivered(t *testing.T) {
	t.Parallel()
	d := fwtest.Deliver(t, handling(errClosed), fwtest.Insert(order{}),
		fw.WithRetry(fw.RetryPolicy{Attempts: 1}))
	if d.Outcome != fwtest.DeadLettered || d.Attempts != 1 {
		t.Errorf("%s after %d attempts, want a dead letter after one", d.Outcome, d.Attempts)
	}
}
