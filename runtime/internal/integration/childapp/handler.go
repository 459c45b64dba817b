package childapp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// handler handles the events of a child, and journals every attempt.
type handler struct {
	Config
	log     *journal.Journal
	effects *mongo.Collection
}

func (h *handler) change(ctx context.Context, ev *fw.Event[Item]) error {
	begun := journal.Now()
	item, err := changed(ev)
	if err != nil {
		return fw.Permanent(err)
	}
	failure := h.handle(ctx, ev, item)
	err = h.log.Append(journal.Entry{
		Instance: h.Instance, Stream: ev.Stream, Term: ev.Term, Attempt: ev.Attempt,
		Event: ev.ID, Key: item.Key, Seq: item.Seq, Begun: begun, Failed: failure != nil,
		Stale: errors.Is(failure, errStale),
	})
	return errors.Join(failure, err)
}

// changed returns what an event did, from the event alone: the document of an update is a later
// one, or gone.
func changed(ev *fw.Event[Item]) (item Item, err error) {
	switch ev.Operation {
	case fw.OpInsert:
		return *ev.Doc, nil
	case fw.OpUpdate:
		err = bson.Unmarshal(ev.Update.Updated, &item)
	case fw.OpDelete:
		item.Seq = Deleted
	default:
		return Item{}, fmt.Errorf("unexpected %s", ev.Operation)
	}
	item.Key, _ = ev.Key.Lookup("_id").StringValueOK()
	return item, err
}

// handle has its effect at the end, if its context still lives then.
func (h *handler) handle(ctx context.Context, ev *fw.Event[Item], item Item) error {
	if h.Fenced {
		ctx = context.WithoutCancel(ctx)
	}
	timer := time.NewTimer(h.Took)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case item.Fails, ev.Attempt <= item.Flaky:
		return errors.New("told to fail")
	case h.Fenced:
		return h.write(ctx, ev.Term)
	}
	return nil
}

var errStale = errors.New("a greater term has had an effect")

// write has an effect that is refused once a greater term has had one.
func (h *handler) write(ctx context.Context, term int64) error {
	result, err := h.effects.UpdateOne(ctx,
		bson.M{"_id": Stream, "term": bson.M{"$lte": term}},
		bson.M{"$set": bson.M{"term": term}, "$inc": bson.M{"n": 1}})
	if err == nil && result.MatchedCount == 0 {
		err = errStale
	}
	return err
}
