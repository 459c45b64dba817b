package readertest

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/reader"
)

// maxAwait is how long the server waits for an event.
const maxAwait = time.Second

// Cursor is a cursor of an [Oplog].
type Cursor struct {
	oplog  *Oplog
	number int
	busy   atomic.Bool // one goroutine at a time calls it

	next    int // index of the next entry
	batch   []entry
	pbrt    bson.Raw
	id      int64
	asked   int // questions to the server
	begun   bool
	closed  bool
	err     error
	current bson.Raw // lent until the next call
	token   bson.Raw // lent, too
}

// place puts the cursor where it begins. The oplog's mu is held.
func (c *Cursor) place(from reader.From) {
	o := c.oplog
	switch {
	case !from.After.IsZero():
		for c.next < len(o.entries) && o.entries[c.next].token.Compare(from.After) <= 0 {
			c.next++
		}
		c.pbrt = from.After.Raw
	case from.AtTime != (bson.Timestamp{}):
		for c.next < len(o.entries) && o.entries[c.next].at.Before(from.AtTime) {
			c.next++
		}
		c.pbrt = token(from.AtTime, tokenPBRT)
	default:
		c.next = len(o.entries)
		c.pbrt = token(o.tick(), tokenPBRT)
	}
	c.lend(nil, c.pbrt)
}

// TryNext is as the driver's.
func (c *Cursor) TryNext(ctx context.Context) bool {
	defer c.enter("TryNext")()
	if ctx.Err() != nil {
		c.oplog.tb.Errorf("TryNext under a context that has ended: %v", context.Cause(ctx))
	}
	if c.err != nil {
		return false
	}
	if len(c.batch) == 0 && !c.ask(ctx) {
		return false
	}
	e := c.batch[0]
	c.batch = c.batch[1:]
	lent := bytes.Clone(e.raw)
	resume := bson.Raw(bytes.Clone(e.token.Raw))
	if len(c.batch) == 0 {
		resume = bytes.Clone(c.pbrt)
		if e.ends {
			c.id = 0
		}
	}
	c.lend(lent, resume)
	return true
}

// lend replaces what is lent, and spoils what was.
func (c *Cursor) lend(current, resume bson.Raw) {
	for _, lent := range []bson.Raw{c.current, c.token} {
		for i := range lent {
			lent[i] = 0xAA
		}
	}
	c.current, c.token = current, bytes.Clone(resume)
}

// ask asks the server for a batch. It reports whether there is one.
func (c *Cursor) ask(ctx context.Context) bool {
	if c.id == 0 {
		return false
	}
	if !c.begun { // what the open answered: an empty batch
		c.begun = true
		return false
	}
	c.oplog.mustLive(ctx, "TryNext")
	c.asked++
	err := c.oplog.answer(ctx, Call{Open: c.number, Next: c.asked})
	switch {
	case err == nil:
		return c.await(ctx)
	case errors.Is(err, ErrEnd):
		c.id = 0
	default:
		c.err = err
	}
	return false
}

// await waits for entries as the server does.
func (c *Cursor) await(ctx context.Context) bool {
	timer := time.NewTimer(maxAwait)
	defer timer.Stop()
	for waited := false; ; {
		more, ok := c.take(waited)
		if ok || waited {
			return ok
		}
		select {
		case <-more:
		case <-ctx.Done():
			c.err = ctx.Err()
			return false
		case <-timer.C:
			waited = true
		}
	}
}

// take takes a batch of what is there, up to the entry that ends the cursor. If there is nothing
// and the server has waited, the post-batch token moves on.
func (c *Cursor) take(waited bool) (more <-chan struct{}, ok bool) {
	o := c.oplog
	o.mu.Lock()
	defer o.mu.Unlock()
	for c.next < len(o.entries) && len(c.batch) < o.BatchSize {
		e := o.entries[c.next]
		c.batch = append(c.batch, e)
		c.next++
		if e.ends {
			break
		}
	}
	if len(c.batch) == 0 {
		if waited {
			c.pbrt = token(o.tick(), tokenPBRT)
			c.lend(nil, c.pbrt)
		}
		return o.more, false
	}
	c.pbrt = c.batch[len(c.batch)-1].token.Raw
	return nil, true
}

// ResumeToken is as the driver's: the event's own within a batch, the post-batch one at its end.
func (c *Cursor) ResumeToken() bson.Raw { return c.token }

// RemainingBatchLength is as the driver's.
func (c *Cursor) RemainingBatchLength() int { return len(c.batch) }

// ID is as the driver's: 0 once the server has ended the cursor.
func (c *Cursor) ID() int64 { return c.id }

// Err is as the driver's.
func (c *Cursor) Err() error { return c.err }

// Close is as the driver's.
func (c *Cursor) Close(ctx context.Context) error {
	defer c.enter("Close")()
	c.oplog.mustLive(ctx, "Close")
	c.closed = true
	c.lend(nil, nil)
	c.oplog.mu.Lock()
	defer c.oplog.mu.Unlock()
	c.oplog.cursors--
	return nil
}

func (c *Cursor) enter(call string) (leave func()) {
	if c.busy.Swap(true) {
		c.oplog.tb.Errorf("%s while another call runs", call)
	}
	if c.closed {
		c.oplog.tb.Errorf("%s after Close", call)
	}
	c.oplog.mu.Lock()
	c.oplog.calls++
	c.oplog.mu.Unlock()
	return func() { c.busy.Store(false) }
}
