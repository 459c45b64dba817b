package simulation

import (
	"net"
	"sync"
	"time"
)

// conn is one connection: what the client writes comes in at near, and goes out at far.
type conn struct {
	link      *link
	near, far net.Conn
	queue     chan message
	answered  chan struct{} // 1: something came back
	broken    chan struct{} // closed when nothing is delivered any more
	once      sync.Once
}

// message is a command on its way.
type message struct {
	bytes []byte
	delay time.Duration // the client has given it up, and it arrives so much later
}

// sever breaks both ends at once.
func (c *conn) sever() {
	c.once.Do(func() { close(c.broken) })
	_ = c.near.Close() // pipes have nothing to flush
	_ = c.far.Close()
}

// take takes messages from the client.
func (c *conn) take() {
	defer close(c.queue)
	for {
		m, err := readMessage(c.near)
		if err != nil {
			return
		}
		w, straggles := c.link.faults.strike(c.link.app, commandOf(m), true)
		if straggles {
			_ = c.near.Close() // the client learns nothing but this
		}
		select {
		case c.queue <- message{m, w.delay}:
		case <-c.broken:
			return
		}
		if straggles {
			return
		}
	}
}

// deliver hands messages to the server. What was taken is delivered, also when the client has
// gone by then.
func (c *conn) deliver() {
	defer c.link.forget(c)
	defer c.sever()
	for m := range c.queue {
		held := c.link.opened()
		late := m.delay > 0 || !isClosed(held)
		if !c.wait(held) || !c.pause(m.delay) {
			return
		}
		select {
		case <-c.answered:
		default:
		}
		if _, err := c.far.Write(m.bytes); err != nil {
			return
		}
		if late {
			c.await()
		}
	}
}

// await waits for the answer to a late message: a server gives up what it does for a client that
// has gone.
func (c *conn) await() {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.answered:
	case <-timer.C:
	case <-c.broken:
	}
}

// latency is how long an answer is under way. Where nothing takes time, whoever repeats a call at
// once repeats it for ever.
const latency = time.Millisecond

// patience is how long the connection of a client that has gone stays with the server.
const patience = 5 * time.Second

func (c *conn) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.broken:
		return false
	}
}

func (c *conn) wait(held <-chan struct{}) bool {
	select {
	case <-held:
		return true
	case <-c.broken:
		return false
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// reply hands what the server answers to the client.
func (c *conn) reply() {
	defer func() { _ = c.near.Close() }()
	buffer := make([]byte, 4<<10)
	for {
		n, err := c.far.Read(buffer)
		if err != nil {
			return
		}
		select {
		case c.answered <- struct{}{}:
		default:
		}
		if !c.pause(latency) || !c.wait(c.link.opened()) {
			return
		}
		_, _ = c.near.Write(buffer[:n]) // a client that has gone reads no more
	}
}
