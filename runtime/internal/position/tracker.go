package position

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/store"
)

// Limits bound what is read ahead of the oldest unsettled event.
type Limits struct {
	Window int   // events from the oldest unsettled one to the reader, at least 1
	Bytes  int64 // of unsettled events; one event is always let in
	Every  int   // settled events after which the position is due, at least 1
}

// Slot is the place of one event in the arrival order.
type Slot uint64

// Tracker is safe for concurrent use, by one reader and any number of settlers.
type Tracker struct {
	limits Limits
	moved  chan struct{} // 1: the watermark moved since the reader last looked
	due    chan struct{} // 1: the position is due

	mu        sync.Mutex // guards what follows
	entries   []entry    // entries[head:] are not behind the watermark yet
	head      int
	first     Slot // of entries[head]
	last      change.Token
	events    int // entries that are events, settled or not
	unsettled int
	bytes     int64
	watermark Watermark
	dueAt     uint64
}

type entry struct {
	token   change.Token
	kind    store.PositionKind
	at      bson.Timestamp
	bytes   int64
	settled bool
	since   time.Time
}

func (e entry) event() bool { return e.bytes > 0 }

// Watermark is how far everything is settled.
type Watermark struct {
	token change.Token
	kind  store.PositionKind
	at    bson.Timestamp
	// Settled counts the events that were settled and passed since the tracker was made.
	Settled uint64
	// Passed counts the entries, markers included: it grows whenever the position changes.
	Passed uint64
}

// NewTracker returns a tracker of a stream that begins after from, which counts as settled.
func NewTracker(limits Limits, from change.Token) *Tracker {
	return &Tracker{
		limits: limits, last: from, dueAt: uint64(limits.Every),
		moved: make(chan struct{}, 1), due: make(chan struct{}, 1),
	}
}

// Event appends an event, once there is room for it, and returns its slot. It returns an error
// only if ctx ends first.
func (t *Tracker) Event(ctx context.Context, e *change.Event) (Slot, error) {
	size := int64(len(e.Raw))
	for {
		if slot, ok := t.tryEvent(e, size); ok {
			return slot, nil
		}
		select {
		case <-t.moved:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

func (t *Tracker) tryEvent(e *change.Event, size int64) (Slot, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	full := t.events >= t.limits.Window || t.bytes+size > t.limits.Bytes
	if full && t.unsettled > 0 {
		return 0, false
	}
	kind := store.PositionEvent
	if e.Operation == "invalidate" {
		kind = store.PositionInvalidate
	}
	t.entries = append(t.entries, entry{
		token: e.Token, kind: kind, at: e.ClusterTime, bytes: size, since: time.Now(),
	})
	t.last = e.Token
	t.events++
	t.unsettled++
	t.bytes += size
	return t.first + Slot(len(t.entries)-t.head-1), true
}

// Marker appends a post-batch resume token. One that is not beyond the last entry says nothing
// new and is dropped; one behind another marker replaces it. It must not be used again.
func (t *Tracker) Marker(token change.Token, kind store.PositionKind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token.IsZero() || token.Compare(t.last) <= 0 {
		return
	}
	t.last = token
	marker := entry{token: token, kind: kind, at: token.Time(), settled: true}
	if n := len(t.entries); n > t.head && !t.entries[n-1].event() {
		t.entries[n-1] = marker
	} else {
		t.entries = append(t.entries, marker)
	}
	t.advance()
}

// Settle says that the event in slot is done with, for good. Settling twice is harmless.
func (t *Tracker) Settle(slot Slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slot < t.first {
		return
	}
	e := &t.entries[t.head+int(slot-t.first)]
	if e.settled {
		return
	}
	e.settled = true
	t.unsettled--
	t.bytes -= e.bytes
	t.advance()
}

// advance moves the watermark over the settled entries at the head.
func (t *Tracker) advance() {
	for t.head < len(t.entries) && t.entries[t.head].settled {
		e := t.entries[t.head]
		t.entries[t.head] = entry{} // lets go of the event's bytes
		t.head++
		t.first++
		t.watermark.token, t.watermark.kind, t.watermark.at = e.token, e.kind, e.at
		t.watermark.Passed++
		if e.event() {
			t.events--
			t.watermark.Settled++
		}
	}
	if t.head == len(t.entries) || t.head > len(t.entries)/2 && t.head > 1024 {
		rest := copy(t.entries, t.entries[t.head:])
		clear(t.entries[rest:])
		t.entries, t.head = t.entries[:rest], 0
	}
	signal(t.moved)
	if t.watermark.Settled >= t.dueAt {
		signal(t.due)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Due is signalled when as many events were settled since [Tracker.Saved] as limits ask for.
func (t *Tracker) Due() <-chan struct{} { return t.due }

// Saved says that w is stored.
func (t *Tracker) Saved(w Watermark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dueAt = w.Settled + uint64(t.limits.Every)
	if t.watermark.Settled < t.dueAt { // what was settled during the save asked for another
		select {
		case <-t.due:
		default:
		}
	}
}

// Watermark returns how far everything is settled.
func (t *Tracker) Watermark() Watermark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.watermark
}

// Position returns the watermark as it is stored, with bytes of its own; zero if nothing was
// settled yet.
func (w Watermark) Position() store.Position {
	if w.token.IsZero() {
		return store.Position{}
	}
	p := store.Position{Token: w.token.Clone().Raw, Kind: w.kind, ClusterTime: w.at}
	if w.kind == store.PositionEvent {
		p.EventID = change.EventID(w.token, w.at)
	}
	return p
}

// Load is what a tracker holds.
type Load struct {
	Unsettled int
	Bytes     int64
	OldestID  string // "" if every event is settled
	OldestAt  bson.Timestamp
	Since     time.Time // when the oldest was read
}

// Load returns what is in flight.
func (t *Tracker) Load() Load {
	t.mu.Lock()
	defer t.mu.Unlock()
	load := Load{Unsettled: t.unsettled, Bytes: t.bytes}
	for _, e := range t.entries[t.head:] {
		if !e.settled {
			load.OldestID = change.EventID(e.token, e.at)
			load.OldestAt, load.Since = e.at, e.since
			break
		}
	}
	return load
}
