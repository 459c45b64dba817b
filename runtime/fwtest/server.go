package fwtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// Server is a MongoDB inside the process. Its methods are safe for concurrent use.
type Server struct {
	t      TB
	server *memongo.Server
	close  func()
}

// NewServer starts a server that ends with the test. Tests that need one client only take
// [NewClient].
func NewServer(t TB) *Server {
	t.Helper()
	s := memongo.Start(memongo.Options{})
	t.Cleanup(s.Close)
	return &Server{t, s, s.Close}
}

// NewClient returns a client of a new server. Both end with the test.
func NewClient(t TB, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	return NewServer(t).Client(opts...)
}

// Start starts a server outside of a test, for a program that shows something with nothing
// installed. [Server.Close] ends it, and disconnects the clients that it made. What would fail a
// test panics.
//
// It is a test double there as well: what a program keeps in it is gone when the program ends.
func Start() *Server {
	p := &program{}
	s := NewServer(p)
	s.close = p.end
	return s
}

// Close ends the server before the test does, as a crash would: its connections break, what it
// holds is gone, and its clients can't reach it any more. It may be called more than once.
func (s *Server) Close() { s.close() }

// disconnectTimeout bounds what a client tells a server that may be closed.
const disconnectTimeout = time.Second

// Client returns another client of the server, which ends with the test. Each instance of an
// application has one of its own, as in production. Options come on top of those that connect it.
func (s *Server) Client(opts ...*options.ClientOptions) *mongo.Client {
	s.t.Helper()
	// The driver would keep a question to the server open all the time, and a client that is
	// disconnected soon after its first use may wait for the answer, for 10 s.
	ours := s.server.ClientOptions().SetServerMonitoringMode(
		options.ServerMonitoringModePoll)
	client, err := mongo.Connect(append([]*options.ClientOptions{ours}, opts...)...)
	if err != nil {
		s.t.Fatalf("fwtest: connect: %v", err)
	}
	s.t.Cleanup(func() {
		// The test's context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), disconnectTimeout)
		defer cancel()
		err := client.Disconnect(ctx)
		if err != nil && !errors.Is(err, mongo.ErrClientDisconnected) {
			s.t.Errorf("fwtest: disconnect: %v", err)
		}
	})
	return client
}

// URI makes the server reachable for other programs on this machine, such as a shell, and returns
// its connection string. Not within a bubble of testing/synctest: time stands still there while
// somebody listens.
func (s *Server) URI() string {
	s.t.Helper()
	uri, err := s.server.Listen()
	if err != nil {
		s.t.Fatalf("fwtest: listen: %v", err)
	}
	return uri
}

// StepDown makes the server refuse writes for a time, as a primary that lost an election.
func (s *Server) StepDown(d time.Duration) {
	s.t.Helper()
	if err := s.server.StepDown(d); err != nil {
		s.t.Fatalf("fwtest: step down: %v", err)
	}
}

// ForgetOplog makes the server forget what has happened so far: a stream that is further behind
// has lost its position.
func (s *Server) ForgetOplog() { s.server.ForgetOplog(0) }

// program takes the place of a test where there is none.
type program struct {
	mu       sync.Mutex // guards cleanups
	cleanups []func()
}

func (*program) Helper() {}

func (*program) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (*program) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (p *program) Cleanup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, f)
}

// end cleans up, last first.
func (p *program) end() {
	p.mu.Lock()
	cleanups := p.cleanups
	p.cleanups = nil
	p.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}
