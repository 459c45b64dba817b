package reader_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/store"
)

var errNet = errors.New("connection reset")

func TestEventsAreDeliveredInOrder(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.BatchSize = 2
		b.start()
		var want []change.Event
		for id := range 5 {
			want = append(want, b.oplog.Insert(id))
		}
		b.wantEvents(want...)
		time.Sleep(time.Minute)
		want = append(want, b.oplog.Insert(5))
		b.wantEvents(want...)
	})
}

func TestB015StartIsStoredBeforeTheFirstEvent(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.setRefuse(errNet)
		b.start()
		first := b.oplog.Insert(1)
		time.Sleep(20 * time.Second)
		b.wantEvents()
		if len(b.starts()) < 3 {
			t.Fatalf("tried %d times to store the start", len(b.starts()))
		}
		for _, token := range b.starts() {
			if token.Compare(b.starts()[0]) != 0 {
				t.Error("a repeat begins elsewhere: what came meanwhile would be lost")
			}
		}
		if b.starts()[0].Compare(first.Token) >= 0 {
			t.Error("the start is behind the first event")
		}
		tries := len(b.starts())
		b.setRefuse(nil)
		time.Sleep(10 * time.Second)
		b.wantEvents(first)
		if len(b.starts()) != tries+1 {
			t.Errorf("stored %d times more, want once", len(b.starts())-tries)
		}
	})
}

func TestStoredStartIsNotStoredAgain(t *testing.T) {
	bubble(t, func(b *bundle) {
		first := b.oplog.Insert(1)
		second := b.oplog.Insert(2)
		b.start(after(first.Token))
		b.wantEvents(second)
		if len(b.starts()) != 0 {
			t.Errorf("stored a start: %v", b.starts())
		}
	})
}

// A checkpoint that was deleted by hand: this process knows where to go on, and stores it first.
func TestKnownStartIsStoredBeforeReadingOn(t *testing.T) {
	bubble(t, func(b *bundle) {
		first, second := b.oplog.Insert(1), b.oplog.Insert(2)
		b.start(func(c *reader.Config) { c.From = reader.From{After: first.Token} })
		b.wantEvents(second)
		if len(b.starts()) != 1 || b.starts()[0].Compare(first.Token) != 0 {
			t.Errorf("stored as the start: %v", b.starts())
		}
	})
}

func TestB014ResumeByTimeSkipsWhatWasSettled(t *testing.T) {
	bubble(t, func(b *bundle) {
		// A transaction: its events share one cluster time.
		at := bson.Timestamp{T: uint32(time.Now().Unix()), I: 1}
		var txn []change.Event
		for _, data := range []string{"01", "02", "03"} {
			e := b.oplog.Add("insert", bson.E{Key: "clusterTime", Value: at},
				bson.E{Key: "_id", Value: bson.D{{Key: "_data", Value: token(at) + data}}})
			txn = append(txn, e)
		}
		later := b.oplog.Insert(4)
		b.oplog.SetFault(once(1, 1, errNet)) // and again after a failure
		b.start(func(c *reader.Config) {
			c.From, c.Skip, c.Stored = reader.From{AtTime: at}, txn[1].Token, true
		})
		time.Sleep(5 * time.Second)
		b.wantEvents(txn[2], later)
	})
}

func token(at bson.Timestamp) string {
	raw := readertest.Token(int(at.I)).Data
	return "82" + hex32(at.T) + string(raw[10:18]) + "46"
}

func hex32(v uint32) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 8)
	for i := range out {
		out[7-i] = digits[v>>(4*i)&15]
	}
	return string(out)
}

func TestB005CursorThatEndsByItselfIsReopenedAfterTheInvalidate(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		first := b.oplog.Insert(1)
		drop, invalidate := b.oplog.Drop()
		b.wantEvents(first, drop)
		var end *marker
		for _, m := range b.marks() {
			if m.kind == store.PositionInvalidate {
				end = &m
			}
		}
		if end == nil || end.token.Compare(invalidate.Token) != 0 {
			t.Errorf("marker of the end: got %v, want the invalidate's token", end)
		}
		again := b.oplog.Insert(2)
		time.Sleep(2 * time.Second)
		b.wantEvents(first, drop, again)
		b.wantOpens(reader.From{}, reader.From{After: invalidate.Token}) // B006
		if len(b.fails()) != 0 {
			t.Errorf("an invalidate counts as a failure: %v", b.fails())
		}
	})
}

func TestB005CursorThatKeepsEndingIsOpenedOncePerBackoffStep(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(func(c readertest.Call) error {
			if c.Next == 1 {
				return readertest.ErrEnd
			}
			return nil
		})
		b.start()
		time.Sleep(time.Minute)
		b.wantRunning()
		if got := len(b.oplog.Opens()); got > 12 {
			t.Errorf("opened %d times in a minute", got)
		}
		b.oplog.SetFault(nil)
		e := b.oplog.Insert(1)
		time.Sleep(10 * time.Second)
		b.wantEvents(e)
	})
}

func TestRenameEndsTheReaderAsInvalidated(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		rename, _ := b.oplog.Rename()
		b.wantEvents(rename)
		_ = b.wantEnd(reader.Invalidated)
	})
}

func TestRenameBeforeAFailureEndsTheReaderAsInvalidated(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.BatchSize = 1
		b.oplog.SetFault(once(1, 2, errNet))
		b.start()
		rename, _ := b.oplog.Rename()
		time.Sleep(5 * time.Second)
		b.wantEvents(rename)
		_ = b.wantEnd(reader.Invalidated)
	})
}

func TestEveryDropIsFollowedByAnotherOpen(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		drop1, _ := b.oplog.Drop()
		time.Sleep(time.Second)
		drop2, _ := b.oplog.Drop()
		time.Sleep(time.Second)
		b.wantEvents(drop1, drop2)
		b.wantRunning()
	})
}

func TestB052NothingAliasesTheCursorsMemory(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.BatchSize = 3
		b.start()
		var want []change.Event
		for id := range 100 {
			want = append(want, b.oplog.Insert(id))
		}
		b.wantEvents(want...)
		time.Sleep(10 * time.Second)
		for i, e := range b.got() {
			if diff := cmp.Diff(want[i].Raw, e.Raw); diff != "" {
				t.Fatalf("event %d changed after it was delivered (-want +got):\n%s", i, diff)
			}
		}
		for _, m := range b.marks() {
			if parsed, err := change.ParseToken(m.token.Raw); err != nil ||
				!sameBytes(parsed.Data, m.token.Data) {
				t.Fatalf("a marker's token was overwritten: %v, %v", m.token, err)
			}
		}
	})
}

func TestB057B061IdleStreamLives(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		time.Sleep(time.Hour)
		e := b.oplog.Insert(1)
		b.wantEvents(e)
		if got := len(b.oplog.Opens()); got != 1 {
			t.Errorf("opens: got %d, want 1", got)
		}
		if calls := b.oplog.Calls(); calls > 3700 {
			t.Errorf("calls in an hour: %d, want one each second", calls)
		}
	})
}

func TestIdleStreamTellsHowFarItHasRead(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		time.Sleep(2500 * time.Millisecond)
		first := b.lastMarker()
		time.Sleep(5 * time.Second)
		second := b.lastMarker()
		if second.token.Compare(first.token) <= 0 || !second.caughtUp ||
			second.kind != store.PositionIdle {
			t.Errorf("markers: got %v, then %v", first, second)
		}
	})
}

func TestMarkerComesAfterTheEventsOfItsBatch(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.BatchSize = 3
		for id := range 7 {
			b.oplog.Insert(id)
		}
		b.start(after(readertest.Token(0)))
		synctest.Wait()
		for _, m := range b.marks() {
			if m.caughtUp {
				t.Errorf("a batch with events says that the server had nothing more: %v", m)
			}
		}
		if last := b.lastMarker(); last.token.Compare(b.got()[6].Token) != 0 {
			t.Errorf("last marker: got %s, want the last event's token", last.token.Data)
		}
	})
}

func TestB059StopClosesTheCursorWithinOneAwait(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		time.Sleep(10*time.Second + 100*time.Millisecond)
		stopped := time.Now()
		b.stop()
		if err := <-b.ended; err != nil {
			t.Errorf("a stop is an error: %v", err)
		}
		if took := time.Since(stopped); took > time.Second {
			t.Errorf("the stop took %s", took)
		}
		if n := b.oplog.Cursors(); n != 0 {
			t.Errorf("cursors left open: %d", n)
		}
		calls := b.oplog.Calls()
		time.Sleep(time.Minute)
		if got := b.oplog.Calls(); got != calls {
			t.Error("the cursor is called after the stop")
		}
	})
}

func TestB059NothingIsDeliveredAfterTheStop(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start()
		time.Sleep(100 * time.Millisecond)
		b.stop()
		b.oplog.Insert(1)
		<-b.ended
		b.wantEvents()
	})
}

func TestB109StopEndsABackoffAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(func(readertest.Call) error { return errNet })
		b.start()
		time.Sleep(20 * time.Second)
		opens, stopped := len(b.oplog.Opens()), time.Now()
		b.stop()
		if err := <-b.ended; err != nil {
			t.Errorf("a stop is an error: %v", err)
		}
		if took := time.Since(stopped); took != 0 {
			t.Errorf("took %s", took)
		}
		if got := len(b.oplog.Opens()); got != opens {
			t.Error("opened once more")
		}
	})
}

func TestReaderReopensAtTheReadingHead(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(func(c readertest.Call) error {
			if c.Open == 1 && c.Next == 2 || c.Open == 2 && c.Next == 4 {
				return errNet
			}
			return nil
		})
		b.start()
		first := b.oplog.Insert(1)
		time.Sleep(1500 * time.Millisecond)
		second := b.oplog.Insert(2)
		b.wantEvents(first, second)
		time.Sleep(2100 * time.Millisecond) // two empty batches, then a failure
		head := b.lastMarker().token
		time.Sleep(10 * time.Second)
		b.wantOpens(reader.From{}, reader.From{After: first.Token}, reader.From{After: head})
		if head.Compare(second.Token) <= 0 {
			t.Error("the head does not follow an idle stream")
		}
	})
}

func TestBackoffGrowsUntilThereIsProgress(t *testing.T) {
	bubble(t, func(b *bundle) {
		// Every cursor opens, answers once, and fails: that is no progress.
		b.oplog.SetFault(func(c readertest.Call) error {
			if c.Next == 2 {
				return errNet
			}
			return nil
		})
		b.start()
		time.Sleep(40 * time.Second)
		var waits []time.Duration
		for _, f := range b.fails()[:5] {
			waits = append(waits, f.wait)
		}
		want := []time.Duration{1e9, 2e9, 4e9, 8e9, 8e9}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
		before := len(b.fails())
		b.settle()
		time.Sleep(20 * time.Second)
		if got := b.fails()[before].wait; got != time.Second {
			t.Errorf("wait after a settled event: got %s, want 1s", got)
		}
		if got := b.fails()[before+1].wait; got != 2*time.Second {
			t.Errorf("the wait after it: got %s, want 2s", got)
		}
	})
}

func TestBackoffStartsAgainAfterAHealthyMinute(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(func(c readertest.Call) error {
			if c.Next == 2 && c.Open < 4 || c.Next == 62 {
				return errNet
			}
			return nil
		})
		b.start()
		time.Sleep(2 * time.Minute)
		if len(b.fails()) != 4 || b.fails()[2].wait != 4*time.Second ||
			b.fails()[3].wait != time.Second {
			t.Errorf("failures: got %v, want the wait of the fourth to be 1s again", b.fails())
		}
	})
}

func TestNeverMoreThanOneOpenPerBackoffStep(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(readertest.Call) error{
		"open fails":  func(readertest.Call) error { return errNet },
		"first fails": once1(errNet),
		"oversized":   once1(readertest.Code(10334)),
		"no right":    once1(readertest.Code(13)),
		"no stage":    once1(readertest.Code(40324)),
		"ends":        once1(readertest.ErrEnd),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.oplog.SetFault(fault)
				b.start()
				time.Sleep(5 * time.Minute)
				opens := b.oplog.Opens()
				for i := 3; i < len(opens)-1; i++ {
					if gap := opens[i+1].At.Sub(opens[i].At); gap < 8*time.Second {
						t.Fatalf("opens %d and %d are %s apart", i, i+1, gap)
					}
				}
				if len(b.fails()) < len(opens)-1 {
					t.Errorf("%d opens, and only %d failures shown", len(opens), len(b.fails()))
				}
			})
		})
	}
}

// once1 makes the first question of every cursor fail.
func once1(err error) func(readertest.Call) error {
	return func(c readertest.Call) error {
		if c.Next == 1 {
			return err
		}
		return nil
	}
}

func TestReaderGivesUpAfterItsAttempts(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(func(readertest.Call) error { return errNet })
		b.start(withAttempts(3))
		time.Sleep(time.Hour)
		err := b.wantEnd(reader.Transient)
		if !errors.Is(err, errNet) {
			t.Errorf("the end does not tell of its cause: %v", err)
		}
		if got := len(b.oplog.Opens()); got != 4 {
			t.Errorf("opens: got %d, want the first and 3 more", got)
		}
	})
}

func TestB001LostPositionEndsTheReaderAtOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(readertest.Call) error{
		"on the open":           once(1, 0, readertest.Code(286)),
		"on the first answer":   once(1, 1, readertest.Code(286)),
		"later":                 once(1, 3, readertest.Code(286)),
		"capped position":       once(1, 3, readertest.Code(136)),
		"bad token, on opening": once(1, 1, readertest.Code(260)),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.oplog.SetFault(fault)
				b.start(after(readertest.Token(1)))
				time.Sleep(time.Minute)
				_ = b.wantEnd(reader.Lost)
				if got := len(b.oplog.Opens()); got != 1 {
					t.Errorf("opens: got %d, want 1", got)
				}
			})
		})
	}
}

func TestCodeOfABadTokenMeansNothingOnceTheStreamIsOpen(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(once(1, 3, readertest.Code(260)))
		b.start()
		time.Sleep(time.Minute)
		b.wantRunning()
		if len(b.fails()) != 1 || b.fails()[0].class != reader.Transient {
			t.Errorf("failures: got %v, want one transient", b.fails())
		}
	})
}

func TestServerThatNoLongerAnswersIsLeftAtTheHead(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(once(1, 3, readertest.ErrHang))
		b.start()
		time.Sleep(2500 * time.Millisecond)
		head := b.lastMarker().token
		time.Sleep(time.Minute)
		b.wantOpens(reader.From{}, reader.From{After: head})
		if len(b.fails()) != 1 {
			t.Fatalf("failures: got %v, want one", b.fails())
		}
		if at := b.fails()[0].at; at > 10*time.Second {
			t.Errorf("noticed after %s", at)
		}
		e := b.oplog.Insert(1)
		b.wantEvents(e)
	})
}

func TestPatienceGrowsWithASlowServer(t *testing.T) {
	bubble(t, func(b *bundle) { // B067: an open that takes long is given longer
		b.oplog.SetFault(func(c readertest.Call) error {
			if c.Next <= 1 && c.Open < 6 {
				return readertest.ErrHang
			}
			return nil
		})
		b.start()
		time.Sleep(10 * time.Minute)
		opens := b.oplog.Opens()
		if len(opens) != 6 {
			t.Fatalf("opens: got %d, want 6", len(opens))
		}
		last := b.fails()[4].at - opens[4].At.Sub(b.began)
		first := b.fails()[0].at
		if last < 8*first || last > time.Minute {
			t.Errorf("patience went from %s to %s", first, last)
		}
	})
}

func TestStopDoesNotCancelTheCallInFlight(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.oplog.SetFault(once(1, 3, readertest.ErrHang))
		b.start()
		time.Sleep(3 * time.Second)
		b.stop()
		time.Sleep(time.Second)
		if b.oplog.Cursors() != 1 {
			t.Error("the call in flight was ended")
		}
		time.Sleep(10 * time.Second)
		if err := <-b.ended; err != nil {
			t.Errorf("a stop is an error: %v", err)
		}
	})
}

func TestB069WhatIsNoEventIsSaidToBe(t *testing.T) {
	bubble(t, func(b *bundle) {
		first, second := b.oplog.Insert(1), b.oplog.Insert(2)
		b.oplog.Add("") // in the batch of the others
		b.start(after(readertest.Token(1)))
		time.Sleep(time.Minute)
		b.wantRunning()
		b.wantEvents(first, second)
		if len(b.fails()) < 2 || b.fails()[0].class != reader.NotAnEvent {
			t.Fatalf("failures: got %v, want %s", b.fails(), reader.NotAnEvent)
		}
		if len(b.fails()) > 12 {
			t.Errorf("failed %d times in a minute", len(b.fails()))
		}
	})
}

// refusing is a sink that takes no event.
type refusing struct{ *bundle }

func (refusing) Event(context.Context, change.Event) error { return errors.New("over") }

func TestSinkThatTakesNothingMoreEndsTheReader(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start(func(c *reader.Config) { c.Sink = refusing{b} })
		b.oplog.Insert(1)
		synctest.Wait()
		if err := <-b.ended; err != nil {
			t.Errorf("got %v", err)
		}
	})
}

// Whatever fails, and however often, every event is delivered once and in order.
func TestNoFailureLosesOrRepeatsAnEvent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		kinds := []error{nil, nil, nil, errNet, readertest.ErrHang, readertest.ErrEnd,
			readertest.Code(10334)}
		faults := rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 30).Draw(rt, "faults")
		events := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 30).Draw(rt, "events")
		batch := rapid.IntRange(1, 5).Draw(rt, "batch")
		var want, got []string
		synctest.Test(t, func(t *testing.T) {
			b := &bundle{T: t, oplog: readertest.New(t), ended: make(chan error, 1)}
			b.oplog.BatchSize = batch
			b.oplog.SetFault(func(readertest.Call) error {
				if len(faults) == 0 {
					return nil
				}
				fault := faults[0]
				faults = faults[1:]
				return fault
			})
			// The first open decides where a stream begins.
			b.start(after(b.oplog.Insert(0).Token))
			for i, kind := range events {
				if kind == 0 {
					drop, _ := b.oplog.Drop()
					want = append(want, drop.ID())
				} else {
					e := b.oplog.Insert(i)
					want = append(want, e.ID())
				}
				time.Sleep(time.Duration(kind) * 300 * time.Millisecond)
			}
			for range 360 {
				if time.Sleep(10 * time.Second); len(b.got()) >= len(want) {
					break
				}
			}
			b.stop()
			if err := <-b.ended; err != nil {
				t.Error(err)
			}
			for _, e := range b.got() {
				got = append(got, e.ID())
			}
			if n := b.oplog.Cursors(); n != 0 {
				t.Errorf("cursors left open: %d", n)
			}
		})
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("events (-want +got):\n%s", diff)
		}
	})
}
