package mongotest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// cleanupTimeout bounds what is done after a test.
const cleanupTimeout = 20 * time.Second

// Deployment is a running MongoDB. The methods that take a *testing.T fail that test when
// something goes wrong.
type Deployment struct {
	// URI is the connection string, with credentials where Needs.Auth was set.
	URI string

	set    *replset.Set // nil when the servers are not our processes
	shared bool
	points failPoints
	stop   func() error
}

// Client returns a connected client that is disconnected after the test. Its application name
// is the test's, so that fail points can be aimed at it.
func (d *Deployment) Client(t testing.TB, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	return connect(t, append([]*options.ClientOptions{
		options.Client().ApplyURI(d.URI).SetAppName(AppName(t)),
	}, opts...)...)
}

// NodeClient returns a client for one node alone, whatever its state.
func (d *Deployment) NodeClient(t testing.TB, node *replset.Node) *mongo.Client {
	t.Helper()
	return connect(t, options.Client().ApplyURI(d.processes(t).NodeURI(node)))
}

func connect(t testing.TB, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(opts...)
	if err != nil {
		t.Fatalf("mongotest: connect: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		_ = client.Disconnect(ctx)
	})
	return client
}

// AppName is the application name of the clients of a test. The server cuts longer ones.
func AppName(t testing.TB) string {
	return shorten(t.Name(), 100)
}

// Database returns a database that nobody else uses. It is dropped after the test where the
// deployment outlives the test.
func (d *Deployment) Database(t testing.TB) *mongo.Database {
	t.Helper()
	db := d.Client(t).Database(DatabaseName(t))
	if d.shared {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
			defer cancel()
			if err := db.Drop(ctx); err != nil {
				t.Logf("mongotest: drop database %s: %v", db.Name(), err)
			}
		})
	}
	return db
}

// DatabaseName returns a new name that tells which test it belongs to. A name of a database
// has at most 63 bytes and no punctuation.
func DatabaseName(t testing.TB) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, t.Name())
	return shorten(clean, 50) + "_" + strings.ToLower(rand.Text()[:8])
}

func shorten(text string, size int) string {
	return text[max(0, len(text)-size):]
}
