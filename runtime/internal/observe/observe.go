// Package observe tells an observer about facts without ever holding up who reports them.
package observe

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
)

// QueueLength is how many facts wait for a slow observer before more are left out.
const QueueLength = 4096

// Queue hands facts to an observer from a goroutine of its own.
type Queue struct {
	observe func(fact.Fact)
	log     *slog.Logger
	facts   chan fact.Fact
	dropped atomic.Int64
	stop    chan struct{} // closed by Close
	done    chan struct{} // closed when run has returned
}

// NewQueue starts a queue. [Queue.Close] ends it.
func NewQueue(observe func(fact.Fact), log *slog.Logger) *Queue {
	q := &Queue{
		observe: observe, log: log,
		facts: make(chan fact.Fact, QueueLength),
		stop:  make(chan struct{}), done: make(chan struct{}),
	}
	go q.run()
	return q
}

// Report queues a fact, or counts it as dropped.
func (q *Queue) Report(f fact.Fact) {
	select {
	case q.facts <- f:
	default:
		q.dropped.Add(1)
	}
}

// Close tells what is queued and ends the queue, waiting at most for patience. What is reported
// later is not told.
func (q *Queue) Close(patience time.Duration) {
	close(q.stop)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-q.done:
	case <-timer.C:
		q.log.Warn("observer did not take its last facts in time", "left", len(q.facts))
	}
}

// run tells facts until the queue is closed. If the observer ends the goroutine, another one goes
// on.
func (q *Queue) run() {
	closed := false
	defer func() {
		if closed {
			close(q.done)
			return
		}
		go q.run()
	}()
	for {
		select {
		case f := <-q.facts:
			q.tell(f)
		case <-q.stop:
			q.rest()
			closed = true
			return
		}
	}
}

// rest tells what was queued before the stop.
func (q *Queue) rest() {
	for {
		select {
		case f := <-q.facts:
			q.tell(f)
		default:
			return
		}
	}
}

func (q *Queue) tell(f fact.Fact) {
	if n := q.dropped.Swap(0); n > 0 {
		defer q.tell(fact.Dropped{Count: n})
	}
	defer func() {
		if p := recover(); p != nil {
			q.log.Error("observer panicked", "panic", p)
		}
	}()
	q.observe(f)
}
