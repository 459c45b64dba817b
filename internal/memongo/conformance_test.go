package memongo_test

import (
	"context"
	"net"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/internal/memongo/conformance"
)

// differences are the checks in which a server of this package differs from a real one and is
// meant to, each with the reason.
var differences = map[string]string{
	"validator/by a schema": "$jsonSchema is not supported; nothing here needs it",
	"update/array filter that can't match": "an $all of nothing is not found to be useless " +
		"when it is read; it matches nothing",
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{})
	conformance.Run(t, conformance.Server{
		Name: "memongo",
		Client: func(t testing.TB, opts ...*options.ClientOptions) *mongo.Client {
			return connect(t, s, opts...)
		},
		Dial: func(ctx context.Context) (net.Conn, error) { return s.DialContext(ctx, "", "") },
		Own:  own,
		Has: conformance.Features{
			TestCommands: true, Split: true, TTLMonitor: true, Validators: true,
			Expanded: true, Wire: true, Own: true,
		},
		Differences: differences,
	})
}

// own starts a server for one check.
func own(t testing.TB) conformance.Own {
	s := start(t, memongo.Options{})
	lifetime := bson.D{{Key: "setParameter", Value: 1}, {Key: "transactionLifetimeLimitSeconds", Value: 1}}
	if _, err := run(t, connect(t, s), lifetime); err != nil {
		t.Fatal(err)
	}
	return conformance.Own{
		Client: func(t testing.TB, opts ...*options.ClientOptions) *mongo.Client {
			return connect(t, s, opts...)
		},
		RollOver: func(testing.TB) { s.ForgetOplog(0) },
	}
}
