package lane

import (
	"context"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
)

// Step makes one step with a delivery.
type Step func(ctx context.Context, d *delivery.Delivery) delivery.Next

// Serial is a lane with one worker.
type Serial struct {
	step Step
	wake chan struct{} // 1: something was submitted
	done chan struct{} // closed when no step runs and none will

	mu      sync.Mutex // guards what follows
	queue   []*delivery.Delivery
	running *delivery.Delivery
	since   time.Time // when running began its step
	waiting *delivery.Delivery
	until   time.Time // when the next step of waiting begins; zero: when somebody asks
}

// NewSerial returns a lane that [Serial.Start] starts.
func NewSerial(step Step) *Serial {
	return &Serial{step: step, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// Submit appends a delivery. It never blocks: the tracker bounds how many there are.
func (l *Serial) Submit(d *delivery.Delivery) {
	l.mu.Lock()
	l.queue = append(l.queue, d)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Start begins to handle. Once stop ends, no further step begins, and waits end. ctx is what
// handlers get.
func (l *Serial) Start(stop, ctx context.Context) { go l.work(stop, ctx, nil) }

// Done is closed after stop ended and the step that was running has returned.
func (l *Serial) Done() <-chan struct{} { return l.done }

// Running returns the delivery whose step runs, and since when; nil if none does.
func (l *Serial) Running() (*delivery.Delivery, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running, l.since
}

// Waiting returns the delivery that waits for its next step, and until when; nil if none does.
func (l *Serial) Waiting() (*delivery.Delivery, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting, l.until
}

// work steps one delivery after another, beginning with d if there is one. If a handler ends the
// goroutine, another one goes on with the same delivery.
func (l *Serial) work(stop, ctx context.Context, d *delivery.Delivery) {
	finished := false
	defer func() {
		if finished {
			close(l.done)
			return
		}
		d, _ := l.Running()
		l.ran()
		go l.work(stop, ctx, d)
	}()
	for ; ; d = nil {
		if d == nil {
			d = l.next(stop)
		}
		if d == nil || !l.handle(stop, ctx, d) {
			finished = true
			return
		}
	}
}

// handle steps d until it is done. It returns false if the lane stops first.
func (l *Serial) handle(stop, ctx context.Context, d *delivery.Delivery) bool {
	for {
		if stop.Err() != nil {
			return false
		}
		l.mu.Lock()
		l.running, l.since = d, time.Now()
		l.mu.Unlock()
		next := l.step(ctx, d)
		l.ran()
		if next.Done {
			return true
		}
		if !l.wait(stop, d, next.Wait) {
			return false
		}
	}
}

func (l *Serial) ran() {
	l.mu.Lock()
	l.running = nil
	l.mu.Unlock()
}

// next returns the delivery at the head of the queue, or nil when the lane stops.
func (l *Serial) next(stop context.Context) *delivery.Delivery {
	for {
		if stop.Err() != nil {
			return nil
		}
		l.mu.Lock()
		if len(l.queue) > 0 {
			d := l.queue[0]
			l.queue[0] = nil
			l.queue = l.queue[1:]
			l.mu.Unlock()
			return d
		}
		l.mu.Unlock()
		select {
		case <-l.wake:
		case <-stop.Done():
		}
	}
}

// wait lets d wait for so long, or for ever if that is negative. It returns false if stop ends
// first.
func (l *Serial) wait(stop context.Context, d *delivery.Delivery, long time.Duration) bool {
	var until time.Time
	if long >= 0 {
		until = time.Now().Add(long)
	}
	l.waits(d, until)
	defer l.waits(nil, time.Time{})
	if long < 0 {
		<-stop.Done()
		return false
	}
	return backoff.Sleep(stop, long)
}

func (l *Serial) waits(d *delivery.Delivery, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting, l.until = d, until
}
