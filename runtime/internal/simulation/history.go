package simulation

import (
	"context"
	"math"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// history follows the server's oplog, and so sees every write that the server accepted.
type history struct {
	journal *journal
	oplog   *storage.Oplog
	// granted is told of leases that are acquired.
	granted func(Lease)

	mu    sync.Mutex // guards what follows
	at    storage.Position
	owner map[string]string // of leases, by stream
}

func newHistory(j *journal, oplog *storage.Oplog, granted func(Lease)) *history {
	return &history{journal: j, oplog: oplog, granted: granted, owner: map[string]string{}}
}

// follow catches up with the oplog whenever it grows, until ctx ends.
func (h *history) follow(ctx context.Context) {
	for {
		changed := h.oplog.Changed()
		h.catchUp()
		select {
		case <-changed:
		case <-ctx.Done():
			h.catchUp()
			return
		}
	}
}

// catchUp reads what the oplog has.
func (h *history) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	entries, _ := h.oplog.Since(h.at)
	for i := range entries {
		h.at = entries[i].Position()
		h.read(&entries[i])
	}
}

func (h *history) read(e *storage.Entry) {
	if e.NS.DB != database || e.Op < storage.OpInsert || e.Op > storage.OpDelete {
		return
	}
	switch e.NS.Collection {
	case items:
		h.change(e)
	case checkpoints:
		h.state(e)
	case locks:
		h.lease(e)
	case letters:
		h.letter(e)
	}
}

func (h *history) change(e *storage.Entry) {
	c := Change{Place: Place{e.TS, e.TxnIndex}, Key: str(e.DocumentKey, "_id"),
		Op: opNames[e.Op], Seq: int(num(e.After, "seq"))}
	h.journal.note(func(r *Record, now Moment) {
		c.When = now
		r.Changes = append(r.Changes, c)
	})
}

var opNames = map[storage.Op]string{
	storage.OpInsert: "insert", storage.OpUpdate: "update", storage.OpReplace: "replacement",
	storage.OpDelete: "deletion",
}

func (h *history) state(e *storage.Entry) {
	s := State{Checkpoint: str(e.DocumentKey, "_id"), Term: num(e.After, "term"),
		Seq: num(e.After, "seq"), Kind: str(e.After, "position", "kind")}
	if t, ok := value.Lookup(e.After, "position", "token").(bson.D); ok {
		s.Token, s.Passed = str(t, "_data"), passedBy(t)
	}
	h.journal.note(func(r *Record, now Moment) {
		s.When = now
		r.States = append(r.States, s)
	})
}

func (h *history) lease(e *storage.Entry) {
	l := Lease{Stream: str(e.DocumentKey, "_id"), Owner: str(e.After, "instanceId"),
		Term: num(e.After, "term"), Reason: str(e.After, "released", "reason")}
	_, l.Held = value.Lookup(e.After, "hold").(bson.D)
	before := h.owner[l.Stream]
	h.owner[l.Stream] = l.Owner
	h.journal.note(func(r *Record, now Moment) {
		l.When = now
		r.Leases = append(r.Leases, l)
	})
	if l.Owner != "" && l.Owner != before {
		h.granted(l)
	}
}

func (h *history) letter(e *storage.Entry) {
	id := str(e.DocumentKey, "_id")
	l := Letter{Stream: str(e.After, "streamName"), Term: num(e.After, "term"),
		Attempts: int(num(e.After, "attempts"))}
	if slash := slices.Index([]byte(id), '/'); slash > 0 {
		l.Checkpoint, l.EventID = id[:slash], id[slash+1:]
	}
	if t, ok := value.Lookup(e.After, "resumeToken").(bson.D); ok {
		l.Place = passedBy(t)
	}
	h.journal.note(func(r *Record, now Moment) {
		l.When = now
		r.Letters = append(r.Letters, l)
	})
}

// passedBy returns the last place that a token has behind it: its event's, or whatever came before
// the time of a mark.
func passedBy(doc bson.D) Place {
	t, err := token.Parse(doc)
	if err != nil {
		return Place{}
	}
	if t.Kind == token.Event {
		return Place{t.TS, t.TxnIndex}
	}
	before := t.TS
	if before.I--; t.TS.I == 0 {
		before = bson.Timestamp{T: t.TS.T - 1, I: math.MaxUint32}
	}
	return Place{before, math.MaxInt}
}

// placeOf returns the place of an event, from its token.
func placeOf(raw bson.Raw) Place {
	doc, err := value.Decode(raw)
	if err != nil {
		return Place{}
	}
	return passedBy(doc)
}

func str(doc bson.D, path ...string) string {
	s, _ := value.Lookup(doc, path...).(string)
	return s
}

func num(doc bson.D, path ...string) int64 {
	n, _ := value.Int64(value.Lookup(doc, path...))
	return n
}

// ownerOf returns who owns a lease.
func (h *history) ownerOf(stream string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.owner[stream]
}
