package fw

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// UpdateDescription says what an update changed, as the server describes it.
type UpdateDescription struct {
	// Updated maps the paths of fields to their new values.
	Updated bson.Raw
	// Removed are the paths of fields that are gone.
	Removed []string
	// Truncated are the arrays that were shortened.
	Truncated []TruncatedArray
}

// TruncatedArray is an array that an update shortened.
type TruncatedArray struct {
	Field   string
	NewSize int
}

// Changed reports whether the update set, removed or shortened the field at path, a field within
// it, or a document that contains it.
func (u *UpdateDescription) Changed(path string) bool {
	if u == nil {
		return false
	}
	elements, _ := u.Updated.Elements()
	for _, e := range elements {
		if touches(e.Key(), path) {
			return true
		}
	}
	for _, removed := range u.Removed {
		if touches(removed, path) {
			return true
		}
	}
	for _, t := range u.Truncated {
		if touches(t.Field, path) {
			return true
		}
	}
	return false
}

func touches(changed, path string) bool {
	return changed == path ||
		strings.HasPrefix(changed, path+".") || strings.HasPrefix(path, changed+".")
}
