package memongo

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// SetName is the name of the replica set that a server claims to be.
const SetName = "memongo"

// noopInterval is how long a primary writes nothing before it writes that it is there.
const noopInterval = 10 * time.Second

// host is how a server calls itself while it does not listen. Nothing resolves it.
const host = "memongo:27017"

// Options configure a server. The zero value is ready to use.
type Options struct {
	// Now is the server's clock, of $$NOW and of cluster times. Defaults to time.Now.
	Now func() time.Time

	// OplogEntries is how many of the latest changes the oplog keeps. Defaults to all.
	OplogEntries int

	// Faults decides what happens to a command before it runs. Defaults to nothing. It is called
	// by several goroutines.
	Faults func(Command) Fault
}

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	options  Options
	engine   *storage.Engine
	started  time.Time
	commands map[string]*command
	identity bson.ObjectID // of the replica set

	sessions *sessions
	cursors  *cursors
	points   *failPoints
	topology *topology

	life  context.Context // ends with the server
	end   context.CancelCauseFunc
	work  sync.WaitGroup // connections and listeners
	conns atomic.Int64   // ids given out

	mu         sync.Mutex
	closed     bool           // guarded by mu
	parameters map[string]any // guarded by mu
	listener   net.Listener   // nil: in-memory connections only; guarded by mu
}

// errClosed is why commands end when the server does.
var errClosed = errors.New("the server is closed")

// Start starts a server. Close ends it.
func Start(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	life, end := context.WithCancelCause(context.Background())
	s := &Server{
		options: o,
		engine: storage.New(storage.Options{
			Now: o.Now, OplogEntries: o.OplogEntries, NoopInterval: noopInterval,
		}),
		started:    o.Now(),
		commands:   commands(),
		identity:   bson.NewObjectID(),
		parameters: initialParameters(),
		points:     newFailPoints(),
		topology:   newTopology(),
		life:       life,
		end:        end,
	}
	s.sessions, s.cursors = newSessions(s), newCursors(s)
	return s
}

// Close breaks all connections and waits until nothing of the server runs.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	listener := s.listener
	s.mu.Unlock()
	s.end(errClosed)
	if listener != nil {
		_ = listener.Close() // it has nothing to flush
	}
	s.work.Wait()
	s.cursors.close()
	s.sessions.close()
	s.engine.Close()
}

// DialContext connects a client in memory, whatever the address. It implements
// [options.ContextDialer].
func (s *Server) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	if !s.serve(server, host) {
		_ = client.Close() // nobody is at the other end
		return nil, errClosed
	}
	return client, nil
}

// ClientOptions returns what a client needs to connect in memory.
func (s *Server) ClientOptions() *options.ClientOptions {
	return options.Client().SetHosts([]string{host}).SetReplicaSet(SetName).SetDialer(s)
}

// Listen makes the server reachable on a loopback port, too, and returns its connection string.
func (s *Server) Listen() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	if s.listener == nil {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		s.listener = listener
		s.work.Go(func() { s.accept(listener) })
	}
	address := s.listener.Addr().String()
	return "mongodb://" + address + "/?replicaSet=" + SetName, nil
}

func (s *Server) accept(listener net.Listener) {
	for {
		c, err := listener.Accept()
		if err != nil {
			return // closed
		}
		s.serve(c, listener.Addr().String())
	}
}

// serve begins to answer what comes on a connection, and owns it from then on. The address is
// where the client found the server. It reports false when the server is closed.
func (s *Server) serve(raw net.Conn, address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = raw.Close() // the client learns it by the broken connection
		return false
	}
	c := newConn(s, raw, address, s.conns.Add(1))
	s.work.Go(c.run)
	return true
}

// ForgetOplog makes the oplog forget all but the latest entries, as one that is full does:
// change streams that have not read the others have lost their position. With keep zero, every
// position up to now is lost.
func (s *Server) ForgetOplog(keep int) {
	if keep <= 0 {
		s.engine.Noop("what is before this is forgotten")
		keep = 1
	}
	s.engine.Oplog().Truncate(keep)
}

// Oplog returns the list of all changes, for tests that look at every one.
func (s *Server) Oplog() *storage.Oplog { return s.engine.Oplog() }

// ClusterTime returns the cluster time of the last write.
func (s *Server) ClusterTime() bson.Timestamp { return s.engine.ClusterTime() }
