package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.uber.org/goleak"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// Not parallel: it looks at every goroutine of the process.
func TestB071NoGoroutineIsLeftAfterRun(t *testing.T) {
	b := newBundle(t, mongotest.Needs{})
	must(t, b.db.CreateCollection(t.Context(), "items"))
	before := goleak.IgnoreCurrent()
	client, err := mongo.Connect(options.Client().ApplyURI(b.deployment.URI))
	must(t, err)
	var r recorder
	var streams []fw.Stream
	for n := range 30 {
		s := stream([]fw.Mode{fw.SingleLeader, fw.AllInstances}[n%2], &r)
		s.Name = fmt.Sprint("s", n)
		streams = append(streams, s)
	}
	a := b.run(fw.Config{Client: client, Observer: &observed{}}, streams...)
	for _, s := range streams {
		a.await(s.Name, fw.StateRunning, "")
	}
	b.insert(1)
	eventually(b, patience, atLeast("events", len(streams), r.count), a)
	began := time.Now()
	a.stop()
	if took := time.Since(began); took > 5*time.Second {
		b.Errorf("Run returned %s after the stop", took)
	}
	must(t, client.Disconnect(context.Background()))
	if err := goleak.Find(before); err != nil { // it tries for a while
		b.Error(err)
	}
}
