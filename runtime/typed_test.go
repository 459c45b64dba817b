package fw

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/change"
)

// order is the document of the tests.
type order struct {
	ID     any             `bson:"_id"`
	N      int32           `bson:"n"`
	Total  bson.Decimal128 `bson:"total"`
	Amount float64         `bson:"amount"`
	Tags   []string        `bson:"tags"`
	Text   string          `bson:"s"`
}

var errBroken = errors.New("broken")

// calls notes which functions of a handler were called.
type calls struct {
	mu   sync.Mutex // guards list
	list []string
}

func (c *calls) note(name string) func(context.Context, *Event[order]) error {
	return func(_ context.Context, ev *Event[order]) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, name+" "+string(ev.Operation))
		return nil
	}
}

func (c *calls) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.list); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func insertOf(h *harness, fields ...bson.E) change.Event {
	doc := append(bson.D{{Key: "_id", Value: 1}}, fields...)
	return h.oplog.Add("insert", bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: 1}}},
		bson.E{Key: "fullDocument", Value: doc})
}

func TestEveryOperationGoesToItsFunction(t *testing.T) {
	var c calls
	run(t, Stream{Handle: Typed(Handlers[order]{
		Insert: c.note("Insert"), Update: c.note("Update"), Replace: c.note("Replace"),
		Delete: c.note("Delete"), Change: c.note("Change"),
	})}, func(h *harness) {
		for _, op := range []string{"insert", "update", "replace", "delete"} {
			h.oplog.Add(op)
		}
		h.oplog.Drop()
		c.want(t, "Insert insert", "Update update", "Replace replace", "Delete delete", "Change drop")
	})
}

func TestB049Replace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handlers func(c *calls) Handlers[order]
		want     []string
	}{
		"to Update where nothing else is": {func(c *calls) Handlers[order] {
			return Handlers[order]{Update: c.note("Update")}
		}, []string{"Update replace"}},
		"to Change before Update": {func(c *calls) Handlers[order] {
			return Handlers[order]{Update: c.note("Update"), Change: c.note("Change")}
		}, []string{"Change replace"}},
		"to Replace first": {func(c *calls) Handlers[order] {
			return Handlers[order]{Update: c.note("Update"), Replace: c.note("Replace"),
				Change: c.note("Change")}
		}, []string{"Replace replace"}},
		"to nobody": {func(c *calls) Handlers[order] {
			return Handlers[order]{Insert: c.note("Insert")}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var c calls
			run(t, Stream{Handle: Typed(test.handlers(&c))}, func(h *harness) {
				h.oplog.Add("replace")
				c.want(t, test.want...)
				if test.want == nil {
					h.wantOutcomes("replace skipped no handler for replace")
				}
			})
		})
	}
}

func TestB026UpdateWhoseDocumentIsGone(t *testing.T) {
	t.Parallel()
	gone := bson.E{Key: "fullDocument", Value: nil}
	t.Run("document form", func(t *testing.T) {
		run(t, Stream{DLQ: DLQPolicy{Enabled: true}, Handle: Typed(Handlers[order]{
			// What fwgen writes around a form with a document.
			Update: func(_ context.Context, ev *Event[order]) error {
				if ev.Doc == nil {
					return Skip(NoDocument)
				}
				return errBroken
			},
			Delete: func(context.Context, *Event[order]) error { return nil },
		})}, func(h *harness) {
			h.oplog.Add("update", gone)
			h.oplog.Add("delete")
			h.wantOutcomes("update skipped "+NoDocument, "delete handled")
			h.wantLetters("")
		})
	})
	t.Run("event form", func(t *testing.T) {
		var docs []*order
		run(t, Stream{Handle: Typed(Handlers[order]{
			Update: func(_ context.Context, ev *Event[order]) error {
				docs = append(docs, ev.Doc)
				return nil
			},
		})}, func(h *harness) {
			h.oplog.Add("update", gone)
			h.wantOutcomes("update handled")
			if len(docs) != 1 || docs[0] != nil {
				t.Errorf("documents: got %v, want nil", docs)
			}
		})
	})
}

func TestB031KeysOfAnyType(t *testing.T) {
	t.Parallel()
	for _, id := range []any{int32(42), int64(42), "x", bson.NewObjectID(), math.Pi,
		bson.Binary{Subtype: 4, Data: make([]byte, 16)}, bson.D{{Key: "b", Value: int32(2)}}} {
		t.Run(fmt.Sprintf("%T", id), func(t *testing.T) {
			var got any
			run(t, Stream{Handle: Typed(Handlers[order]{
				Delete: func(_ context.Context, ev *Event[order]) error {
					return ev.Key.Lookup("_id").Unmarshal(&got)
				},
			})}, func(h *harness) {
				h.oplog.Add("delete", bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: id}}})
				h.wantOutcomes("delete handled")
				if diff := cmp.Diff(id, got); diff != "" {
					t.Errorf("key (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestB033B035B044DecodeFailureIsNotRetriedAndTheNextEventIsHandled(t *testing.T) {
	t.Parallel()
	decimal, err := bson.ParseDecimal128("12.34")
	if err != nil {
		t.Fatal(err)
	}
	for name, field := range map[string]bson.E{
		"decimal in a float64 (B033)":  {Key: "amount", Value: decimal},
		"too large an int64 (B035)":    {Key: "n", Value: int64(2147483648)},
		"a fraction in an int (B035)":  {Key: "n", Value: 3.5},
		"NaN in an int (B035)":         {Key: "n", Value: math.NaN()},
		"scalar for an array (B044)":   {Key: "tags", Value: "x"},
		"document for a string (B044)": {Key: "s", Value: bson.D{}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, Stream{
				Retry: RetryPolicy{Attempts: 5}, DLQ: DLQPolicy{Enabled: true},
				Handle: Typed(Handlers[order]{
					Insert: func(context.Context, *Event[order]) error { return nil },
				}),
			}, func(h *harness) {
				bad := insertOf(h, field)
				insertOf(h, bson.E{Key: "total", Value: decimal}, bson.E{Key: "n", Value: 3.0})
				h.wantOutcomes("insert dead_lettered", "insert handled")
				h.wantLetters("decode", bad)
				letter := h.letters.Letters("_fw_dlq")[0]
				if letter.Attempts != 1 || !strings.Contains(letter.Error.Message, field.Key) {
					t.Errorf("%d attempts, and the message does not name %s: %s",
						letter.Attempts, field.Key, letter.Error.Message)
				}
			})
		})
	}
}

func TestB037B053NumbersAndBytesComeThroughUnchanged(t *testing.T) {
	var got order
	run(t, Stream{DLQ: DLQPolicy{Enabled: true}, Handle: Typed(Handlers[order]{
		Insert: func(_ context.Context, ev *Event[order]) error {
			got = *ev.Doc
			return DeadLetter("look", nil)
		},
	})}, func(h *harness) {
		e := insertOf(h, bson.E{Key: "amount", Value: math.Inf(1)},
			bson.E{Key: "x", Value: math.NaN()}, bson.E{Key: "s", Value: "a\xffb"})
		h.wantLetters("handler", e)
		if !math.IsInf(got.Amount, 1) || got.Text != "a\xffb" {
			t.Errorf("decoded: %+v", got)
		}
		letter := h.letters.Letters("_fw_dlq")[0]
		if diff := cmp.Diff(e.Doc, letter.FullDocument); diff != "" {
			t.Errorf("the dead letter's document (-want +got):\n%s", diff)
		}
	})
}

// hostile is a document of 13 bytes with a binary of 2 GiB.
var hostile = bson.Raw{13, 0, 0, 0, 5, 'x', 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0}

func TestB047BrokenBytesAreADecodeFailure(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"fullDocument", "fullDocumentBeforeChange", "updateDescription"} {
		t.Run(field, func(t *testing.T) {
			run(t, Stream{DLQ: DLQPolicy{Enabled: true}, Handle: Typed(Handlers[order]{
				Update: func(context.Context, *Event[order]) error { return nil },
			})}, func(h *harness) {
				bad := h.oplog.Add("update", bson.E{Key: field, Value: hostile})
				h.oplog.Add("update")
				h.wantOutcomes("update dead_lettered", "update handled")
				h.wantLetters("decode", bad)
			})
		})
	}
}

func TestB047StatusOfAStalledEventWithABrokenKey(t *testing.T) {
	run(t, Stream{Handle: Typed(Handlers[order]{
		Delete: func(context.Context, *Event[order]) error { return errBroken },
	})}, func(h *harness) {
		e := h.oplog.Add("delete", bson.E{Key: "documentKey", Value: hostile})
		synctest.Wait()
		got := h.status()
		if len(got.Stalled) != 1 || got.Stalled[0].EventID != e.ID() {
			t.Errorf("status: %+v", got)
		}
	})
}

func TestDecoderOfTheHandlersThatPanicsIsADecodeFailure(t *testing.T) {
	run(t, Stream{Retry: RetryPolicy{Attempts: 5}, DLQ: DLQPolicy{Enabled: true},
		Handle: Typed(Handlers[order]{
			Decode: func(bson.Raw, *order) error { panic("index out of range") },
			Insert: func(context.Context, *Event[order]) error { return nil },
		})}, func(h *harness) {
		h.wantLetters("decode", insertOf(h))
	})
}

func TestRegistryAndOptionsOfTheAppDecodeThroughout(t *testing.T) {
	var got string
	runWith(t, Config{BSONOptions: &options.BSONOptions{ObjectIDAsHexString: true}}, Stream{
		Handle: Typed(Handlers[order]{
			Decode: func(bson.Raw, *order) error { t.Error("the generated decoder ran"); return nil },
			Insert: func(_ context.Context, ev *Event[order]) error { got = ev.Doc.Text; return nil },
		}),
	}, func(h *harness) {
		id := bson.NewObjectID()
		insertOf(h, bson.E{Key: "s", Value: id})
		h.wantOutcomes("insert handled")
		if got != id.Hex() {
			t.Errorf("decoded %q, want %q", got, id.Hex())
		}
	})
}

func TestFilterIsAskedOncePerDeliveryAndNeverAboutLifecycle(t *testing.T) {
	var asked []string
	attempts := 0
	run(t, Stream{Retry: RetryPolicy{Attempts: 3}, Handle: Typed(Handlers[order]{
		Insert: func(_ context.Context, ev *Event[order]) error {
			if attempts++; attempts < 3 {
				return errBroken
			}
			return nil
		},
		Delete: func(context.Context, *Event[order]) error { return nil },
		Change: func(context.Context, *Event[order]) error { return nil },
		Filter: func(_ context.Context, ev *Event[order]) (bool, error) {
			asked = append(asked, fmt.Sprint(ev.Operation, " ", ev.Doc != nil))
			return ev.Doc == nil || ev.Doc.N != 9, nil
		},
	})}, func(h *harness) {
		insertOf(h)
		insertOf(h, bson.E{Key: "n", Value: 9})
		h.oplog.Add("delete")
		h.oplog.Drop()
		time.Sleep(10 * time.Second)
		h.wantOutcomes("insert handled", "insert filtered", "delete handled", "drop handled")
		want := []string{"insert true", "insert true", "delete false"}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked about (-want +got):\n%s", diff)
		}
	})
}

func TestB112FilterThatFailsIsAFailureOfItsKind(t *testing.T) {
	t.Parallel()
	for kind, filter := range map[string]func() (bool, error){
		"filter": func() (bool, error) { return true, errBroken },
		"panic":  func() (bool, error) { panic("on the loose") },
	} {
		t.Run(kind, func(t *testing.T) {
			run(t, Stream{DLQ: DLQPolicy{Enabled: true}, Handle: Typed(Handlers[order]{
				Insert: func(context.Context, *Event[order]) error { t.Error("called"); return nil },
				Filter: func(context.Context, *Event[order]) (bool, error) { return filter() },
			})}, func(h *harness) {
				h.wantLetters(kind, insertOf(h))
			})
		})
	}
}

func TestFirstOnErrorThatMatchesAnswers(t *testing.T) {
	var asked []string
	answer := func(name string, action ErrorAction) func(
		context.Context, error, *Event[order]) ErrorAction {
		return func(_ context.Context, err error, ev *Event[order]) ErrorAction {
			asked = append(asked, fmt.Sprint(name, " ", err, " ", ev.Attempt))
			return action
		}
	}
	run(t, Stream{Retry: RetryPolicy{Attempts: 2}, DLQ: DLQPolicy{Enabled: true},
		Handle: Typed(Handlers[order]{
			Insert: func(_ context.Context, ev *Event[order]) error {
				if ev.Doc.Text == "known" {
					return fmt.Errorf("wrapped: %w", errBroken)
				}
				return fmt.Errorf("other")
			},
			OnError: []OnError[order]{
				{Match: []ErrorMatch{MatchType[*changeError](), MatchValue(errBroken)},
					Handle: answer("first", ActionSkip)},
				{Match: []ErrorMatch{MatchValue(errBroken)}, Handle: answer("second", ActionDLQ)},
				{Handle: answer("all", ActionRethrow)},
			},
		})}, func(h *harness) {
		insertOf(h, bson.E{Key: "s", Value: "known"})
		other := insertOf(h)
		time.Sleep(5 * time.Second)
		h.wantOutcomes("insert skipped OnError: wrapped: broken", "insert dead_lettered")
		h.wantLetters("handler", other)
		want := []string{"first wrapped: broken 1", "all other 1", "all other 2"}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	})
}

// changeError is an error type for matching.
type changeError struct{}

func (*changeError) Error() string { return "change" }

func TestOnErrorIsAskedAboutDecodeFailures(t *testing.T) {
	asked := 0
	run(t, Stream{Retry: RetryPolicy{Attempts: 9}, DLQ: DLQPolicy{Enabled: true},
		Handle: Typed(Handlers[order]{
			Insert: func(context.Context, *Event[order]) error { return nil },
			OnError: []OnError[order]{{Handle: func(
				_ context.Context, _ error, ev *Event[order]) ErrorAction {
				asked++
				if ev.Doc != nil {
					t.Error("a document that was not decoded is shown")
				}
				return ActionRetry
			}}},
		})}, func(h *harness) {
		h.wantLetters("decode", insertOf(h, bson.E{Key: "n", Value: "x"}))
		if asked != 1 {
			t.Errorf("asked %d times, want once", asked)
		}
	})
}

func TestB111ExceptWinsOverOn(t *testing.T) {
	var tries []string
	run(t, Stream{
		Retry: RetryPolicy{Attempts: 3, On: []ErrorMatch{MatchValue(errBroken)},
			Except: []ErrorMatch{MatchType[*changeError]()}},
		DLQ: DLQPolicy{Enabled: true},
		Handle: Typed(Handlers[order]{Insert: func(_ context.Context, ev *Event[order]) error {
			tries = append(tries, ev.Doc.Text)
			switch ev.Doc.Text {
			case "on":
				return errBroken
			case "both":
				return errors.Join(errBroken, &changeError{})
			default:
				return errors.New("neither")
			}
		}}),
	}, func(h *harness) {
		for _, text := range []string{"on", "both", "neither"} {
			insertOf(h, bson.E{Key: "s", Value: text})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"on", "on", "on", "both", "neither"}; !slices.Equal(want, tries) {
			t.Errorf("tries: got %v, want %v", tries, want)
		}
	})
}

func TestEventTellsEverything(t *testing.T) {
	var events []*Event[order]
	run(t, Stream{Name: "billing", Retry: RetryPolicy{Attempts: 2, Jitter: -1},
		Handle: Typed(Handlers[order]{Update: func(_ context.Context, ev *Event[order]) error {
			events = append(events, ev)
			ev.Doc.Text = "scribbled"
			if ev.Attempt == 1 {
				ev.Set("k", "v")
				return errBroken
			}
			if v, ok := ev.Get("k"); !ok || v != "v" {
				t.Errorf("metadata: got %v, %t", v, ok)
			}
			return nil
		}})}, func(h *harness) {
		doc := bson.D{{Key: "_id", Value: int32(1)}, {Key: "s", Value: "text"}}
		first := time.Now()
		e := h.oplog.Add("update",
			bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: int32(1)}}},
			bson.E{Key: "fullDocument", Value: doc},
			bson.E{Key: "fullDocumentBeforeChange", Value: doc},
			bson.E{Key: "updateDescription", Value: bson.D{
				{Key: "updatedFields", Value: bson.D{{Key: "s", Value: "text"}}},
				{Key: "removedFields", Value: bson.A{"gone"}},
				{Key: "truncatedArrays", Value: bson.A{
					bson.D{{Key: "field", Value: "tags"}, {Key: "newSize", Value: 2}}}},
			}},
			bson.E{Key: "lsid", Value: bson.D{{Key: "id", Value: 1}}},
			bson.E{Key: "txnNumber", Value: int64(5)})
		time.Sleep(time.Second)
		h.wantOutcomes("update handled")
		if len(events) != 2 || events[0] == events[1] || events[0].Doc == events[1].Doc {
			t.Fatalf("events: got %d, each attempt wants one of its own", len(events))
		}
		ev := events[1]
		if ev.ID != e.ID() || ev.Stream != "billing" || ev.Operation != OpUpdate ||
			ev.Namespace != (Namespace{"shop", "orders"}) || ev.Attempt != 2 || ev.Deferrals != 0 ||
			!ev.FirstAttempt.Equal(first) || ev.Term != 1 || ev.Replayed ||
			ev.ClusterTime != e.ClusterTime || !ev.WallTime.Equal(e.WallTime) {
			t.Errorf("event: got %+v", ev)
		}
		if !slices.Equal(ev.Raw, e.Raw) || !slices.Equal(ev.Key, e.Key) {
			t.Error("Raw or Key differ")
		}
		if ev.Before == nil || ev.Before.Text != "text" || ev.Txn == nil || ev.Txn.Number != 5 {
			t.Errorf("before %+v, transaction %+v", ev.Before, ev.Txn)
		}
		for path, want := range map[string]bool{"s": true, "gone": true, "tags": true, "n": false} {
			if got := ev.Update.Changed(path); got != want {
				t.Errorf("changed %s: got %t", path, got)
			}
		}
		if diff := cmp.Diff([]TruncatedArray{{"tags", 2}}, ev.Update.Truncated); diff != "" {
			t.Errorf("truncated (-want +got):\n%s", diff)
		}
	})
}

func TestSendToDLQAndCheckpointOfAnEvent(t *testing.T) {
	var stored string
	var h *harness
	run(t, Stream{Handle: Typed(Handlers[order]{
		Insert: func(ctx context.Context, ev *Event[order]) error {
			ev.Set("why", "fraud")
			return errors.Join(ev.SendToDLQ(ctx, "fraud"), errBroken)
		},
		Update: func(ctx context.Context, ev *Event[order]) error {
			err := ev.Checkpoint(ctx)
			stored = h.checkpoints.Get("orders#blue").Position.EventID
			return err
		},
	})}, func(running *harness) {
		h = running
		bad := insertOf(h)
		good := h.oplog.Add("update")
		h.wantOutcomes("insert dead_lettered fraud", "update handled")
		h.wantLetters("handler", bad)
		if stored != good.ID() {
			t.Errorf("stored when Checkpoint returned: %q, want %q", stored, good.ID())
		}
		letter := h.letters.Letters("_fw_dlq")[0]
		if why, _ := letter.Metadata.Lookup("why").StringValueOK(); why != "fraud" {
			t.Errorf("metadata: %v", letter.Metadata)
		}
		if letter.ID != "orders#blue/"+bad.ID() || letter.InstanceID != "blue/p" {
			t.Errorf("dead letter %s of %s", letter.ID, letter.InstanceID)
		}
	})
}

func TestEventThatNoAppDelivered(t *testing.T) {
	t.Parallel()
	ev := &Event[order]{}
	ev.Set("k", 1)
	if _, ok := ev.Get("k"); ok {
		t.Error("it keeps values")
	}
	if ev.Checkpoint(t.Context()) == nil || ev.SendToDLQ(t.Context(), "") == nil {
		t.Error("it can be settled")
	}
	if ev.Update.Changed("x") {
		t.Error("it changed something")
	}
}
