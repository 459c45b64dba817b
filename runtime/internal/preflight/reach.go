package preflight

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
)

// authenticationFailed is the server's code for credentials that it refuses.
const authenticationFailed = 18

// Reach makes sure that the server is there and can serve change streams, and returns the
// identity of the deployment: "" if it can't be known.
func Reach(ctx context.Context, client *mongo.Client) (deployment string, err error) {
	hello, err := ask(ctx, client, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return "", unreachable(err)
	}
	setName, _ := hello.Lookup("setName").StringValueOK()
	message, _ := hello.Lookup("msg").StringValueOK()
	switch {
	case message == "isdbgrid":
		return clusterID(ctx, client), nil
	case setName != "":
		return replicaSetID(ctx, client, setName), nil
	default:
		return "", errors.New("the server is a standalone, and change streams need a replica " +
			"set: start mongod with --replSet and run rs.initiate(), also for a single node")
	}
}

// unreachable says what to do about a server that did not answer.
func unreachable(err error) error {
	if refused(err) {
		return fmt.Errorf("the server refuses the credentials: check user, password and "+
			"authSource in the connection string: %w", err)
	}
	return fmt.Errorf("the server can't be reached: check the connection string, and that the "+
		"server runs and has a primary: %w", err)
}

// refused reports whether the server did not accept the client's credentials. The driver gives
// such errors no type of its own on their way through the connection pool, but keeps the server's.
func refused(err error) bool {
	if server, ok := errors.AsType[driver.Error](err); ok && server.Code == authenticationFailed {
		return true
	}
	command, ok := errors.AsType[mongo.CommandError](err)
	return ok && command.Code == authenticationFailed
}

// replicaSetID identifies a replica set, by its id where that may be read, else by its name.
func replicaSetID(ctx context.Context, client *mongo.Client, setName string) string {
	answer, err := ask(ctx, client, bson.D{{Key: "replSetGetConfig", Value: 1}})
	if err == nil {
		if id, ok := answer.Lookup("config", "settings", "replicaSetId").ObjectIDOK(); ok {
			return "replicaSetId:" + id.Hex()
		}
	}
	return "setName:" + setName
}

// clusterID identifies a sharded cluster; "" where it may not be read.
func clusterID(ctx context.Context, client *mongo.Client) string {
	var version struct {
		ClusterID bson.ObjectID `bson:"clusterId"`
	}
	err := client.Database("config").Collection("version").FindOne(ctx, bson.D{}).Decode(&version)
	if err != nil || version.ClusterID.IsZero() {
		return ""
	}
	return "clusterId:" + version.ClusterID.Hex()
}

func ask(ctx context.Context, client *mongo.Client, command bson.D) (bson.Raw, error) {
	return client.Database("admin").RunCommand(ctx, command).Raw()
}
