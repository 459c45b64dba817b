package changestream

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

// Stream is an open change stream. One goroutine at a time may use it. It holds no resources, so
// it needs no end.
type Stream struct {
	engine  *storage.Engine
	options Options
	user    transform
	start   token.Token // the position that the stream was opened at
	version int         // of the tokens that it makes

	position storage.Position // the last entry of the oplog that was read
	entries  []storage.Entry  // read ahead by the Next that runs: those behind the position
	reading  bool             // whether the oplog has been read at all
	resume   *token.Token     // the event to skip up to, until it is found
	// afterEnd says that the stream resumes behind an invalidate. The first event that would
	// end the stream does not, unless the stages have let another one through.
	afterEnd bool

	queue  []item // made and not yet delivered
	pbrt   token.Token
	closed bool
	failed error
}

// Limits of a batch.
const (
	batchBytes = 16 << 20
	// itemBytes is what a batch's limit counts for each event beside the event.
	itemBytes = 16
)

// Position returns the stream's post-batch resume token as of now, without reading.
func (s *Stream) Position() bson.D { return s.pbrt.Document() }

// Next returns a batch of events and the post-batch resume token. It takes at most max events, 0
// for no limit, and maxBytes of them, 0 for 16 MB; the first one always.
//
// With await it waits for the first event, until ctx is over: then the batch is empty, the token
// is as new as can be, and there is no error. Closed says that the stream has been invalidated
// and has nothing more to give. An error ends the stream, and the events before it in its batch
// are lost with it.
func (s *Stream) Next(ctx context.Context, max, maxBytes int, await bool) (
	batch []bson.D, pbrt bson.D, closed bool, err error,
) {
	if maxBytes <= 0 {
		maxBytes = batchBytes
	}
	defer func() { s.entries = nil }() // may be forgotten by the next time; a server notices that
	for s.failed == nil {
		changed := s.engine.Oplog().Changed()
		batch, full, err := s.fill(max, maxBytes)
		if err != nil {
			s.failed = explain(err, await)
			break
		}
		if len(batch) > 0 || full || s.closed || !await {
			return batch, s.Position(), s.closed, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, s.Position(), s.closed, nil
		}
	}
	return nil, nil, false, s.failed
}

// explain says in an error which command met it, as a server does.
func explain(err error, getMore bool) error {
	var e *mongoerr.Error
	if !errors.As(err, &e) {
		return err
	}
	prefixed := *e
	prefixed.Message = "PlanExecutor error during aggregation :: caused by :: " + e.Message
	if getMore {
		prefixed.Message = "Executor error during getMore :: caused by :: " + e.Message
	}
	return &prefixed
}

// fill takes what there is, up to the limits. Full says that there may be more.
func (s *Stream) fill(max, maxBytes int) (batch []bson.D, full bool, err error) {
	bytes := 0
	for max <= 0 || len(batch) < max {
		next, ok, err := s.pull()
		switch {
		case err != nil:
			return nil, false, err
		case !ok:
			s.catchUp()
			return batch, false, nil
		}
		if bytes += next.size + itemBytes; len(batch) > 0 && bytes > maxBytes {
			s.queue = append([]item{next}, s.queue...)
			return batch, true, nil
		}
		batch = append(batch, next.doc)
		s.pbrt = next.token
	}
	return batch, true, nil
}

// catchUp moves the post-batch resume token to the end of the oplog.
func (s *Stream) catchUp() {
	if !s.closed && s.position.TS.After(s.pbrt.TS) {
		s.pbrt = token.HighWater(s.position.TS)
		s.pbrt.Version = s.version
	}
}

// pull returns the next event. There is none at the end of the oplog, and after the stream's.
func (s *Stream) pull() (next item, ok bool, err error) {
	for !s.closed {
		if len(s.queue) > 0 {
			next, s.queue = s.queue[0], s.queue[1:]
			if !next.end {
				return next, true, nil
			}
			s.closed, s.pbrt = true, next.token
			continue
		}
		more, err := s.read()
		if err != nil || !more {
			return item{}, false, err
		}
	}
	return item{}, false, nil
}

// read takes one entry from the oplog and queues what it becomes.
func (s *Stream) read() (more bool, err error) {
	if len(s.entries) == 0 {
		entries, lost := s.engine.Oplog().Since(s.position)
		if lost {
			return false, s.lost()
		}
		s.entries, s.reading = entries, true
	}
	if len(s.entries) == 0 {
		return false, nil
	}
	e := &s.entries[0]
	s.entries, s.position = s.entries[1:], e.Position()
	return true, s.take(e)
}

// lost is the error for a position that the oplog has forgotten.
func (s *Stream) lost() error {
	if !s.reading {
		return mongoerr.New(mongoerr.ChangeStreamHistoryLost, "Resume of change stream was not "+
			"possible, as the resume point may no longer be in the oplog.").With(labelFatal)
	}
	ts := s.position.TS
	return mongoerr.New(mongoerr.CappedPositionLost, "CollectionScan died due to position in "+
		"capped collection being deleted. Last seen record id: RecordId(%d)",
		int64(ts.T)<<32|int64(ts.I))
}
