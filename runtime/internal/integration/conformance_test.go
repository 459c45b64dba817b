package integration

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo/conformance"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// The suite that the in-process server is held to, on the server that it is held to.
func TestRealServerConformsToTheSuite(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{
		TestCommands: true,
		// Set later it would be heeded after the first minute.
		Args: []string{"--setParameter", "ttlMonitorSleepSecs=1"},
	})
	conformance.Run(t, conformance.Server{
		Name:   "a real server",
		Client: d.Client,
		Dial:   dialer(d),
		Own:    ownServer,
		Has: conformance.Features{
			TestCommands: true,
			Wire:         true,
			Own:          true,
			TTLMonitor:   true,
			Views:        true,
			Capped:       true,
			Validators:   true,
			Expanded:     true,
		},
	})
}

func TestRealServerWithTheSplitStageConformsToTheSuite(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{TestCommands: true, SplitStage: true, Own: true})
	conformance.Run(t, conformance.Server{
		Name:   "a real server with the split stage",
		Client: d.Client,
		Has:    conformance.Features{TestCommands: true, Split: true},
		Only:   conformance.Features{Split: true},
	})
}

// dialer opens connections to the first node of a deployment.
func dialer(d *mongotest.Deployment) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		uri, err := url.Parse(d.URI)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, "tcp", uri.Host)
	}
}

// ownServer starts a server with the smallest oplog there is, which is cut at every checkpoint.
func ownServer(t testing.TB) conformance.Own {
	d := mongotest.Start(t, mongotest.Needs{
		TestCommands: true,
		OplogMB:      1,
		Args:         []string{"--setParameter", "transactionLifetimeLimitSeconds=1"},
	})
	return conformance.Own{Client: d.Client, RollOver: func(t testing.TB) { rollOver(t, d) }}
}

// rollOver writes until the oplog begins later than now.
func rollOver(t testing.TB, d *mongotest.Deployment) {
	client := d.Client(t)
	filler := client.Database("filler").Collection("filler")
	oplog := client.Database("local").Collection("oplog.rs")
	first := func(order int) (entry struct{ TS bson.Timestamp }) {
		opts := options.FindOne().SetSort(bson.D{{Key: "$natural", Value: order}})
		must(t, oplog.FindOne(t.Context(), bson.D{}, opts).Decode(&entry))
		return entry
	}
	past := first(-1)
	document := bson.M{"filler": strings.Repeat("x", 100<<10)}
	for begin := time.Now(); !past.TS.Before(first(1).TS); {
		if time.Since(begin) > patience {
			t.Fatal("the oplog does not roll over")
		}
		_, err := filler.InsertOne(t.Context(), document)
		must(t, err)
	}
}
