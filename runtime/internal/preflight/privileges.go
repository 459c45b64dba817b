package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Need is what a user must be allowed to do with a collection.
type Need struct {
	Database, Collection string
	Actions              []string // as the server names them
}

// The actions that streams need.
var (
	// Watching is what reading a change stream takes, with looking documents up.
	Watching = []string{"changeStream", "find"}
	// Keeping is what keeping state in a collection takes.
	Keeping = []string{"find", "insert", "update"}
	// Announcing is Keeping, and taking back what was announced.
	Announcing = []string{"find", "insert", "remove", "update"}
	// Following is Keeping, and being told of changes.
	Following = []string{"changeStream", "find", "insert", "update"}
)

type privilege struct {
	Resource struct {
		Database    *string `bson:"db"`
		Collection  *string `bson:"collection"`
		AnyResource bool    `bson:"anyResource"`
	} `bson:"resource"`
	Actions []string `bson:"actions"`
}

// Privileges returns an error that names every action the client's user lacks, or says that the
// server asks for a user and there is none. A server that will not tell is not an error: what is
// missing then shows when it is used.
func Privileges(ctx context.Context, client *mongo.Client, needs []Need) error {
	var answer struct {
		AuthInfo struct {
			Users []struct {
				User string `bson:"user"`
			} `bson:"authenticatedUsers"`
			Privileges []privilege `bson:"authenticatedUserPrivileges"`
		} `bson:"authInfo"`
	}
	command := bson.D{{Key: "connectionStatus", Value: 1}, {Key: "showPrivileges", Value: true}}
	err := client.Database("admin").RunCommand(ctx, command).Decode(&answer)
	if err != nil {
		return ctx.Err()
	}
	if len(answer.AuthInfo.Users) == 0 {
		return anonymous(ctx, client, needs)
	}
	var missing []string
	for _, need := range needs {
		if lacks := need.lacking(answer.AuthInfo.Privileges); len(lacks) > 0 {
			missing = append(missing, fmt.Sprintf("%s on %s.%s",
				strings.Join(lacks, ", "), need.Database, need.Collection))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("user %s lacks privileges: %s; grant them to one of its roles, "+
		"as with db.grantPrivilegesToRole()", answer.AuthInfo.Users[0].User,
		strings.Join(missing, "; "))
}

// anonymous tries, without a user, what every stream needs.
func anonymous(ctx context.Context, client *mongo.Client, needs []Need) error {
	if len(needs) == 0 {
		return nil
	}
	err := client.Database(needs[0].Database).Collection(needs[0].Collection).
		FindOne(ctx, bson.D{}, options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
	if refusal, ok := errors.AsType[mongo.CommandError](err); ok && refusal.Code == unauthorized {
		return errors.New("the server asks for credentials and the client has none: " +
			"put user, password and authSource into the connection string")
	}
	return ctx.Err()
}

// unauthorized is the server's code for what a user may not do.
const unauthorized = 13

// lacking returns the actions that no privilege allows.
func (n Need) lacking(privileges []privilege) []string {
	return slices.DeleteFunc(slices.Clone(n.Actions), func(action string) bool {
		return slices.ContainsFunc(privileges, func(p privilege) bool {
			return p.covers(n) && slices.Contains(p.Actions, action)
		})
	})
}

// covers reports whether a privilege is about the collection. An empty name stands for all.
func (p privilege) covers(n Need) bool {
	if p.Resource.AnyResource {
		return true
	}
	if p.Resource.Database == nil || p.Resource.Collection == nil {
		return false // about the cluster
	}
	database, collection := *p.Resource.Database, *p.Resource.Collection
	return (database == "" || database == n.Database) &&
		(collection == "" || collection == n.Collection)
}
