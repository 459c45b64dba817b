package changestream

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// compileStages compiles a user's stages; none are nil.
func compileStages(list bson.A, o *Options) (stages, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return nil, mongoerr.Unsupported("stages after $changeStream yet")
}
