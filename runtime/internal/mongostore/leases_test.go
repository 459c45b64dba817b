package mongostore_test

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/runtime/fwtest/leasetest"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
)

// On the server in the process. A real one is asked by the same suite in module integration.
func TestLeases(t *testing.T) {
	t.Parallel()
	leasetest.Run(t, leasetest.Options{Bubble: true, New: func(t testing.TB) leasetest.Store {
		server := memongo.Start(memongo.Options{})
		t.Cleanup(server.Close)
		client, person := connect(t, server), connect(t, server)
		return leasetest.Store{
			Leases: mongostore.New(client, "shop", "_fw").Leases(),
			Delete: func(ctx context.Context, stream string) error {
				_, err := person.Database("shop").Collection("_fw_locks").
					DeleteOne(ctx, bson.M{"_id": stream})
				return err
			},
			Writes: func(context.Context) (int64, error) {
				entries, _ := server.Oplog().Since(storage.Position{})
				return int64(len(entries)), nil
			},
			Break: func() { _ = client.Disconnect(context.Background()) },
		}
	}})
}

// connect returns a client, which is disconnected before the server ends.
func connect(t testing.TB, server *memongo.Server) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(server.ClientOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) }) // Break may have done so
	return client
}
