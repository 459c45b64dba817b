package memongo

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
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

// gone reports whether the documents' collection has been dropped.
func (c *cursors) gone(d *documents) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return d.dropped
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

// killOn makes the cursors of a collection that is gone end with their next read.
func (c *cursors) killOn(ns storage.Namespace) {
	for _, cur := range c.all() {
		if d, ok := cur.source.(*documents); ok && cur.ns == ns {
			c.mu.Lock()
			d.dropped = true
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
	limited bool // there are as many as were asked for, so that nobody looks for more
	dropped bool // the collection is gone; guarded by cursors.mu
}

func (*documents) opening() page { return page{} }

func (d *documents) next(_ context.Context, limit int, _ bool) (page, bool, error) {
	size, n := 0, 0
	for n < len(d.rest) && (limit == 0 || n < limit) {
		raw, err := value.Encode(d.rest[n])
		if err != nil {
			return page{}, false, err
		}
		if size += len(raw); size > maxDocument && n > 0 {
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

// reply is a cursor's part of an answer.
func (r *request) reply(id int64, ns storage.Namespace, field string, p page) bson.D {
	batch := make(bson.A, 0, len(p.docs))
	for _, doc := range p.docs {
		batch = append(batch, doc)
	}
	if strings.HasPrefix(r.command.name, "list") { // they have another order
		return bson.D{{Key: "cursor", Value: bson.D{
			{Key: "id", Value: id}, {Key: "ns", Value: ns.String()}, {Key: field, Value: batch},
		}}}
	}
	c := bson.D{{Key: field, Value: batch}}
	if p.pbrt != nil {
		c = append(c, bson.E{Key: "postBatchResumeToken", Value: p.pbrt})
	}
	if p.invalidated {
		c = append(c, bson.E{Key: "invalidated", Value: true})
	}
	c = append(c, bson.E{Key: "id", Value: id}, bson.E{Key: "ns", Value: ns.String()})
	return bson.D{{Key: "cursor", Value: c}}
}

func getMore(r *request) (bson.D, error) {
	id, ok := r.args.get(r.name)
	number, isLong := id.(int64)
	if !ok || !isLong {
		r.args.wrongType(r.name, id, "long")
		return nil, r.args.failed()
	}
	name, _ := r.args.str("collection")
	r.args.require("collection")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	ns := storage.Namespace{DB: r.db, Collection: name}
	cur, err := r.server.cursors.pin(number, ns)
	if err != nil {
		return nil, err
	}
	defer r.server.cursors.unpin(cur)
	if err := r.mayRead(cur); err != nil {
		return nil, err
	}
	defer r.under(cur.life)()
	if d, ok := cur.source.(*documents); ok && r.server.cursors.gone(d) {
		r.server.cursors.remove(cur.id, nil)
		return nil, mongoerr.New(mongoerr.QueryPlanKilled, "the collection %s was dropped", ns)
	}
	limit, _ := r.args.int("batchSize")
	batch, done, err := r.more(cur, int(limit))
	if err != nil {
		r.server.cursors.remove(cur.id, nil)
		return nil, err
	}
	if done {
		r.server.cursors.remove(cur.id, nil)
		number = 0
	}
	return r.reply(number, ns, "nextBatch", batch), nil
}

// mayRead refuses to read a cursor outside of the session and transaction that it was opened in.
func (r *request) mayRead(cur *cursor) error {
	ms, _ := r.args.int("maxTimeMS")
	_, awaits := cur.source.(events)
	switch {
	case !cur.session.same(r.session):
		return mongoerr.New(50738, "Cannot run getMore on cursor %d, which was created in "+
			"session %s, in session %s", cur.id, cur.session, r.session)
	case cur.txn != r.txn:
		return mongoerr.New(50740, "Cannot run getMore on cursor %d, which was created in "+
			"transaction %s, without a txnNumber", cur.id, cur.txn)
	case ms > 0 && !awaits:
		return mongoerr.New(mongoerr.BadValue,
			"cannot set maxTimeMS on getMore command for a non-awaitData cursor")
	}
	return nil
}

// more reads from a cursor, for as long as the client is willing to wait.
func (r *request) more(cur *cursor, limit int) (page, bool, error) {
	await := defaultAwait
	if ms, ok := r.args.int("maxTimeMS"); ok && ms > 0 {
		await = time.Duration(ms) * time.Millisecond
	}
	ctx, cancel := context.WithTimeoutCause(r.ctx, await, errAwaited)
	defer cancel()
	batch, done, err := cur.source.next(ctx, limit, true)
	if err == nil && r.ctx.Err() != nil {
		return page{}, false, explained("Executor error during getMore", r.interrupted())
	}
	return batch, done, err
}

// errAwaited is why a read ends that has waited long enough. It is no failure.
var errAwaited = errors.New("no data within the time that the client waits")

func killCursors(r *request) (bson.D, error) {
	killed, missing := bson.A{}, bson.A{}
	ids, _ := r.args.array("cursors")
	r.args.require("cursors")
	for i, v := range ids {
		id, ok := v.(int64)
		if !ok {
			r.args.wrongType("cursors."+strconv.Itoa(i), v, "long")
			return nil, r.args.failed()
		}
		if r.server.cursors.remove(id, errCursorKilled()) {
			killed = append(killed, id)
		} else {
			missing = append(missing, id)
		}
	}
	return bson.D{
		{Key: "cursorsKilled", Value: killed},
		{Key: "cursorsNotFound", Value: missing},
		{Key: "cursorsAlive", Value: bson.A{}},
		{Key: "cursorsUnknown", Value: bson.A{}},
	}, nil
}
