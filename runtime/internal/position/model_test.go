package position_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
	"github.com/fwgen/fwgen/runtime/store"
)

// model is the plain list that a tracker must agree with.
type model struct {
	tracker *position.Tracker
	limits  position.Limits
	entries []modelEntry // everything that ever arrived
	last    change.Token
	n       int // of the last event or marker
	slots   map[int]position.Slot
	before  position.Watermark
}

type modelEntry struct {
	token   change.Token
	event   bool
	bytes   int64
	settled bool
}

func TestTrackerAgreesWithAPlainList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := int64(len(readertest.Insert(1).Raw))
		limits := position.Limits{
			Window: rapid.IntRange(1, 20).Draw(t, "window"),
			Bytes:  rapid.Int64Range(1, 20*size).Draw(t, "bytes"),
			Every:  rapid.IntRange(1, 10).Draw(t, "every"),
		}
		from := readertest.Token(0)
		m := &model{
			tracker: position.NewTracker(limits, from), limits: limits, last: from,
			slots: map[int]position.Slot{},
		}
		t.Repeat(map[string]func(*rapid.T){
			"event":  m.event,
			"marker": m.marker,
			"settle": m.settle,
			"again":  m.settleAgain,
			"":       m.check,
		})
		m.settleAll(t)
	})
}

// head is how many entries the settled prefix has.
func (m *model) head() int {
	for i, e := range m.entries {
		if !e.settled {
			return i
		}
	}
	return len(m.entries)
}

func (m *model) load() (window, unsettled int, bytes int64) {
	for _, e := range m.entries[m.head():] {
		if e.event {
			window++
		}
		if !e.settled {
			unsettled++
			bytes += e.bytes
		}
	}
	return window, unsettled, bytes
}

func (m *model) event(t *rapid.T) {
	m.n++
	e := readertest.Insert(m.n)
	window, unsettled, bytes := m.load()
	size := int64(len(e.Raw))
	room := unsettled == 0 || window < m.limits.Window && bytes+size <= m.limits.Bytes
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	slot, err := m.tracker.Event(ctx, &e)
	if (err == nil) != room {
		t.Fatalf("let in: %t, want %t (window %d, bytes %d)", err == nil, room, window, bytes)
	}
	if err != nil {
		return
	}
	m.slots[len(m.entries)] = slot
	m.entries = append(m.entries, modelEntry{token: e.Token, event: true, bytes: size})
	m.last = e.Token
}

func (m *model) marker(t *rapid.T) {
	n := rapid.IntRange(max(m.n-2, 0), m.n).Draw(t, "n")
	token := readertest.PBRT(n)
	m.tracker.Marker(token, store.PositionIdle)
	if token.Compare(m.last) <= 0 {
		return
	}
	m.last = token
	m.entries = append(m.entries, modelEntry{token: token, settled: true})
}

func (m *model) settle(t *rapid.T) {
	var open []int
	for i, e := range m.entries {
		if !e.settled {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		t.Skip("nothing to settle")
	}
	i := rapid.SampledFrom(open).Draw(t, "entry")
	m.tracker.Settle(m.slots[i])
	m.entries[i].settled = true
}

func (m *model) settleAgain(t *rapid.T) {
	for i, e := range m.entries {
		if e.settled && e.event {
			m.tracker.Settle(m.slots[i])
			return
		}
	}
	t.Skip("nothing is settled")
}

func (m *model) check(t *rapid.T) {
	mark := m.tracker.Watermark()
	got := mark.Position()
	head := m.head()
	var want change.Token
	settled := uint64(0)
	for _, e := range m.entries[:head] {
		want = e.token
		if e.event {
			settled++
		}
	}
	if string(got.Token) != string(want.Raw) {
		t.Fatalf("watermark %v, want %v", got.Token, want.Raw)
	}
	if mark.Settled != settled {
		t.Fatalf("settled %d, want %d", mark.Settled, settled)
	}
	if mark.Settled < m.before.Settled || mark.Passed < m.before.Passed {
		t.Fatalf("the watermark went back from %+v to %+v", m.before, mark)
	}
	before := m.before.Position()
	if moved := string(got.Token) != string(before.Token); moved != (mark.Passed > m.before.Passed) {
		t.Fatalf("moved: %t, though Passed went from %d to %d", moved, m.before.Passed, mark.Passed)
	}
	m.before = mark
	_, unsettled, bytes := m.load()
	if load := m.tracker.Load(); load.Unsettled != unsettled || load.Bytes != bytes {
		t.Fatalf("load %+v, want %d events of %d bytes", load, unsettled, bytes)
	}
}

// settleAll checks that nothing is held for ever.
func (m *model) settleAll(t *rapid.T) {
	for i, e := range m.entries {
		if !e.settled {
			m.tracker.Settle(m.slots[i])
			m.entries[i].settled = true
		}
	}
	m.check(t)
	if load := m.tracker.Load(); load != (position.Load{}) {
		t.Fatalf("everything is settled, and %+v is left", load)
	}
}
