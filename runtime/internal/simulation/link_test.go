package simulation

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// far is a server at the other end of a link, which answers every message with itself.
type far struct {
	mu   sync.Mutex // guards got
	got  []command
	work sync.WaitGroup
}

func (f *far) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	f.work.Go(func() {
		for {
			m, err := readMessage(server)
			if err != nil {
				return
			}
			f.mu.Lock()
			f.got = append(f.got, commandOf(m))
			f.mu.Unlock()
			if _, err := server.Write(m); err != nil {
				return
			}
		}
	})
	return client, nil
}

func (f *far) count() int {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

// save is a message that saves a position.
func save(t *testing.T) []byte {
	t.Helper()
	doc, err := bson.Marshal(bson.D{{Key: "update", Value: checkpoints}})
	if err != nil {
		t.Fatal(err)
	}
	at, m := wiremessage.AppendHeaderStart(nil, 1, 0, wiremessage.OpMsg)
	m = wiremessage.AppendMsgFlags(m, 0)
	m = wiremessage.AppendMsgSectionType(m, wiremessage.SingleDocument)
	m = append(m, doc...)
	m[at] = byte(len(m))
	return m
}

// linked runs f with a connection over a link.
func linked(t *testing.T, f func(t *testing.T, l *link, c net.Conn, server *far)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &far{}
		l := newLink("a-1", server.dial, newFaults(1))
		c, err := l.DialContext(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		f(t, l, c, server)
		l.sever()
		l.work.Wait()
		server.work.Wait()
	})
}

func send(t *testing.T, c net.Conn, m []byte) {
	t.Helper()
	if _, err := c.Write(m); err != nil {
		t.Fatal(err)
	}
}

func TestLinkCarriesBothWays(t *testing.T) {
	linked(t, func(t *testing.T, _ *link, c net.Conn, server *far) {
		began := time.Now()
		send(t, c, save(t))
		if _, err := readMessage(c); err != nil {
			t.Fatal(err)
		}
		want := command{name: "update", collection: checkpoints}
		if server.count() != 1 || server.got[0] != want || time.Since(began) != latency {
			t.Errorf("the server got %v after %s", server.got, time.Since(began))
		}
	})
}

func TestHeldMessageArrivesThoughItsClientHasGone(t *testing.T) {
	linked(t, func(t *testing.T, l *link, c net.Conn, server *far) {
		l.hold()
		send(t, c, save(t))
		time.Sleep(time.Minute)
		_ = c.Close()
		if n := server.count(); n != 0 {
			t.Errorf("the server got %d messages through a link that is held", n)
		}
		l.release()
		if n := server.count(); n != 1 {
			t.Errorf("the server got %d messages when the link was released, want 1", n)
		}
	})
}

func TestStragglerArrivesAfterItsClientGaveUp(t *testing.T) {
	linked(t, func(t *testing.T, l *link, c net.Conn, server *far) {
		l.faults.add(window{what: Positions, how: Straggling, chance: 1, delay: time.Minute,
			until: time.Now().Add(time.Hour)})
		send(t, c, save(t))
		if _, err := readMessage(c); err == nil {
			t.Error("the client got an answer")
		}
		if n := server.count(); n != 0 {
			t.Errorf("the server got %d messages at once", n)
		}
		time.Sleep(time.Minute)
		if n := server.count(); n != 1 {
			t.Errorf("the server got %d messages, want the one that was late", n)
		}
	})
}

func TestCutLinkLosesWhatIsUnderWay(t *testing.T) {
	linked(t, func(t *testing.T, l *link, c net.Conn, server *far) {
		l.hold()
		send(t, c, save(t))
		l.down()
		l.release()
		if n := server.count(); n != 0 {
			t.Errorf("the server got %d messages", n)
		}
		if _, err := l.DialContext(t.Context(), "", ""); err == nil {
			t.Error("a link that is cut was dialled")
		}
		l.up()
		if _, err := l.DialContext(t.Context(), "", ""); err != nil {
			t.Error(err)
		}
		l.sever()
		l.up()
		if _, err := l.DialContext(t.Context(), "", ""); err == nil {
			t.Error("a link that was severed for ever was dialled")
		}
	})
}
