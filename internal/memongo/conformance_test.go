package memongo_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/internal/memongo/conformance"
)

// differences are the checks in which a server of this package differs from a real one and is
// meant to, each with the reason.
var differences = map[string]string{
	"validator/by a schema": "$jsonSchema is not supported; nothing here needs it",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{})
	conformance.Run(t, conformance.Server{
		Name: "memongo",
		Client: func(t testing.TB, opts ...*options.ClientOptions) *mongo.Client {
			return connect(t, s, opts...)
		},
		Has: conformance.Features{
			TestCommands: true, Split: true, TTLMonitor: true, Validators: true,
		},
		Differences: differences,
	})
}
