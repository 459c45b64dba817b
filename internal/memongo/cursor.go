package memongo

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

const (
	// firstBatch is how many documents a cursor hands out before it is asked for more.
	firstBatch = 101

	// cursorLifetime is how long a cursor is kept that nobody reads from.
	cursorLifetime = 10 * time.Minute

	// defaultAwait is how long a change stream waits where the client does not say.
	defaultAwait = time.Second
)

// source is where a cursor's documents come from.
type source interface {
	// next returns at most limit documents (0: no limit of the client's). With await it waits for
	// the first until ctx ends, where there may be one later. Done says that there will be no
	// more.
	next(ctx context.Context, limit int, await bool) (batch page, done bool, err error)
	// opening is the first page of a cursor that is opened without reading from it.
	opening() page
}

// page is what a cursor hands out at once.
type page struct {
	docs []bson.D
	pbrt bson.D // post-batch resume token of a change stream; nil otherwise

	invalidated bool // the change stream has ended
}

// cursor is a result that a client reads in parts.
type cursor struct {
	id      int64
	ns      storage.Namespace
	source  source
	session *session // nil without one
	txn     *transaction
	expiry  *time.Timer

	pinned bool // while somebody reads; guarded by cursors.mu
	life   context.Context
	kill   context.CancelCauseFunc
}

// cursors are the server's open cursors.
type cursors struct {
	server *Server
	mu     sync.Mutex
	open   map[int64]*cursor // guarded by mu
}

func newCursors(s *Server) *cursors {
	return &cursors{server: s, open: make(map[int64]*cursor)}
}

// add keeps a cursor for later.
func (c *cursors) add(cur *cursor) {
	cur.life, cur.kill = context.WithCancelCause(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	for cur.id == 0 || c.open[cur.id] != nil {
		cur.id = rand.Int64()
	}
	c.open[cur.id] = cur
	cur.expiry = time.AfterFunc(cursorLifetime, func() { c.remove(cur.id, nil) })
}

// pin gives a cursor to one reader.
func (c *cursors) pin(id int64, ns storage.Namespace) (*cursor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cur, ok := c.open[id]
	switch {
	case !ok:
		return nil, mongoerr.New(mongoerr.CursorNotFound, "cursor id %d not found", id)
	case cur.ns != ns:
		return nil, mongoerr.New(mongoerr.Unauthorized, "Requested getMore on namespace '%s', "+
			"but cursor belongs to a different namespace %s", ns, cur.ns)
	case cur.pinned:
		return nil, mongoerr.New(mongoerr.CursorInUse, "cursor id %d is already in use", id)
	}
	cur.pinned = true
	cur.expiry.Stop()
	return cur, nil
}

// gone says what has become of the documents' collection, "" if it is there.
func (c *cursors) gone(d *documents) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return d.gone
}

// unpin takes the cursor back.
func (c *cursors) unpin(cur *cursor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cur.pinned = false
	if c.open[cur.id] == cur {
		cur.expiry.Reset(cursorLifetime)
	}
}

// remove ends a cursor and whoever reads from it. It reports whether there was one.
func (c *cursors) remove(id int64, why error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cur, ok := c.open[id]
	if !ok {
		return false
	}
	delete(c.open, id)
	cur.expiry.Stop()
	cur.kill(why)
	return true
}

func errCursorKilled() error {
	return mongoerr.New(mongoerr.CursorKilled, "operation was interrupted")
}

// killOn makes the cursors of collections that are gone end with their next read.
func (c *cursors) killOn(why string, gone func(storage.Namespace) bool) {
	for _, cur := range c.all() {
		if d, ok := cur.source.(*documents); ok && gone(cur.ns) {
			c.mu.Lock()
			d.gone = why
			c.mu.Unlock()
		}
	}
}

// killOf ends the cursors of a session.
func (c *cursors) killOf(s *session) {
	for _, cur := range c.all() {
		if cur.session.same(s) {
			c.remove(cur.id, errSessionKilled())
		}
	}
}

func (c *cursors) all() []*cursor {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*cursor, 0, len(c.open))
	for _, cur := range c.open {
		list = append(list, cur)
	}
	return list
}

func (c *cursors) close() {
	for _, cur := range c.all() {
		c.remove(cur.id, errClosed)
	}
}

// documents is the source of documents that are all there.
type documents struct {
	rest    []bson.D
	limited bool   // there are as many as were asked for, so that nobody looks for more
	gone    string // what has become of the collection, if it is gone; guarded by cursors.mu
}

func (*documents) opening() page { return page{} }

func (d *documents) next(_ context.Context, limit int, _ bool) (page, bool, error) {
	size, n := 0, 0
	for n < len(d.rest) && (limit == 0 || n < limit) {
		one := value.Size(d.rest[n])
		if one > maxAnswered {
			return page{}, false, mongoerr.New(mongoerr.BSONObjectTooLarge, "BSONObj size: %d "+
				"(0x%X) is invalid. Size must be between 0 and %d(16MB)", one, one, maxAnswered)
		}
		if size += one; size > maxDocument && n > 0 {
			break
		}
		n++
	}
	batch := d.rest[:n]
	d.rest = d.rest[n:]
	// A batch that is full may be followed by an empty one, as on a server.
	done := len(d.rest) == 0 && (d.limited || limit == 0 || n < limit)
	return page{docs: batch}, done, nil
}
