package integration

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/store"
)

// B148: what the server says of a user without rights has the command, as the driver passes it on.
func TestB148ARefusalDoesNotTellTheCommand(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Auth: true})
	db := d.Database(t)
	must(t, db.Client().Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: "nobody"}, {Key: "pwd", Value: "secret"},
		{Key: "roles", Value: bson.A{}},
	}).Err())
	nobody := d.Client(t, options.Client().SetAuth(options.Credential{
		Username: "nobody", Password: "secret", AuthSource: "admin",
	}))
	leases := mongostore.New(nobody, db.Name(), "_fw").Leases()
	_, err := leases.Acquire(within(t, patience), store.AcquireRequest{
		Stream: "orders", Owner: "a confidential owner", TTL: time.Minute,
	})
	if err == nil || !strings.Contains(err.Error(), "not authorized") ||
		strings.Contains(err.Error(), "confidential") {
		t.Errorf("Acquire = %v", err)
	}
}
