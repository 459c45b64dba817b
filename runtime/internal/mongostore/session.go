package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// ready makes sure that the writer has a session that the checkpoint names. Whoever takes the
// stream over can then end it, and is not locked out by a transaction that nobody ends.
//
// The session is used for nothing else, and goes back to the driver's pool only when it is not
// recorded any more: else a take-over would end whatever the client used it for next.
func (w *writer) ready(ctx context.Context, term int64) error {
	if w.session != nil && w.recorded == term && !w.doubtful {
		return nil
	}
	old := w.session
	if w.doubtful {
		_ = w.letters.checkpoints.killSession(ctx, sessionID(old)) // else record waits for it
	}
	session := old
	if old == nil || w.doubtful {
		var err error
		session, err = w.letters.db.db.Client().StartSession(
			options.Session().SetCausalConsistency(false))
		if err != nil {
			return err
		}
	}
	if err := w.record(ctx, session, term); err != nil {
		if session != old {
			session.EndSession(ctx)
		}
		return err
	}
	if old != nil && session != old {
		old.EndSession(ctx)
	}
	w.session, w.recorded, w.doubtful = session, term, false
	return nil
}

// record stores the id of a session in the checkpoint, unless a higher term owns it.
func (w *writer) record(ctx context.Context, session *mongo.Session, term int64) error {
	c := w.letters.checkpoints
	var matched int64
	err := c.unblocked(ctx, w.checkpoint, term, func() (err error) {
		matched, err = c.db.update(ctx, c.collection, w.fenced(term), bson.D{
			kv("$set", bson.D{kv("session", bson.D{
				kv("id", sessionID(session)),
				kv("term", term),
			})}),
		})
		return err
	})
	if err == nil && matched == 0 {
		err = c.refusal(ctx, w.checkpoint, term, noSeq)
	}
	return err
}

// end gives the session back, after taking it out of the checkpoint. A session that can't be taken
// out is left to the server, which forgets it after half an hour.
func (w *writer) end(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if w.session == nil {
		return nil
	}
	c := w.letters.checkpoints
	if w.doubtful {
		_ = c.killSession(ctx, sessionID(w.session)) // else the update waits for it
	}
	_, err := c.db.update(ctx, c.collection,
		bson.D{kv("_id", w.checkpoint), kv("session.id", sessionID(w.session))},
		bson.D{kv("$unset", bson.D{kv("session", "")})})
	if err != nil {
		return err
	}
	w.session.EndSession(ctx)
	w.session, w.recorded, w.doubtful = nil, 0, false
	return nil
}

// abort ends the transaction in the server, also when ctx was cancelled.
func (w *writer) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reserved(ctx))
	defer cancel()
	_ = w.session.AbortTransaction(ctx) // the next transaction of the session ends it too
}

// reserve keeps some of the time that is left for an abort: a transaction that is left open would
// lock the checkpoint.
func reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithDeadline(ctx, deadline.Add(-reserved(ctx)))
}

func reserved(ctx context.Context) time.Duration {
	const most, least = 500 * time.Millisecond, 20 * time.Millisecond
	deadline, _ := ctx.Deadline()
	return max(least, min(most, time.Until(deadline)/8))
}

func sessionID(session *mongo.Session) bson.RawValue { return session.ID().Lookup("id") }

// transactionOptions says everything, so that nothing is the client's default.
func transactionOptions() *options.TransactionOptionsBuilder {
	return options.Transaction().
		SetReadConcern(readconcern.Local()).
		SetReadPreference(readpref.Primary()).
		SetWriteConcern(writeconcern.Majority())
}
