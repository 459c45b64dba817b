package mongostore

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/store"
)

// writer writes the dead letters of one checkpoint, one transaction at a time. They would wait for
// each other anyway, since all of them change the checkpoint.
type writer struct {
	letters    *DeadLetters
	checkpoint string
	turn       chan struct{} // holds a token while somebody uses the fields below

	session  *mongo.Session // nil before the first letter
	recorded int64          // term under which the session is recorded in the checkpoint; 0: none
	doubtful bool           // the session's last transaction may still be open in the server
}

// unfit are the codes by which a server refuses a row for what is in it: too large by itself
// (10334, 17419, 17420, 16493), in the oplog (257) or in the cache (388), too deeply nested (15),
// malformed (22). The layout avoids them, for the servers that it was measured on.
var unfit = []int{10334, 17419, 17420, 16493, 257, 388, 15, 22}

// interrupted is the code of an operation whose session was ended, by a take-over or an operator.
// The server does not label it; to repeat the transaction finds out whose the stream is.
const interrupted = 11601

func (w *writer) write(ctx context.Context, term int64, l store.DeadLetter) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	row, bare := letter.New(l), false
	for attempt := 0; ; attempt++ {
		err := w.attempt(ctx, term, upsert(l, row))
		switch {
		case err == nil:
			return nil
		case hasCode(err, unfit...) && !bare:
			row, bare = letter.Bare(l), true
		case !hasLabel(err, "TransientTransactionError") && !hasCode(err, interrupted):
			return err
		}
		if pause(ctx, attempt) != nil {
			return err
		}
	}
}

// attempt is one transaction. The checkpoint comes first: a conflict with a take-over shows before
// the row is sent.
func (w *writer) attempt(ctx context.Context, term int64, row bson.D) error {
	work, cancel := reserve(ctx)
	defer cancel()
	if err := w.ready(work, term); err != nil {
		return err
	}
	if err := w.session.StartTransaction(transactionOptions()); err != nil {
		return err
	}
	within := mongo.NewSessionContext(work, w.session)
	if err := w.change(within, term, row); err != nil {
		w.abort(ctx)
		if errors.Is(err, errNoMatch) {
			return w.letters.checkpoints.refusal(work, w.checkpoint, term, noSeq)
		}
		return err
	}
	err := w.commit(work)
	if err != nil && !w.doubtful {
		w.abort(ctx)
	}
	return err
}

// errNoMatch says that no checkpoint of at most the letter's term is there.
var errNoMatch = errors.New("no checkpoint matches")

func (w *writer) change(ctx context.Context, term int64, row bson.D) error {
	// A value that changes, so that the transaction conflicts with a raise of the term.
	answer, err := w.letters.db.run(ctx, updateCommand(
		w.letters.checkpoints.collection,
		w.fenced(term),
		bson.D{kv("$inc", bson.D{kv("fence", int64(1))})},
	))
	if err != nil {
		return err
	}
	if document(answer).int("n") == 0 {
		return errNoMatch
	}
	_, err = w.letters.db.run(ctx, row)
	return err
}

// fenced matches the checkpoint while no higher term owns it.
func (w *writer) fenced(term int64) bson.D {
	return bson.D{
		kv("_id", w.checkpoint),
		kv("term", bson.D{kv("$lte", term)}),
	}
}

// commit repeats a commit of unknown outcome, which the server allows. Without an answer in the
// end the session is not used again.
func (w *writer) commit(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		err := w.session.CommitTransaction(ctx)
		switch {
		case err == nil:
			return nil
		case hasLabel(err, "TransientTransactionError"):
			return err // it did not commit
		case !hasLabel(err, "UnknownTransactionCommitResult"), pause(ctx, attempt) != nil:
			w.doubtful = true
			return err
		}
	}
}

// pause waits before a repetition, longer each time.
func pause(ctx context.Context, attempt int) error {
	const first, most = 5 * time.Millisecond, 500 * time.Millisecond
	wait := min(float64(most), float64(first)*math.Pow(1.5, float64(attempt)))
	select {
	case <-time.After(time.Duration(wait * (0.5 + rand.Float64()/2))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
