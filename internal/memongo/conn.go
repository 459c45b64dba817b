package memongo

import (
	"context"
	"errors"
	"net"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/wire"
)

// conn is a client's connection. Its commands run one after another.
type conn struct {
	server  *Server
	raw     net.Conn
	address string // where the client found the server
	id      int64
	appName string // as the client introduced itself; set by the first hello

	life context.Context // ends with the connection
	end  context.CancelCauseFunc
}

// ahead is how many commands a client may send before it reads the answer to the first.
const ahead = 64

// errDisconnected is why a command ends whose client has gone.
var errDisconnected = errors.New("the client has disconnected")

func newConn(s *Server, raw net.Conn, address string, id int64) *conn {
	life, end := context.WithCancelCause(s.life)
	return &conn{server: s, raw: raw, address: address, id: id, life: life, end: end}
}

// run answers until either side closes. Requests are read ahead, so that a client that goes away
// in the middle of a command is noticed.
func (c *conn) run() {
	defer c.close(errDisconnected)
	defer context.AfterFunc(c.life, func() { _ = c.raw.Close() })() // unblocks the reader
	requests := make(chan wire.Request, ahead)
	c.server.work.Go(func() { c.read(requests) })
	for {
		select {
		case req := <-requests:
			if !c.answer(req) {
				return
			}
		case <-c.life.Done():
			return
		}
	}
}

func (c *conn) close(why error) {
	c.end(why)
	_ = c.raw.Close() // either the client has closed it or it is to be broken
}

func (c *conn) read(requests chan<- wire.Request) {
	for {
		req, err := wire.Read(c.raw)
		if err != nil {
			c.end(errDisconnected)
			return
		}
		select {
		case requests <- req:
		case <-c.life.Done():
			return
		}
	}
}

// answer runs a command. It reports whether the connection goes on.
func (c *conn) answer(req wire.Request) bool {
	for {
		answer, again, ok := c.server.dispatch(c, req)
		if !ok {
			return false
		}
		if req.Silent {
			return true
		}
		again = again && req.Exhaust
		if wire.Write(c.raw, req, answer, again) != nil {
			return false
		}
		if !again {
			return true
		}
		req = nextHello(req, answer)
	}
}

// nextHello is the hello that a client has asked for with the one that was answered: the same,
// from the topology that it knows now.
func nextHello(req wire.Request, answer bson.D) wire.Request {
	command := make(bson.D, 0, len(req.Command))
	for _, e := range req.Command {
		if e.Key == "topologyVersion" {
			for _, a := range answer {
				if a.Key == e.Key {
					e.Value = a.Value
				}
			}
		}
		command = append(command, e)
	}
	req.Command = command
	return req
}
