package fwtest

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// Server is a MongoDB inside the process. Its methods are safe for concurrent use.
type Server struct {
	t      TB
	server *memongo.Server
}

// NewServer starts a server that ends with the test. Tests that need one client only take
// [NewClient].
func NewServer(t TB) *Server {
	t.Helper()
	s := memongo.Start(memongo.Options{})
	t.Cleanup(s.Close)
	return &Server{t, s}
}

// NewClient returns a client of a new server. Both end with the test.
func NewClient(t TB, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	return NewServer(t).Client(opts...)
}

// Client returns another client of the server, which ends with the test. Each instance of an
// application has one of its own, as in production. Options come on top of those that connect it.
func (s *Server) Client(opts ...*options.ClientOptions) *mongo.Client {
	s.t.Helper()
	client, err := mongo.Connect(append([]*options.ClientOptions{s.server.ClientOptions()}, opts...)...)
	if err != nil {
		s.t.Fatalf("fwtest: connect: %v", err)
	}
	s.t.Cleanup(func() {
		// The test's context has ended by now.
		if err := client.Disconnect(context.Background()); err != nil {
			s.t.Errorf("fwtest: disconnect: %v", err)
		}
	})
	return client
}

// URI makes the server reachable for other programs on this machine, such as a shell, and returns
// its connection string. Not within a bubble of testing/synctest.
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
