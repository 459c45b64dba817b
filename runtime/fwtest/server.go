package fwtest

import (
	"context"
	"fmt"
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

	mu      sync.Mutex // guards clients
	clients []*mongo.Client
}

// NewServer starts a server that ends with the test. Tests that need one client only take
// [NewClient].
func NewServer(t TB) *Server {
	t.Helper()
	s := newServer(t)
	t.Cleanup(s.end)
	return s
}

func newServer(t TB) *Server { return &Server{t: t, server: memongo.Start(memongo.Options{})} }

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
func Start() *Server { return newServer(program{}) }

// Client returns another client of the server, which is disconnected when the test ends, or
// before if the test does that. Each instance of an application has one of its own, as in
// production. Options come on top of those that connect it.
func (s *Server) Client(opts ...*options.ClientOptions) *mongo.Client {
	s.t.Helper()
	client, err := mongo.Connect(append([]*options.ClientOptions{s.server.ClientOptions()}, opts...)...)
	if err != nil {
		s.t.Fatalf("fwtest: connect: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, client)
	return client
}

// Close ends the server. In a test it need not be called, and is as a crash would be: connections
// break, what the server holds is gone, and clients go on looking for it until the test ends. A
// program calls it at its end, and its clients are disconnected as well. It may be called more than
// once.
func (s *Server) Close() {
	s.server.Close()
	if s.t == (program{}) {
		s.end()
	}
}

// end ends the server and its clients.
func (s *Server) end() {
	// The server goes first: of one that answers, the driver may wait for an answer for 10 s.
	s.server.Close()
	s.mu.Lock()
	clients := s.clients
	s.clients = nil
	s.mu.Unlock()
	nobody, cancel := context.WithCancel(context.Background())
	cancel() // nothing is left to be told to the server
	for _, client := range clients {
		_ = client.Disconnect(nobody) // what it did not tell the server, or was disconnected before
	}
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

// program takes the place of a test where there is none. It has no end.
type program struct{}

func (program) Helper() {}

func (program) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (program) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (program) Cleanup(func()) {}
