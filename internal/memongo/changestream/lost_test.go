package changestream_test

import (
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

const historyLost = "Resume of change stream was not possible, as the resume point may no longer " +
	"be in the oplog."

func TestALostPositionIsFoundByTheFirstRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start := b.now()
	b.insert("db.c", int32(1))
	byTime := on("db.c")
	byTime.StartAt = start
	tok := idOf(b.all(byTime).events[0])
	resume := on("db.c")
	resume.ResumeAfter = tok
	for i := range 10 {
		b.insert("db.c", int32(10+i))
	}
	b.engine.Oplog().Truncate(3)
	for _, o := range []changestream.Options{byTime, resume, after("db.c", tok)} {
		b.wantError(b.open(o), false, 286, inAggregate+" :: caused by :: "+historyLost, nonResumable)
		s := b.open(o)
		if data(s.Position()) == "" {
			t.Error("a stream opened at a lost position has no token")
		}
		b.wantError(s, true, 286, inGetMore+" :: caused by :: "+historyLost, nonResumable)
	}
	oldest := b.engine.Oplog().First()
	byTime.StartAt = &oldest
	b.want(b.all(byTime), "the oldest entry", "insert c 17", "insert c 18", "insert c 19")
}

func TestAnOpenStreamWhosePositionIsForgottenFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	s := b.open(on("db.c"))
	for i := range 10 {
		b.insert("db.c", int32(i))
	}
	b.want(b.next(s, 1), "before", "insert c 0")
	last := b.engine.ClusterTime()
	b.engine.Oplog().Truncate(3)
	_, _, _, err := s.Next(t.Context(), 1, 0, true)
	if !mongoerr.Is(err, mongoerr.CappedPositionLost) || len(labelsOf(err)) > 0 ||
		!strings.Contains(err.Error(), "CollectionScan died due to position in capped collection "+
			"being deleted. Last seen record id: RecordId(") {
		t.Errorf("error %v with labels %v", err, labelsOf(err))
	}

	s = b.open(on("db.c")) // caught up: nothing after its position was forgotten
	b.want(b.next(s, 0), "caught up")
	b.insert("db.c", int32(10))
	b.engine.Oplog().Truncate(1)
	if b.engine.Oplog().First() == last {
		t.Fatal("the oplog keeps what it was to forget")
	}
	b.want(b.next(s, 0), "goes on", "insert c 10")
}

func TestAWindowOfEntriesBoundsTheHistory(t *testing.T) {
	t.Parallel()
	e := storage.New(storage.Options{TTLMonitorInterval: -1, OplogEntries: 5})
	t.Cleanup(e.Close)
	b := &bench{t: t, engine: e}
	o := on("db.c")
	o.StartAt = b.now()
	for i := range 10 {
		b.insert("db.c", int32(i))
	}
	b.wantError(b.open(o), false, 286, inAggregate+" :: caused by :: "+historyLost, nonResumable)
}
