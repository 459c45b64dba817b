package fw

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// server is what the checks found out about the deployment.
type server struct {
	deployment string // identity of the replica set or sharded cluster; "" unknown
}

// check makes sure that the server is there and can serve change streams.
func (a *App) check(ctx context.Context) (server, error) {
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	hello, err := ask(bounded, a.config.Client, bson.D{{Key: "hello", Value: 1}})
	if err != nil {
		return server{}, fmt.Errorf("the server can't be reached: %w; "+
			"check the connection string and that the server runs", err)
	}
	setName, _ := hello.Lookup("setName").StringValueOK()
	message, _ := hello.Lookup("msg").StringValueOK()
	switch {
	case message == "isdbgrid":
		return server{deployment: clusterID(bounded, a.config.Client)}, nil
	case setName != "":
		return server{deployment: replicaSetID(bounded, a.config.Client, setName)}, nil
	default:
		return server{}, errors.New("the server is a standalone, and change streams need a replica " +
			"set: start mongod with --replSet and run rs.initiate(), also for a single node")
	}
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

// excludes reports whether Only and Except keep a stream from running in this process.
func (a *App) excludes(stream string) bool {
	if len(a.config.Only) > 0 && !slices.Contains(a.config.Only, stream) {
		return true
	}
	return slices.Contains(a.config.Except, stream)
}
