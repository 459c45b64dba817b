package simulation

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
)

// link is the network between one incarnation and the server. It dials, and stands between both
// ends of each connection, so that it can cut them, hold back what is under way, and deliver a
// command whose client has given it up.
type link struct {
	app    string
	dial   func(context.Context, string, string) (net.Conn, error)
	faults *faults
	work   sync.WaitGroup // of all connections

	mu      sync.Mutex // guards what follows
	cut     bool
	open    chan struct{} // closed while nothing is held back
	conns   map[*conn]struct{}
	severed bool // for ever
}

// dialling is how long it takes to connect. The driver resumes a change stream at once, again and
// again, where only its aggregate succeeds.
const dialling = 20 * time.Millisecond

var errNoNetwork = errors.New("the network is down")

func newLink(
	app string, dial func(context.Context, string, string) (net.Conn, error), f *faults,
) *link {
	open := make(chan struct{})
	close(open)
	return &link{app: app, dial: dial, faults: f, open: open, conns: map[*conn]struct{}{}}
}

// DialContext implements the driver's ContextDialer.
func (l *link) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !backoff.Sleep(ctx, dialling) {
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut || l.severed {
		return nil, errNoNetwork
	}
	far, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	client, near := net.Pipe()
	c := &conn{link: l, near: near, far: far, queue: make(chan message, 64),
		broken: make(chan struct{}), answered: make(chan struct{}, 1)}
	l.conns[c] = struct{}{}
	l.work.Go(c.take)
	l.work.Go(c.deliver)
	l.work.Go(c.reply)
	return client, nil
}

// hold keeps everything that is under way, both ways, until the link is released.
func (l *link) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
		l.open = make(chan struct{})
	default:
	}
}

func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
	default:
		close(l.open)
	}
}

// down breaks all connections, and lets nobody dial until up.
func (l *link) down() { l.breakAll(false) }

// sever does so for ever.
func (l *link) sever() { l.breakAll(true) }

func (l *link) breakAll(forever bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.severed = true, l.severed || forever
	for c := range l.conns {
		c.sever()
	}
}

func (l *link) up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// opened is closed while nothing is held back.
func (l *link) opened() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

func (l *link) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}
