package mongotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// URIVariable is the environment variable that names a deployment to test with.
const URIVariable = "FW_MONGO_URI"

// fromURI offers the deployment of FW_MONGO_URI. It is never a test's own. One that is named
// and cannot be reached is an error, not something missing.
func fromURI(needs Needs) (*Deployment, string, error) {
	uri := os.Getenv(URIVariable)
	if uri == "" {
		return nil, URIVariable + " is not set", nil
	}
	if lacks := beyondAnyURI(needs); lacks != "" {
		return nil, "the server of " + URIVariable + lacks, nil
	}
	offers, err := probe()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", URIVariable, err)
	}
	if lacks := offers.lacks(needs); lacks != "" {
		return nil, "the server of " + URIVariable + lacks, nil
	}
	return shared.get(uri, func() (*Deployment, string, error) {
		return &Deployment{URI: uri, stop: func() error { return nil }}, "", nil
	})
}

// beyondAnyURI says what no server has that is not started for the test.
func beyondAnyURI(needs Needs) string {
	switch {
	case needs.Docker:
		return " is no container of the test's"
	case needs.Kill, needs.Own:
		return " is not the test's to disturb"
	case needs.Standalone, needs.OplogMB > 0, len(needs.Args) > 0:
		return " was not started as the test wants it"
	}
	return ""
}

// offer is what the server of FW_MONGO_URI has.
type offer struct {
	nodes        int // 0: no replica set
	testCommands bool
	auth         bool
	release      replset.Release
}

func (o offer) lacks(needs Needs) string {
	switch {
	case o.nodes == 0:
		return " is no replica set"
	case o.nodes < needs.Nodes:
		return fmt.Sprintf(" has %d nodes", o.nodes)
	case needs.TestCommands && !o.testCommands:
		return " has no test commands (enableTestCommands=1)"
	case needs.Auth && !o.auth:
		return " asks for no credentials"
	case needs.SplitStage && !o.release.HasSplitStage():
		return " has no $changeStreamSplitLargeEvent"
	}
	return ""
}

// probe asks the server of FW_MONGO_URI once for the whole test binary.
var probe = sync.OnceValues(func() (offer, error) { return ask(os.Getenv(URIVariable)) })

// ask finds out what a server offers.
func ask(uri string) (o offer, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	opts := options.Client().SetServerSelectionTimeout(10 * time.Second).ApplyURI(uri)
	client, err := mongo.Connect(opts)
	if err != nil {
		return o, err
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	admin := client.Database("admin")

	var hello struct {
		Hosts   []string `bson:"hosts"`
		Message string   `bson:"msg"`
	}
	if err := admin.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		return o, err
	}
	o.nodes, o.auth = len(hello.Hosts), opts.Auth != nil
	if hello.Message == "isdbgrid" {
		o.nodes = 1 // a sharded cluster: change streams, but no nodes to speak of
	}
	// With test commands the server misses the fail point (266), without them the command (59).
	err = admin.RunCommand(ctx, bson.D{
		{Key: "configureFailPoint", Value: "thereIsNoSuchFailPoint"}, {Key: "mode", Value: "off"},
	}).Err()
	var refused mongo.CommandError
	if !errors.As(err, &refused) {
		return o, fmt.Errorf("ask for test commands: %w", err)
	}
	o.testCommands = refused.Code == 266

	var build struct {
		Version string `bson:"version"`
	}
	err = admin.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&build)
	if err != nil {
		return o, err
	}
	o.release, err = replset.ParseRelease(build.Version)
	return o, err
}
