package memongo_test

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/internal/memongo"
)

// A real server breaks the connection or answers so, by how much larger it is.
func TestAResultThatIsTooLargeIsNamed(t *testing.T) {
	t.Parallel()
	c := connect(t, start(t, memongo.Options{})).Database("d").Collection("c")
	mustInsert(t, c, bson.D{{Key: "a", Value: strings.Repeat("x", 6<<20)}})
	_, err := c.Aggregate(t.Context(), mongo.Pipeline{
		d("$project", d("a", bson.A{"$a", "$a", "$a"})),
	})
	var failed mongo.CommandError
	if !errors.As(err, &failed) || failed.Code != 10334 {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatIsNotKeptCanNotBeRead(t *testing.T) {
	t.Parallel()
	client := connect(t, start(t, memongo.Options{}))
	_, err := client.Database("local").Collection("oplog.rs").Find(t.Context(), bson.D{})
	if err == nil || !strings.Contains(err.Error(), "does not support reading the database local") {
		t.Errorf("the error is %v", err)
	}
}
