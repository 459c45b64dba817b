package conformance

import (
	"encoding/binary"
	"io"
	"net"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// wire is a connection on which a check writes messages itself.
type wire struct {
	c    *C
	conn net.Conn
	id   int32
}

// message is one that was received.
type message struct {
	op         wiremessage.OpCode
	responseTo int32
	flags      wiremessage.MsgFlag // of an OP_MSG
	document   bson.D
}

// dial opens a connection that is closed after the check.
func (c *C) dial() *wire {
	c.Helper()
	conn, err := c.Server.Dial(c.Context())
	if err != nil {
		c.Fatalf("dial: %v", err)
	}
	c.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		c.Fatalf("set deadline: %v", err)
	}
	return &wire{c: c, conn: conn}
}

// send writes a message of which the body is given, and returns its id.
func (w *wire) send(op wiremessage.OpCode, body []byte) int32 {
	w.c.Helper()
	w.id++
	start, message := wiremessage.AppendHeaderStart(nil, w.id, 0, op)
	message = bsoncore.UpdateLength(append(message, body...), start, int32(len(message)+len(body)))
	if _, err := w.conn.Write(message); err != nil {
		w.c.Fatalf("write: %v", err)
	}
	return w.id
}

// msg writes an OP_MSG with one document.
func (w *wire) msg(flags wiremessage.MsgFlag, command bson.D) int32 {
	w.c.Helper()
	return w.send(wiremessage.OpMsg, append(w.body(flags), w.encode(command)...))
}

// body begins an OP_MSG.
func (w *wire) body(flags wiremessage.MsgFlag) []byte {
	return wiremessage.AppendMsgSectionType(
		wiremessage.AppendMsgFlags(nil, flags), wiremessage.SingleDocument)
}

// query writes an OP_QUERY.
func (w *wire) query(namespace string, command bson.D) int32 {
	w.c.Helper()
	body := wiremessage.AppendQueryFlags(nil, wiremessage.SecondaryOK)
	body = wiremessage.AppendQueryFullCollectionName(body, namespace)
	body = wiremessage.AppendQueryNumberToSkip(body, 0)
	body = wiremessage.AppendQueryNumberToReturn(body, -1)
	//lint:ignore SA1019 drivers still begin with one
	return w.send(wiremessage.OpQuery, append(body, w.encode(command)...))
}

func (w *wire) encode(d bson.D) []byte {
	w.c.Helper()
	raw, err := bson.Marshal(d)
	if err != nil {
		w.c.Fatalf("marshal %s: %v", show(d), err)
	}
	return raw
}

// receive reads a message. It fails the check if there is none.
func (w *wire) receive() (m message) {
	w.c.Helper()
	m, err := w.tryReceive()
	if err != nil {
		w.c.Fatalf("read: %v", err)
	}
	return m
}

func (w *wire) tryReceive() (m message, err error) {
	var size [4]byte
	if _, err := io.ReadFull(w.conn, size[:]); err != nil {
		return m, err
	}
	whole := make([]byte, binary.LittleEndian.Uint32(size[:]))
	copy(whole, size[:])
	if _, err := io.ReadFull(w.conn, whole[len(size):]); err != nil {
		return m, err
	}
	_, _, m.responseTo, m.op, whole, _ = wiremessage.ReadHeader(whole)
	var raw bsoncore.Document
	if m.op == wiremessage.OpReply {
		raw, _, _ = wiremessage.ReadReplyDocument(whole[20:])
	} else {
		m.flags, whole, _ = wiremessage.ReadMsgFlags(whole)
		_, whole, _ = wiremessage.ReadMsgSectionType(whole)
		raw, _, _ = wiremessage.ReadMsgSectionSingleDocument(whole)
	}
	return m, bson.Unmarshal(raw, &m.document)
}
