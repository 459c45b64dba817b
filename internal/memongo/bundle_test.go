package memongo_test

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// start starts a server that ends with the test.
func start(t testing.TB, o memongo.Options) *memongo.Server {
	t.Helper()
	s := memongo.Start(o)
	t.Cleanup(s.Close)
	return s
}

// connect returns a client in memory that ends with the test.
func connect(t testing.TB, s *memongo.Server, opts ...*options.ClientOptions) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(append([]*options.ClientOptions{s.ClientOptions()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's context has ended by now.
		if err := client.Disconnect(context.Background()); err != nil {
			t.Errorf("disconnect: %v", err)
		}
	})
	return client
}

func run(t testing.TB, client *mongo.Client, command bson.D) (bson.Raw, error) {
	t.Helper()
	return client.Database("admin").RunCommand(t.Context(), command).Raw()
}

func mustInsert(t testing.TB, c *mongo.Collection, docs ...bson.D) {
	t.Helper()
	for _, doc := range docs {
		if _, err := c.InsertOne(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
}

func d(key string, value any) bson.D { return bson.D{{Key: key, Value: value}} }

// soon is long enough for what should happen at once, and bounds what would hang.
const soon = 10 * time.Second
