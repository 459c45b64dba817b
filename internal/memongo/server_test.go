package memongo_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/internal/memongo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTimeInABubbleIsTheServersTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := connect(t, start(t, memongo.Options{}))
		for range 3 {
			answer, err := run(t, client, d("hello", 1))
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.Lookup("localTime").Time(); !got.Equal(time.Now()) {
				t.Errorf("localTime %v, want %v", got, time.Now())
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestClockOfTheServerMayDiffer(t *testing.T) {
	t.Parallel()
	ahead := func() time.Time { return time.Now().Add(10 * time.Minute) }
	client := connect(t, start(t, memongo.Options{Now: ahead}))
	answer, err := run(t, client, d("hello", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Until(answer.Lookup("localTime").Time()); got < 9*time.Minute {
		t.Errorf("the server is ahead by %v", got)
	}
}

func TestListensOnLoopbackForOtherProcesses(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{})
	mustInsert(t, connect(t, s).Database("d").Collection("c"), d("_id", 1))
	uri, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	n, err := client.Database("d").Collection("c").CountDocuments(t.Context(), bson.D{})
	if err != nil || n != 1 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestClosedServerBreaksItsConnections(t *testing.T) {
	t.Parallel()
	s := memongo.Start(memongo.Options{})
	conn, err := s.DialContext(t.Context(), "tcp", "anywhere")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection can still be read from")
	}
	if _, err := s.DialContext(t.Context(), "tcp", "anywhere"); err == nil {
		t.Error("a closed server is dialled")
	}
	if _, err := s.Listen(); err == nil {
		t.Error("a closed server listens")
	}
	s.Close() // once more is nothing
}

func TestUnknownCommandIsNamed(t *testing.T) {
	t.Parallel()
	client := connect(t, start(t, memongo.Options{}))
	_, err := run(t, client, d("mapReduceEverything", 1))
	var answer mongo.CommandError
	if !errors.As(err, &answer) || answer.Code != 59 ||
		answer.Message != "no such command: 'mapReduceEverything'" {
		t.Errorf("%v", err)
	}
}

func TestBytesThatAreNoMessageCloseTheConnection(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{})
	for _, garbage := range []string{
		"GET / HTTP/1.1\r\n\r\n",
		"\x10\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00",
		"\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00",
	} {
		conn, err := s.DialContext(t.Context(), "tcp", "anywhere")
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(soon))
		_, _ = conn.Write([]byte(garbage)) // the server may hang up in the middle
		if n, err := conn.Read(make([]byte, 1)); n != 0 || isTimeout(err) {
			t.Errorf("%q: read %d bytes, %v", garbage, n, err)
		}
		_ = conn.Close()
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
