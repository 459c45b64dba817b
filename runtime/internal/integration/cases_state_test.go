package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// failWrites makes the server refuse writes to a collection of the test's database.
func (b *bundle) failWrites(collection string) (off func()) {
	b.Helper()
	return b.deployment.FailPoint(b, mongotest.FailPoint{
		Name: "failCommand",
		Data: bson.D{
			{Key: "failCommands", Value: bson.A{"update", "findAndModify", "insert"}},
			{Key: "errorCode", Value: 8}, // UnknownError
			{Key: "namespace", Value: b.db.Name() + "." + collection},
		},
	})
}

func TestB102DeadLetterThatCannotBeWrittenBlocks(t *testing.T) {
	inBothModes(t, mongotest.Needs{TestCommands: true}, func(b *bundle, mode fw.Mode) {
		facts := &observed{}
		r := recorder{also: func(_ context.Context, ev *fw.Event[item]) error {
			if ev.Doc.N > 0 {
				return errors.New("no")
			}
			return nil
		}}
		s := stream(mode, &r)
		s.Retry.Attempts = 2
		s.DLQ.Enabled = true
		a := b.run(fw.Config{Observer: facts}, s)
		a.awaitPosition(checkpointID(mode))
		b.insert(0)
		r.expect(a, 0)
		off := b.failWrites("_fw_dlq")
		_, err := b.items.InsertOne(b.Context(), item{1, 1})
		must(b, err)
		b.insert(2)
		a.await("items", fw.StateBackingOff, "dead_letter_blocked")
		eventually(b, patience, atLeast("failed writes", 3, func() int {
			return len(facts.of("DeadLetterFailed"))
		}), a)
		r.expect(a, 0, 1, 1) // two attempts, and nothing behind them
		at := checkpointOf(b, b.db, checkpointID(mode)).Position
		if events := r.all(); dataOf(at.Token) >= events[1].token {
			b.Errorf("the position %+v has passed the blocked event", at)
		}
		off()
		r.expect(a, 0, 1, 1, 2)
		letters := deadLettersOf(b, b.db, "items")
		if len(letters) != 1 || letters[0].Attempts != 2 {
			b.Errorf("dead letters %+v, want one after 2 attempts", letters)
		}
		a.await("items", fw.StateRunning, "")
		if n := a.status("items").DeadLetters; n != 1 {
			b.Errorf("%d dead letters are counted, want 1", n)
		}
	})
}

func TestB127PositionThatCannotBeSavedStaysDue(t *testing.T) {
	inBothModes(t, mongotest.Needs{TestCommands: true}, func(b *bundle, mode fw.Mode) {
		var r recorder
		facts := &observed{}
		a := b.run(fw.Config{Observer: facts}, stream(mode, &r))
		a.awaitPosition(checkpointID(mode))
		off := b.failWrites("_fw_checkpoints")
		b.insert(span(1, 5)...)
		r.expect(a, span(1, 5)...)
		a.await("items", fw.StateBackingOff, "position_unsaved")
		eventually(b, patience, atLeast("failed saves", 3, func() int {
			return len(facts.of("PositionSaveFailed"))
		}), a)
		b.insert(span(6, 10)...) // it goes on handling
		r.expect(a, span(1, 10)...)
		off()
		last := r.all()[9].token
		eventually(b, patience, func() error {
			p := checkpointOf(b, b.db, checkpointID(mode)).Position
			if dataOf(p.Token) < last {
				return fmt.Errorf("position %+v, want that of the last event", p)
			}
			return nil
		}, a)
		a.await("items", fw.StateRunning, "")
	})
}

// Nothing that the state depends on may be lost with a primary, whatever the client's default.
func TestB092EveryWriteOfStateIsOnAMajority(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Nodes: 3})
	var asked commands
	client := asked.client(b, options.Client().SetWriteConcern(writeconcern.W1()))
	r := recorder{also: func(context.Context, *fw.Event[item]) error { return errors.New("no") }}
	var streams []fw.Stream
	for _, mode := range []fw.Mode{fw.SingleLeader, fw.AllInstances} {
		s := stream(mode, &r)
		s.Name, s.DLQ.Enabled = string(mode), true
		streams = append(streams, s)
	}
	a := b.run(fw.Config{Client: client}, streams...)
	a.awaitPosition("single_leader")
	a.awaitPosition("all_instances#one")
	b.insert(span(1, 3)...)
	eventually(b, patience, func() error {
		n := len(deadLettersOf(b, b.db, "single_leader")) + len(deadLettersOf(b, b.db, "all_instances"))
		return atLeast("dead letters", 6, func() int { return n })()
	}, a)
	a.stop()
	written := map[string]bool{}
	for _, name := range []string{"findAndModify", "update", "insert", "createIndexes", "create"} {
		for _, command := range asked.named(name) {
			collection := command.Lookup(name).StringValue()
			w, _ := command.Lookup("writeConcern", "w").StringValueOK()
			_, inTransaction := command.Lookup("startTransaction").BooleanOK()
			_, txnErr := command.LookupErr("autocommit")
			if w != "majority" && !inTransaction && txnErr != nil {
				b.Errorf("%s", command)
			}
			written[collection] = true
		}
	}
	for _, commit := range asked.named("commitTransaction") {
		if w, _ := commit.Lookup("writeConcern", "w").StringValueOK(); w != "majority" {
			b.Errorf("%s", commit)
		}
		written["commit"] = true
	}
	for _, name := range []string{"_fw_locks", "_fw_checkpoints", "_fw_dlq", "commit"} {
		if !written[name] {
			b.Errorf("no write of %s was seen", name)
		}
	}
}

func TestSecondProcessOfANameFencesTheFirst(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var first, second recorder
	a := b.run(fw.Config{}, stream(fw.AllInstances, &first))
	a.awaitPosition("items#one")
	b.insert(1)
	first.expect(a, 1)
	again := b.run(fw.Config{}, stream(fw.AllInstances, &second))
	eventually(b, patience, func() error {
		if term := checkpointOf(b, b.db, "items#one").Term; term != 2 {
			return fmt.Errorf("term %d", term)
		}
		return nil
	}, again)
	b.insert(2)
	status := a.await("items", fw.StateFailed, "")
	for _, advice := range []string{"Config.Instance", "FW_INSTANCE"} {
		if !strings.Contains(status.Reason, advice) {
			b.Errorf("the reason does not advise %s: %s", advice, status.Reason)
		}
	}
	a.awaitEnd() // its only stream has failed
	if a.err == nil || !strings.Contains(a.err.Error(), "items") {
		b.Errorf("Run returned %v, want an error that names the stream", a.err)
	}
	b.insert(3)
	eventually(b, patience, func() error {
		if ids := second.ids(); !slices.Contains(ids, any(3)) {
			return fmt.Errorf("events of %v", ids)
		}
		return nil
	}, again)
	if !slices.Contains(second.ids(), any(2)) {
		b.Errorf("the second process has events of %v, want 2 and 3", second.ids())
	}
	again.await("items", fw.StateRunning, "")
}

func TestAllInstancesHandleEveryEvent(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var r [2]recorder
	var apps []*app
	for i := range r {
		name := []string{"one", "two"}[i]
		a := b.run(fw.Config{Instance: name}, stream(fw.AllInstances, &r[i]))
		a.awaitPosition("items#" + name)
		apps = append(apps, a)
	}
	b.insert(span(1, 20)...)
	r[0].expect(apps[0], span(1, 20)...)
	r[1].expect(apps[1], span(1, 20)...)
	apps[0].stop()
	b.insert(21)
	r[1].expect(apps[1], span(1, 21)...)
	var last recorder
	a := b.run(fw.Config{Instance: "one"}, stream(fw.AllInstances, &last))
	last.expect(a, 21)
}

func TestStreamsOfBothModesRunSideBySide(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	others := b.db.Collection("others")
	var led, all, other [2]recorder
	var apps []*app
	for i, name := range []string{"one", "two"} {
		leads := stream(fw.SingleLeader, &led[i])
		everywhere := stream(fw.AllInstances, &all[i])
		everywhere.Name = "everywhere"
		elsewhere := stream(fw.SingleLeader, &other[i])
		elsewhere.Name, elsewhere.Collections = "others", []string{"others"}
		apps = append(apps, b.run(fw.Config{Instance: name}, leads, everywhere, elsewhere))
	}
	for _, id := range []string{"items", "others", "everywhere#one", "everywhere#two"} {
		apps[0].awaitPosition(id)
	}
	b.insert(span(1, 10)...)
	_, err := others.InsertOne(b.Context(), item{ID: 100})
	must(b, err)
	for i, a := range apps {
		all[i].expect(a, span(1, 10)...)
	}
	for what, pair := range map[string]*[2]recorder{"items": &led, "others": &other} {
		want := map[string]int{"items": 10, "others": 1}[what]
		eventually(b, patience, atLeast("events of "+what, want, func() int {
			return pair[0].count() + pair[1].count()
		}), apps[0], apps[1])
		if n := pair[0].count() + pair[1].count(); n != want || pair[0].count()*pair[1].count() > 0 {
			b.Errorf("%s: %d and %d events, want %d on one side", what, pair[0].count(),
				pair[1].count(), want)
		}
	}
}

func TestSendToDLQAndCheckpointAreSeenInTheState(t *testing.T) {
	inBothModes(t, mongotest.Needs{}, func(b *bundle, mode fw.Mode) {
		id := checkpointID(mode)
		var faults []error // of the handler, which runs alone
		fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
		r := recorder{also: func(ctx context.Context, ev *fw.Event[item]) error {
			switch ev.Doc.ID {
			case int32(1):
				if err := ev.Checkpoint(ctx); err != nil {
					fault("Checkpoint: %w", err)
				}
				stored := checkpointOf(b, b.db, id).Position
				if mine := ev.Raw.Lookup("_id").Document(); dataOf(stored.Token) < dataOf(mine) {
					fault("after Checkpoint the position is %+v, before the event's", stored)
				}
				return errors.New("too late to matter")
			case int32(2):
				ev.Set("who", "the handler")
				if err := ev.SendToDLQ(ctx, "not for us"); err != nil {
					fault("SendToDLQ: %w", err)
				}
				if n := len(deadLettersOf(b, b.db, "items")); n != 1 {
					fault("after SendToDLQ there are %d dead letters", n)
				}
				return errors.New("too late to matter")
			}
			return nil
		}}
		s := stream(mode, &r) // declares no dead letters
		s.Retry.Attempts = 3
		s.Checkpoint.Interval = time.Hour
		a := b.run(fw.Config{}, s)
		a.awaitPosition(id)
		b.insert(1, 2, 3)
		r.expect(a, 1, 2, 3)
		a.stop()
		for _, err := range faults {
			b.Error(err)
		}
		letters := deadLettersOf(b, b.db, "items")
		if len(letters) != 1 {
			b.Fatalf("%d dead letters, want 1", len(letters))
		}
		l := letters[0]
		if l.Error.Message != "not for us" || l.Attempts != 1 || l.Metadata["who"] != "the handler" ||
			l.ID != id+"/"+r.all()[1].event {
			b.Errorf("dead letter %+v", l)
		}
		if at := checkpointOf(b, b.db, id).Position; dataOf(at.Token) < r.all()[2].token {
			b.Errorf("after the stop the position is %+v, want that of the last event", at)
		}
	})
}

func TestObserverHearsFactsInTheirOrder(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	facts := &observed{}
	r := recorder{also: func(_ context.Context, ev *fw.Event[item]) error {
		if ev.Doc.ID == int32(2) && ev.Attempt < 3 {
			return errors.New("not yet")
		}
		return nil
	}}
	s := stream(fw.SingleLeader, &r)
	s.Retry.Attempts = 2
	s.DLQ.Enabled = true
	a := b.run(fw.Config{Observer: facts}, s)
	a.await("items", fw.StateRunning, "")
	b.insert(1, 2, 3)
	r.expect(a, 1, 2, 2, 3)
	a.stop()
	// States are told by another side than what causes them, in an order of their own.
	var told, states []string
	for _, f := range facts.all() {
		switch f := f.(type) {
		case fact.StateChanged:
			if f.To != string(fw.StateBackingOff) { // a slow server is no news here
				states = append(states, f.To+" "+f.Code)
			}
		case fact.PositionSaved:
		default:
			told = append(told, factName(f))
		}
	}
	want := []string{
		"LeaseAcquired", "ReaderOpened", "EventSettled", "AttemptFailed", "AttemptFailed",
		"EventSettled", "EventSettled", "LeaseReleased",
	}
	if !slices.Equal(told, want) {
		b.Errorf("facts %v\nwant %v", told, want)
	}
	want = []string{"starting taking_over", "starting opening", "running ", "stopped shutdown"}
	if !slices.Equal(states, want) {
		b.Errorf("states %q\nwant %q", states, want)
	}
	outcomes := []fact.Outcome{fact.Handled, fact.DeadLettered, fact.Handled}
	for i, f := range facts.of("EventSettled") {
		settled := f.(fact.EventSettled)
		if settled.Outcome != outcomes[i] || settled.Term != 1 || settled.Stream.Stream != "items" {
			b.Errorf("fact %+v, want outcome %s", settled, outcomes[i])
		}
	}
	if len(facts.of("PositionSaved")) < 2 {
		b.Error("fewer than two positions are told of")
	}
}

func TestOnlyAndExceptLeaveStreamsOut(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var r [3]recorder
	var streams []fw.Stream
	for i, name := range []string{"a", "b", "c"} {
		s := stream(fw.AllInstances, &r[i])
		s.Name = name
		streams = append(streams, s)
	}
	only := b.run(fw.Config{Instance: "only", Only: []string{"a"}}, streams...)
	except := b.run(fw.Config{Instance: "except", Except: []string{"a", "b"}}, streams...)
	only.awaitPosition("a#only")
	except.awaitPosition("c#except")
	b.insert(1)
	r[0].expect(only, 1)
	r[2].expect(except, 1)
	for a, excluded := range map[*app][]string{only: {"b", "c"}, except: {"a", "b"}} {
		for _, name := range excluded {
			a.await(name, fw.StateStopped, "excluded")
		}
	}
	if n := r[1].count(); n > 0 {
		b.Errorf("the stream that runs nowhere has %d events", n)
	}
	unknown := b.run(fw.Config{Only: []string{"d"}}, streams...)
	unknown.awaitEnd()
	for _, name := range []string{`"d"`, "a, b, c"} {
		if unknown.err == nil || !strings.Contains(unknown.err.Error(), name) {
			b.Errorf("Run returned %v, want it to name %s", unknown.err, name)
		}
	}
}

func TestStreamStartedAndStoppedByHandIsHandedOver(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{})
	var r [2]recorder
	var apps []*app
	for i, name := range []string{"one", "two"} {
		s := stream(fw.SingleLeader, &r[i])
		s.ManualStart = true
		apps = append(apps, b.run(fw.Config{Instance: name}, s))
	}
	for _, a := range apps {
		a.await("items", fw.StateStopped, "manual")
	}
	must(b, apps[0].Start(b.Context(), "items"))
	apps[0].await("items", fw.StateRunning, "")
	must(b, apps[1].Start(b.Context(), "items"))
	apps[1].await("items", fw.StateStandby, "")
	b.insert(1)
	r[0].expect(apps[0], 1)

	stopped := time.Now()
	must(b, apps[0].Stop(b.Context(), "items"))
	b.insert(2)
	r[1].expect(apps[1], 2)
	if took := time.Since(stopped); took > time.Second {
		b.Errorf("handed over after %s, want at most 1 s", took)
	}
	if reason := apps[0].status("items"); reason.State != fw.StateStopped || reason.Leader {
		b.Errorf("status after Stop: %+v", reason)
	}
	must(b, apps[0].Start(b.Context(), "items"))
	apps[0].await("items", fw.StateStandby, "")
	must(b, apps[1].Stop(b.Context(), "items"))
	b.insert(3)
	r[0].expect(apps[0], 1, 3)
	if err := apps[0].Start(b.Context(), "nothing"); err == nil ||
		!strings.Contains(err.Error(), "items") {
		b.Errorf("Start of an unknown stream: %v, want the known ones", err)
	}
}
