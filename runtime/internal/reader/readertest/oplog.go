package readertest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/reader"
)

// Oplog is the events of one collection, and a [reader.Source] of them.
type Oplog struct {
	tb testing.TB

	// BatchSize bounds a batch. Set it before the first open. Defaults to 100.
	BatchSize int

	mu      sync.Mutex // guards everything below
	now     bson.Timestamp
	entries []entry
	more    chan struct{} // closed when there are new entries
	fault   func(Call) error
	opens   []Open
	calls   int // to cursors, but for Close
	cursors int // open ones
}

type entry struct {
	raw   bson.Raw
	token change.Token
	at    bson.Timestamp
	ends  bool // the cursor
}

// Open is one open, as it was asked for.
type Open struct {
	From reader.From
	At   time.Time
}

// Call is what a fault is chosen by.
type Call struct {
	Open int // number of the open, from 1
	Next int // number of the cursor's question to the server, from 1; 0: the open itself
}

var (
	// ErrHang, as a fault, makes a call go unanswered until its deadline.
	ErrHang = errors.New("hang")
	// ErrEnd, as a fault, makes a cursor end by itself, without an error.
	ErrEnd = errors.New("end")
)

// Code is the error of a server with that code.
func Code(code int32) error { return mongo.CommandError{Code: code, Message: "scripted"} }

// New returns an empty oplog.
func New(tb testing.TB) *Oplog {
	return &Oplog{
		tb: tb, BatchSize: 100, more: make(chan struct{}),
		now: bson.Timestamp{T: uint32(time.Now().Unix())},
	}
}

// Add appends an event and returns it.
func (o *Oplog) Add(op string, fields ...bson.E) change.Event {
	return o.add(op, tokenEvent, false, fields)
}

// Insert appends the insert of the document {_id: id}.
func (o *Oplog) Insert(id int) change.Event { return o.Add("insert", insertFields(id)...) }

// InsertN appends n inserts, with ids from 1.
func (o *Oplog) InsertN(n int) {
	for id := 1; id <= n; id++ {
		o.Insert(id)
	}
}

// Drop appends the drop of the collection and the invalidate that follows it.
func (o *Oplog) Drop() (drop, invalidate change.Event) {
	return o.Add("drop"), o.add("invalidate", tokenInvalidate, true, nil)
}

// Rename appends a rename and the invalidate that follows it.
func (o *Oplog) Rename() (rename, invalidate change.Event) {
	return o.Add("rename"), o.add("invalidate", tokenInvalidate, true, nil)
}

func (o *Oplog) add(op, kind string, ends bool, fields []bson.E) change.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.now
	if kind == tokenEvent {
		at = o.tick()
	}
	lent := raw(at, kind, op, fields)
	e, err := change.Parse(lent)
	if err != nil {
		e.Token = parsed(token(at, kind)) // a test of what is no event
	}
	o.entries = append(o.entries, entry{raw: lent, token: e.Token, at: at, ends: ends})
	close(o.more)
	o.more = make(chan struct{})
	return e
}

// tick moves the cluster time on. The caller holds mu.
func (o *Oplog) tick() bson.Timestamp {
	if t := uint32(time.Now().Unix()); t > o.now.T {
		o.now = bson.Timestamp{T: t}
	}
	o.now.I++
	return o.now
}

// SetFault makes choose decide what happens to every call to the server from now on.
func (o *Oplog) SetFault(choose func(Call) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fault = choose
}

// Opens returns every open, in order.
func (o *Oplog) Opens() []Open {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.opens)
}

// Cursors returns how many cursors are open.
func (o *Oplog) Cursors() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cursors
}

// Calls returns how many calls were made to cursors.
func (o *Oplog) Calls() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.calls
}

// Open implements [reader.Source].
func (o *Oplog) Open(
	ctx context.Context, from reader.From,
) (reader.Cursor, func() bson.Raw, error) {
	o.mustLive(ctx, "Open")
	if !from.After.IsZero() {
		from.After = parsed(bytes.Clone(from.After.Raw))
	}
	o.mu.Lock()
	o.opens = append(o.opens, Open{From: from, At: time.Now()})
	number := len(o.opens)
	o.mu.Unlock()
	if err := o.answer(ctx, Call{Open: number}); err != nil {
		return nil, nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cursors++
	c := &Cursor{oplog: o, number: number, id: int64(number)}
	c.place(from)
	return c, func() bson.Raw { return c.current }, nil
}

// answer returns the fault of a call.
func (o *Oplog) answer(ctx context.Context, call Call) error {
	o.mu.Lock()
	fault := o.fault
	o.mu.Unlock()
	if fault == nil {
		return nil
	}
	err := fault(call)
	if errors.Is(err, ErrHang) {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (o *Oplog) mustLive(ctx context.Context, call string) {
	if ctx.Err() != nil {
		o.tb.Errorf("%s under a context that has ended: %v", call, context.Cause(ctx))
	}
	if _, ok := ctx.Deadline(); !ok {
		o.tb.Errorf("%s under a context without a deadline", call)
	}
}
