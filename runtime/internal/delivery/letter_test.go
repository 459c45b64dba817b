package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestB102DeadLetterThatCannotBeWrittenBlocksItsEvent(t *testing.T) {
	calls := 0
	h := func(context.Context, *delivery.Delivery) error { calls++; return errBroken }
	run(t, h, func(b *bundle) {
		b.writer.fail = func(call int) error {
			if call <= 3 {
				return errors.New("no primary")
			}
			return nil
		}
		d := b.deliver()
		for try := range 3 {
			next := b.step(b.Context(), d)
			if next.Done || next.Wait <= 0 {
				t.Fatalf("after try %d it goes on with %+v", try+1, next)
			}
			b.wantUnsettled()
			if got := b.Board.Current(); got.State != state.BackingOff ||
				got.Code != "dead_letter_blocked" {
				t.Errorf("state: got %+v", got)
			}
			time.Sleep(next.Wait)
		}
		b.drive(b.Context(), d, 1)
		b.wantSettled(fact.DeadLettered)
		b.wantState(state.Running)
		if calls != 1 {
			t.Errorf("the handler was called %d times, want once", calls)
		}
		if letter := b.one(); letter.Attempts != 1 {
			t.Errorf("attempts: got %d, want 1", letter.Attempts)
		}
		if got := b.logs.count("level=ERROR"); got != 1 { // B148
			t.Errorf("logged %d errors, want one:\n%s", got, b.logs.String())
		}
	}, withDLQ)
}

func TestB102DeadLetterIsTriedForEver(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error { return errBroken }
	run(t, h, func(b *bundle) {
		b.writer.fail = func(int) error { return errors.New("no primary") }
		waits := b.drive(b.Context(), b.deliver(), 500)
		if len(waits) != 500 {
			t.Errorf("given up after %d tries", len(waits))
		}
		if last := waits[499]; last > 6*time.Second || last < 4*time.Second {
			t.Errorf("wait after 500 tries: got %s, want about 5s", last)
		}
		b.wantUnsettled()
	}, withDLQ)
}

func TestDeadLetterOfAnEndedLeadershipIsLeftToTheNextLeader(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"fenced": store.ErrFenced, "missing": fmt.Errorf("write: %w", store.ErrMissing),
		"context": context.Canceled,
	} {
		t.Run(name, func(t *testing.T) {
			h := func(context.Context, *delivery.Delivery) error { return errBroken }
			run(t, h, func(b *bundle) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				b.writer.fail = func(int) error {
					if err == context.Canceled {
						cancel()
					}
					return err
				}
				if next := b.step(ctx, b.deliver()); !next.Done {
					t.Errorf("it goes on with %+v", next)
				}
				b.wantUnsettled()
				b.wantState(state.Running)
			}, withDLQ)
		})
	}
}

func TestB112EveryKindOfFailureBecomesADeadLetterOfItsKind(t *testing.T) {
	t.Parallel()
	for kind, h := range map[failure.Kind]handle{
		failure.Decode: func(_ context.Context, d *delivery.Delivery) error {
			d.Stage = failure.Decode
			return errBroken
		},
		failure.Filter: func(_ context.Context, d *delivery.Delivery) error {
			d.Stage = failure.Filter
			return errBroken
		},
		failure.Handler: func(context.Context, *delivery.Delivery) error { return errBroken },
		failure.Panic:   func(context.Context, *delivery.Delivery) error { panic(errBroken) },
		failure.Timeout: func(ctx context.Context, _ *delivery.Delivery) error {
			<-ctx.Done()
			return errBroken
		},
	} {
		t.Run(string(kind), func(t *testing.T) {
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 5)
				letter := b.one()
				if letter.Error.Kind != string(kind) || letter.History[0].Kind != string(kind) {
					t.Errorf("kind: got %s, and %s in the history", letter.Error.Kind,
						letter.History[0].Kind)
				}
				b.wantSettled(fact.DeadLettered)
			}, withDLQ, withTimeout(time.Second))
		})
	}
}

func TestDeadLetterHasEverythingThatAReplayNeeds(t *testing.T) {
	h := func(_ context.Context, d *delivery.Delivery) error {
		d.Set("order", "A-1")
		return fmt.Errorf("bill: %w", &brokenError{"no such customer"})
	}
	run(t, h, func(b *bundle) {
		key := bson.D{{Key: "_id", Value: "k"}}
		lsid := bson.D{{Key: "id", Value: 1}}
		e := readertest.Event(1, "update",
			bson.E{Key: "documentKey", Value: key},
			bson.E{Key: "fullDocument", Value: nil},
			bson.E{Key: "fullDocumentBeforeChange", Value: key},
			bson.E{Key: "updateDescription", Value: bson.D{{Key: "updatedFields", Value: key}}},
			bson.E{Key: "lsid", Value: lsid}, bson.E{Key: "txnNumber", Value: int64(4)},
		)
		began := time.Now()
		b.drive(b.Context(), b.deliverEvent(e), 5)
		raw := func(v any) bson.Raw {
			out, err := bson.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := store.DeadLetter{
			Collection: "_fw_dlq", ID: "orders/" + e.ID(), Stream: "orders", Operation: "UPDATE",
			Term: 7, InstanceID: "blue/1", DocumentKey: raw(key),
			FullDocument:             bson.RawValue{Type: bson.TypeNull, Value: []byte{}},
			FullDocumentBeforeChange: bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw(key)},
			UpdateDescription:        raw(bson.D{{Key: "updatedFields", Value: key}}),
			Namespace:                e.Namespace, ClusterTime: e.ClusterTime, WallTime: e.WallTime,
			Txn:         raw(bson.D{{Key: "lsid", Value: lsid}, {Key: "txnNumber", Value: int64(4)}}),
			ResumeToken: e.Token.Raw, Metadata: raw(bson.D{{Key: "order", Value: "A-1"}}),
			Error: store.DeadLetterError{Type: "*delivery_test.brokenError", Kind: "handler",
				Message: "bill: no such customer"},
			History: []store.FailedAttempt{
				{At: began, Kind: "handler", Message: "bill: no such customer"},
				{At: began.Add(time.Second), Kind: "handler", Message: "bill: no such customer"},
			},
			Attempts: 2, FirstAttemptAt: began, LastAttemptAt: began.Add(time.Second),
			Retention: time.Hour,
		}
		if diff := cmp.Diff(want, b.one()); diff != "" {
			t.Errorf("dead letter (-want +got):\n%s", diff)
		}
	}, withAttempts(2), withDLQ)
}

func TestHistoryHoldsTheLastTenAttempts(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]bool{"exhausted": false, "sent": true} {
		t.Run(name, func(t *testing.T) {
			h := func(ctx context.Context, d *delivery.Delivery) error {
				if send && d.Attempt == 14 {
					return d.SendToDLQ(ctx, "attempt 14")
				}
				return fmt.Errorf("attempt %d", d.Attempt)
			}
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 20)
				history := b.one().History
				if len(history) != 10 || history[0].Message != "attempt 5" ||
					history[9].Message != "attempt 14" {
					t.Errorf("history: got %d attempts, from %q to %q, want the 5th to the 14th",
						len(history), history[0].Message, history[len(history)-1].Message)
				}
			}, withAttempts(14), withDLQ)
		})
	}
}

func TestExplicitDeadLetterNeedsNoDeclaration(t *testing.T) {
	h := func(context.Context, *delivery.Delivery) error {
		return &failure.DeadLetterError{Reason: "fraud", Err: errBroken}
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 5)
		letter := b.one()
		if letter.Collection != "_fw_dlq" || letter.Error.Message != "fraud: broken" {
			t.Errorf("got %q in %s", letter.Error.Message, letter.Collection)
		}
		b.wantSettled(fact.DeadLettered)
	}, withAttempts(9))
}

func TestMetadataStaysWithTheEventAcrossAttempts(t *testing.T) {
	h := func(_ context.Context, d *delivery.Delivery) error {
		if v, ok := d.Get("attempts"); ok != (d.Attempt > 1) || ok && v != d.Attempt-1 {
			t.Errorf("attempt %d: got %v, %t", d.Attempt, v, ok)
		}
		d.Set("attempts", d.Attempt)
		return errBroken
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 5)
		if got := b.one().Metadata.Lookup("attempts").AsInt64(); got != 3 {
			t.Errorf("stored: got %d, want 3", got)
		}
	}, withAttempts(3), withDLQ)
}

// fierce panics when it is encoded.
type fierce struct{}

func (fierce) MarshalBSONValue() (byte, []byte, error) { panic("on the loose") }

func TestMetadataThatCannotBeStoredIsReplacedByWhy(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"channel": make(chan int), "panics": fierce{}, "nil pointer": (*fierce)(nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := func(_ context.Context, d *delivery.Delivery) error {
				d.Set("bad", value)
				d.Set("no\x00key", "kept")
				d.Set("good", "kept")
				return errBroken
			}
			run(t, h, func(b *bundle) {
				b.drive(b.Context(), b.deliver(), 5)
				meta := b.one().Metadata
				if got := meta.Lookup("good"); got.StringValue() != "kept" {
					t.Errorf("the good value: got %v", got)
				}
				if got := meta.Lookup("no\uFFFDkey"); got.StringValue() != "kept" {
					t.Errorf("the value of a key that can't be: got %v", got)
				}
				if got, ok := meta.Lookup("bad").StringValueOK(); name != "nil pointer" && !ok {
					t.Errorf("the bad value: got %q", got)
				}
				b.wantSettled(fact.DeadLettered)
			}, withDLQ)
		})
	}
}

func TestSendToDLQSettlesWhateverTheHandlerReturns(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]func() error{
		"nil":   func() error { return nil },
		"error": func() error { return errBroken },
		"retry": func() error { return &failure.RetryAfterError{Delay: time.Second} },
		"skip":  func() error { return &failure.SkipError{} },
		"panic": func() error { panic("on the loose") },
	} {
		t.Run(name, func(t *testing.T) {
			h := func(ctx context.Context, d *delivery.Delivery) error {
				if err := d.SendToDLQ(ctx, "fraud"); err != nil {
					t.Errorf("send: %v", err)
				}
				if err := d.SendToDLQ(ctx, "fraud"); err == nil {
					t.Error("sent twice")
				}
				return result()
			}
			run(t, h, func(b *bundle) {
				if waits := b.drive(b.Context(), b.deliver(), 5); len(waits) != 0 {
					t.Errorf("it goes on after %v", waits)
				}
				b.wantSettled(fact.DeadLettered)
				letter := b.one()
				if letter.Error.Message != "fraud" || letter.Error.Kind != "handler" ||
					len(letter.History) != 1 || letter.Attempts != 1 {
					t.Errorf("dead letter: got %+v", letter)
				}
				late := int64(1)
				if name == "nil" {
					late = 0
				}
				if got := b.counters.LateErrors.Load(); got != late {
					t.Errorf("late errors: got %d, want %d", got, late)
				}
			}, withAttempts(3))
		})
	}
}

func TestErrorOfSendToDLQIsTheHandlersToSee(t *testing.T) {
	h := func(ctx context.Context, d *delivery.Delivery) error {
		if err := d.SendToDLQ(ctx, "fraud"); !errors.Is(err, errBroken) {
			t.Errorf("got %v, want the store's error", err)
		}
		return nil
	}
	run(t, h, func(b *bundle) {
		b.writer.fail = func(int) error { return errBroken }
		b.drive(b.Context(), b.deliver(), 5)
		b.wantSettled(fact.Handled)
		if b.writer.calls != 1 {
			t.Errorf("writes: got %d, want one", b.writer.calls)
		}
	})
}

func TestCheckpointSettlesNowAndSaves(t *testing.T) {
	var b *bundle
	h := func(ctx context.Context, d *delivery.Delivery) error {
		if err := d.Checkpoint(ctx); err != nil {
			t.Errorf("checkpoint: %v", err)
		}
		if !b.settled() || b.writer.flushes != 1 {
			t.Error("the event is not settled and saved when Checkpoint returns")
		}
		return errBroken
	}
	run(t, h, func(running *bundle) {
		b = running
		if waits := b.drive(b.Context(), b.deliver(), 5); len(waits) != 0 {
			t.Errorf("a later error is retried after %v", waits)
		}
		b.wantSettled(fact.Handled)
		if b.counters.LateErrors.Load() != 1 || b.logs.count("level=ERROR") != 1 {
			t.Errorf("the later error is not logged and counted once:\n%s", b.logs.String())
		}
		if b.writer.calls != 0 {
			t.Error("a later error became a dead letter")
		}
	}, withAttempts(3), withDLQ)
}

func TestCheckpointTellsThatThePositionIsNotSaved(t *testing.T) {
	h := func(ctx context.Context, d *delivery.Delivery) error {
		if err := d.Checkpoint(ctx); !errors.Is(err, errBroken) {
			t.Errorf("got %v, want the store's error", err)
		}
		return nil
	}
	run(t, h, func(b *bundle) {
		b.writer.flush = errBroken
		b.drive(b.Context(), b.deliver(), 5)
		b.wantSettled(fact.Handled)
	})
}

func TestEventIsSettledOnce(t *testing.T) {
	h := func(ctx context.Context, d *delivery.Delivery) error {
		return errors.Join(d.SendToDLQ(ctx, "fraud"), d.Checkpoint(ctx), d.Checkpoint(ctx))
	}
	run(t, h, func(b *bundle) {
		b.drive(b.Context(), b.deliver(), 5)
		b.wantSettled(fact.DeadLettered)
		if handled := b.counters.Handled.Load(); handled != 0 {
			t.Errorf("counted as handled, too: %d", handled)
		}
		if b.writer.flushes != 2 {
			t.Errorf("saves: got %d, want one for each Checkpoint", b.writer.flushes)
		}
	})
}
