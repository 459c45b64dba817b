package update

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Options are what a statement says beside its update.
type Options struct {
	ArrayFilters []bson.D
	Upsert       bool
	Multi        bool
	Let          bson.D
}

// Update is a compiled update. It holds no state: many documents can be updated at once.
type Update struct {
	replacement bson.D
}

// Compile checks an update: a bson.D of operators or a replacement, or a bson.A of stages.
func Compile(u any, o Options) (*Update, error) {
	return nil, mongoerr.Unsupported("updates")
}

// IsReplacement reports whether the update puts a whole document in the other's place.
func (u *Update) IsReplacement() bool { return u.replacement != nil }

// Apply makes the updated document.
func (u *Update) Apply(doc bson.D, c Context) (Result, error) {
	return Result{}, mongoerr.Unsupported("updates")
}

// Upsert makes the document that an upsert inserts where nothing matches. The equalities are the
// filter's. It has no _id where neither they nor the update give one; see [WithID].
func (u *Update) Upsert(equalities bson.D, c Context) (bson.D, error) {
	return nil, mongoerr.Unsupported("upserts")
}
