package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// filter is a compiled query filter, of a validator or of a partial index.
type filter struct{}

func compileFilter(d bson.D) (*filter, error) {
	return nil, mongoerr.Unsupported("validators and partial indexes")
}

func (f *filter) match(doc bson.D) (bool, error) { return true, nil }

func (f *filter) usesExpr() bool { return false }
