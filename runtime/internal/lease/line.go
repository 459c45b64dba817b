package lease

import (
	"context"
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/clock"
	"github.com/fwgen/fwgen/runtime/store"
)

// errHung is the error of a store call that did not end with its context, and of the calls that
// could not be made meanwhile.
var errHung = errors.New("a store call has not returned though its time is over")

// hungAfter is how long after the end of its context a call is given up.
const hungAfter = 100 * time.Millisecond

// answer is what a store call brought back. What it says was true at some time after start.
type answer struct {
	lease store.Lease
	err   error
	start clock.Instant
}

// line carries the store calls of one lease, one at a time. It belongs to one goroutine at a time.
type line struct {
	out <-chan answer // of the call that is out; nil: none
}

// do makes a call and waits for its answer: at most for limit, or until ctx ends, and a little
// longer for the call to notice. One that does not is still out: the next call waits for it, and
// drops its answer.
func (l *line) do(
	ctx context.Context, c clock.Clock, limit time.Duration,
	call func(context.Context) (store.Lease, error),
) answer {
	if _, err := l.wait(ctx, limit); err != nil {
		return answer{err: err}
	}
	if ctx.Err() != nil {
		return answer{err: context.Cause(ctx)}
	}
	back := make(chan answer, 1)
	l.out = back
	go func() {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		start := c.Now()
		lease, err := call(bounded)
		back <- answer{lease: lease, err: err, start: start}
	}()
	a, err := l.wait(ctx, limit+hungAfter)
	if err != nil {
		return answer{err: err}
	}
	return a
}

// wait returns the answer of the call that is out, or an error if there is none within limit, or
// shortly after ctx has ended.
func (l *line) wait(ctx context.Context, limit time.Duration) (answer, error) {
	if l.out == nil {
		return answer{}, nil
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	ended := ctx.Done()
	for {
		select {
		case a := <-l.out:
			l.out = nil
			return a, nil
		case <-ended:
			ended = nil
			timer.Reset(min(limit, hungAfter))
		case <-timer.C:
			return answer{}, errHung
		}
	}
}
