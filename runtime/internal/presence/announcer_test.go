package presence_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/presence"
	"github.com/fwgen/fwgen/runtime/store"
)

var errGone = errors.New("gone")

// shelf is a store that remembers calls, each of which takes some time.
type shelf struct {
	takes time.Duration

	sync.Mutex // guards what follows; locked by whoever looks
	err        error
	calls      []string
	at         []time.Time
	ups        []time.Duration
	ttl        time.Duration
	announce   presence.Process
	named      []presence.Listed
}

func (s *shelf) call(ctx context.Context, name string) error {
	s.Lock()
	s.calls, s.at = append(s.calls, name), append(s.at, time.Now())
	err := s.err
	s.Unlock()
	select {
	case <-time.After(s.takes):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) Announce(
	ctx context.Context, p presence.Process, up, ttl time.Duration,
) error {
	s.Lock()
	s.announce, s.ttl, s.ups = p, ttl, append(s.ups, up)
	s.Unlock()
	return s.call(ctx, "announce")
}

func (s *shelf) Retract(ctx context.Context, id string) error { return s.call(ctx, "retract "+id) }

func (s *shelf) Named(ctx context.Context, name string) ([]presence.Listed, error) {
	err := s.call(ctx, "named "+name)
	s.Lock()
	defer s.Unlock()
	return s.named, err
}

func (s *shelf) List(ctx context.Context) ([]presence.Listed, error) {
	err := s.call(ctx, "list")
	s.Lock()
	defer s.Unlock()
	return s.named, err
}

func (s *shelf) OtherLive(context.Context, string, string) (bool, error) { return false, nil }

// count counts the calls of a name.
func (s *shelf) count(name string) (n int) {
	for _, call := range s.calls {
		if call == name {
			n++
		}
	}
	return n
}

func process(name, id string, streams ...string) presence.Process {
	p := presence.Process{Instance: store.Instance{Name: name, Process: id, Host: "h", PID: 7}}
	for _, s := range streams {
		p.Streams = append(p.Streams, presence.Stream{Name: s, Mode: "single_leader"})
	}
	return p
}

// lockedBuffer keeps what is logged.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// running is an Announcer that runs in a bubble.
type running struct {
	*testing.T
	shelf *shelf
	log   lockedBuffer
	stop  func() time.Duration // returns how long that took
}

func run(t *testing.T, s *shelf, test func(*running)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &running{T: t, shelf: s}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		a := presence.New(presence.Config{
			Store: s, Process: process("blue", "1", "orders", "items"),
			Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		})
		go func() {
			defer close(ended)
			a.Run(ctx)
		}()
		r.stop = func() time.Duration {
			began := time.Now()
			s.Unlock()
			defer s.Lock()
			cancel()
			<-ended
			return time.Since(began)
		}
		synctest.Wait()
		s.Lock()
		test(r)
		r.stop()
		s.Unlock()
	})
}

// warnings counts the warnings that have a part.
func (r *running) warnings(part string) (n int) {
	for line := range strings.Lines(r.log.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// after lets time pass, in which the Announcer may use the shelf.
func (r *running) after(d time.Duration) {
	r.shelf.Unlock()
	defer r.shelf.Lock()
	time.Sleep(d)
	synctest.Wait()
}

func TestOneWriteForEachHeartbeat(t *testing.T) {
	run(t, &shelf{}, func(r *running) {
		r.after(10*presence.Heartbeat + time.Second)
		if n := r.shelf.count("announce"); n != 11 {
			r.Errorf("%d announcements in ten heartbeats, want 11", n)
		}
		if got := r.shelf.ups[10]; got != 10*presence.Heartbeat {
			r.Errorf("the eleventh says up for %s", got)
		}
	})
}

func TestAnAnnouncementOutlivesTwoLostHeartbeats(t *testing.T) {
	run(t, &shelf{}, func(r *running) {
		if r.shelf.ttl < 3*presence.Heartbeat {
			r.Errorf("announced for %s, want at least three heartbeats of %s", r.shelf.ttl,
				presence.Heartbeat)
		}
	})
}

func TestAStopTakesTheAnnouncementBack(t *testing.T) {
	run(t, &shelf{}, func(r *running) {
		if took := r.stop(); took != 0 {
			r.Errorf("the stop took %s", took)
		}
		if n := r.shelf.count("retract blue/1"); n != 1 {
			r.Errorf("calls: %v", r.shelf.calls)
		}
	})
}

func TestAStopDoesNotWaitForAServerThatIsGone(t *testing.T) {
	run(t, &shelf{takes: time.Hour}, func(r *running) {
		r.after(presence.Heartbeat)
		if took := r.stop(); took > time.Second {
			r.Errorf("the stop took %s", took)
		}
	})
}

// Failures are followed by further attempts: some soon, none later than a heartbeat, and one line
// in the log for each time that it begins.
func TestAFailedAnnouncementIsTriedAgain(t *testing.T) {
	run(t, &shelf{err: errGone}, func(r *running) {
		r.after(20 * presence.Heartbeat)
		n := len(r.shelf.at)
		if n < 20 || n > 26 {
			r.Errorf("%d attempts in 20 heartbeats", n)
		}
		for i := range n - 1 {
			wait := r.shelf.at[i+1].Sub(r.shelf.at[i])
			if wait > presence.Heartbeat || i == 0 && wait > presence.Heartbeat/4 {
				r.Errorf("attempt %d came after %s", i+2, wait)
			}
		}
		if n := r.warnings("not announced"); n != 1 {
			r.Errorf("%d warnings:\n%s", n, r.log.String())
		}
		r.shelf.err = nil
		r.after(2 * presence.Heartbeat)
		r.shelf.err = errGone
		r.after(2 * presence.Heartbeat)
		if n := r.warnings("not announced"); n != 2 {
			r.Errorf("%d warnings:\n%s", n, r.log.String())
		}
	})
}

func TestACallIsBounded(t *testing.T) {
	run(t, &shelf{takes: time.Hour}, func(r *running) {
		r.after(time.Minute)
		if n := r.shelf.count("announce"); n < 2 {
			r.Errorf("%d attempts within a minute: one call lasts", n)
		}
	})
}

// Nobody is warned of the process before, which was killed and still counts as live.
func TestANamesakeIsWarnedOfOnce(t *testing.T) {
	s := &shelf{}
	run(t, s, func(r *running) {
		began := time.Now()
		own := presence.Listed{
			Process: process("blue", "1"), StartedAt: began, HeartbeatAt: began.Add(time.Minute),
			ExpiresIn: time.Minute,
		}
		other := own
		other.Process, other.StartedAt = process("blue", "2"), began.Add(-time.Hour)
		other.HeartbeatAt = began.Add(-time.Second)
		s.named = []presence.Listed{own, other}
		r.after(2 * presence.Heartbeat)
		if r.warnings("") > 0 {
			r.Errorf("warned of a process that was killed:\n%s", r.log.String())
		}
		other.HeartbeatAt = began.Add(time.Second)
		s.named = []presence.Listed{other, own}
		r.after(5 * presence.Heartbeat)
		if r.warnings("Config.Instance") != 1 || r.warnings("other=2") != 1 {
			r.Errorf("want one warning of 2 with an advice:\n%s", r.log.String())
		}
		if n := s.count("named blue"); n > 4 {
			r.Errorf("looked %d times, also after the warning", n)
		}
	})
}
