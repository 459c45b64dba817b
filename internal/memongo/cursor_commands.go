package memongo

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

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
	return bson.D{{Key: "cursor", Value: r.timed(c)}}
}

func getMore(r *request) (bson.D, error) {
	id, ok := r.args.get(r.command.name)
	number, isLong := id.(int64)
	if !ok || !isLong {
		r.args.wrongType(r.command.name, id, "long")
		return nil, r.args.failed()
	}
	name, _ := r.args.str("collection")
	r.args.require("collection")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	ns := storage.Namespace{DB: r.db, Collection: name}
	limit, _ := r.batchSize()
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	cur, err := r.server.cursors.pin(number, ns)
	if err != nil {
		return nil, err
	}
	defer r.server.cursors.unpin(cur)
	if err := r.mayRead(cur); err != nil {
		return nil, err
	}
	defer r.under(cur.life)()
	if d, ok := cur.source.(*documents); ok {
		if gone := r.server.cursors.gone(d); gone != "" {
			r.server.cursors.remove(cur.id, nil)
			return nil, mongoerr.New(mongoerr.QueryPlanKilled, "%s", gone)
		}
	}
	batch, done, err := r.more(cur, limit)
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
