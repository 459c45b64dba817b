package reader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/store"
)

// Sink takes what a reader reads, in order, from one goroutine.
type Sink interface {
	// Began is called once, before anything else, with the token at which a new stream begins:
	// nothing is read before it has returned nil.
	Began(ctx context.Context, token change.Token) error
	// Event takes an event. It may wait. An error ends the reader without another word.
	Event(ctx context.Context, e change.Event) error
	// Marker takes a post-batch resume token: everything before it was delivered. caughtUp says
	// that the server had nothing more.
	Marker(token change.Token, kind store.PositionKind, caughtUp bool)
	// Opened says that the stream is open and has answered.
	Opened()
	// Failed says that the stream will be opened again after wait. It failed so often in a row,
	// this time included, without progress between.
	Failed(class Class, err error, failures int, wait time.Duration)
	// Settled counts settled events: progress that resets the backoff.
	Settled() uint64
}

// Config is what a Reader needs. All of it but After is required.
type Config struct {
	Source   Source
	Sink     Sink
	Backoff  backoff.Policy
	Attempts int // opens in a row without progress before the reader gives up; 0: no end
	From     From
	Stored   bool // From is stored already: Sink.Began is not called
	// Skip leaves out events up to this token: they are settled, and come again where a stream is
	// resumed by time.
	Skip change.Token
}

// Reader reads one change stream. Use it once.
type Reader struct {
	Config
	head     change.Token // where to open next: all before it was delivered
	began    bool
	patience time.Duration // how long a call may take before the server counts as gone
	lastOp   string        // of the last lifecycle event
	failures int
	settled  uint64    // Sink.Settled at the last failure
	healthy  time.Time // when the stream was last opened

	invalidated bool // the cursor delivered an invalidate event, and so is to end
}

const (
	leastPatience = 5 * time.Second
	mostPatience  = time.Minute
	healthyAfter  = time.Minute
	closeTimeout  = 5 * time.Second
)

// New returns a reader.
func New(c Config) *Reader {
	return &Reader{Config: c, head: c.From.After, began: c.Stored, patience: leastPatience}
}

var (
	// errStopped ends a cursor's loop when the reader is asked to stop.
	errStopped = errors.New("stopped")
	// errEnded is a cursor that ended by itself. A pipeline can leave the invalidate event out.
	errEnded = errors.New("the server ended the change stream without an invalidate event")
)

// Run reads until ctx ends, then returns nil, or until it meets what another open can't cure, and
// returns an *Error. ctx is looked at between calls: a call in flight ends by itself.
func (r *Reader) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		phase, err := r.once(ctx)
		if errors.Is(err, errStopped) || ctx.Err() != nil {
			return nil
		}
		class := r.classOf(err, phase)
		if class == Lost || class == Invalidated {
			return &Error{class, err}
		}
		if err == nil && r.invalidated { // go on after the invalidate
			continue
		}
		if err == nil {
			err = errEnded
		}
		if wait, ok := r.backOff(class, err); !ok {
			return &Error{class, fmt.Errorf("gave up after %d attempts: %w", r.failures, err)}
		} else if !backoff.Sleep(ctx, wait) {
			return nil
		}
	}
	return nil
}

func (r *Reader) classOf(err error, phase Phase) Class {
	if err == nil && r.lastOp == "rename" {
		return Invalidated
	}
	if parse, ok := errors.AsType[*Error](err); ok {
		return parse.Class
	}
	return Classify(err, phase)
}

// backOff counts a failure and says how long to wait; false: no attempts are left.
func (r *Reader) backOff(class Class, err error) (time.Duration, bool) {
	progressed := r.Sink.Settled() > r.settled ||
		!r.healthy.IsZero() && time.Since(r.healthy) >= healthyAfter
	if progressed {
		r.failures = 0
	}
	r.settled, r.healthy = r.Sink.Settled(), time.Time{}
	r.failures++
	if r.Attempts > 0 && r.failures > r.Attempts {
		return 0, false
	}
	wait := r.Backoff.Wait(r.failures)
	if errors.Is(err, context.DeadlineExceeded) {
		r.patience = min(2*r.patience, mostPatience)
	}
	r.Sink.Failed(class, err, r.failures, wait)
	return wait, true
}

// once opens a cursor and reads until it fails or ends. A nil error means that it ended by itself.
func (r *Reader) once(ctx context.Context) (Phase, error) {
	r.invalidated = false
	from := r.From
	if !r.head.IsZero() {
		from = From{After: r.head}
	}
	phase := Opening
	if from.After.IsZero() { // there is no token that could be unusable
		phase = Reading
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.patience)
	cursor, current, err := r.Source.Open(bounded, from)
	cancel()
	if err != nil {
		return phase, fmt.Errorf("open change stream: %w", err)
	}
	defer r.close(ctx, cursor)
	if err := r.begin(ctx, cursor); err != nil {
		return Reading, err
	}
	return r.read(ctx, cursor, current, phase)
}

func (r *Reader) close(ctx context.Context, cursor Cursor) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = cursor.Close(bounded) // the server ends a cursor that it could not be asked to end
}

// begin has the start of a new stream stored before anything is read.
func (r *Reader) begin(ctx context.Context, cursor Cursor) error {
	if r.began {
		return nil
	}
	if r.head.IsZero() { // the first open decides where the stream begins, whatever follows
		token, err := change.ParseToken(cursor.ResumeToken())
		if err != nil {
			return err
		}
		r.head = token.Clone()
	}
	if err := r.Sink.Began(ctx, r.head); err != nil {
		return err
	}
	r.began = true
	return nil
}

// read hands on what arrives. The first call after an open does not ask the server, and only the
// first answer shows that the position is good.
func (r *Reader) read(
	ctx context.Context, cursor Cursor, current func() bson.Raw, phase Phase,
) (Phase, error) {
	opened := false
	for calls := 0; ; calls++ {
		if ctx.Err() != nil {
			return phase, errStopped
		}
		inBatch := cursor.RemainingBatchLength() > 0
		more, err := r.try(ctx, cursor, inBatch)
		if err != nil {
			return phase, err
		}
		if ctx.Err() != nil { // the result is dropped
			return phase, errStopped
		}
		if !opened && (more || calls > 0) {
			opened, phase = true, Reading
			r.healthy, r.patience = time.Now(), leastPatience
			r.Sink.Opened()
		}
		if more {
			if err := r.deliver(ctx, current()); err != nil {
				return phase, err
			}
		}
		if cursor.RemainingBatchLength() == 0 {
			if err := r.mark(cursor, !more && calls > 0); err != nil {
				return phase, err
			}
		}
		if !more && cursor.ID() == 0 {
			return phase, nil
		}
	}
}

// try makes one call to the cursor. Only a call that asks the server needs a deadline.
func (r *Reader) try(ctx context.Context, cursor Cursor, inBatch bool) (bool, error) {
	if inBatch {
		return cursor.TryNext(context.Background()), cursor.Err()
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxAwait+r.patience)
	defer cancel()
	more := cursor.TryNext(bounded)
	return more, cursor.Err()
}

func (r *Reader) deliver(ctx context.Context, lent bson.Raw) error {
	e, err := change.Parse(lent)
	if err != nil {
		return &Error{NotAnEvent, err}
	}
	if e.Lifecycle() && e.Operation != "invalidate" {
		r.lastOp = e.Operation
	}
	if e.Operation == "invalidate" { // the cursor's last token says the same, as a marker
		r.invalidated = true
		return nil
	}
	if e.Token.Compare(r.Skip) > 0 {
		if err := r.Sink.Event(ctx, e); err != nil {
			return errStopped
		}
	}
	r.head = e.Token
	return nil
}

// mark hands on the post-batch resume token.
func (r *Reader) mark(cursor Cursor, caughtUp bool) error {
	raw := cursor.ResumeToken()
	if raw == nil {
		return nil
	}
	token, err := change.ParseToken(raw)
	if err != nil {
		return err
	}
	if token.Compare(r.head) > 0 {
		r.head = token.Clone()
	}
	kind := store.PositionIdle
	if cursor.ID() == 0 {
		kind = store.PositionInvalidate
	}
	r.Sink.Marker(r.head, kind, caughtUp)
	return nil
}
