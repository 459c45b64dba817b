package update

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// replace puts the replacement in the document's place, and keeps the _id.
func (u *Update) replace(doc bson.D, c Context) (Result, error) {
	post := u.replacement
	if err := checkNames(post); err != nil {
		return Result{}, err
	}
	if value.Identical(doc, post) {
		return Result{Doc: doc}, nil
	}
	return replaced(doc, Stamp(post, c.timestamp))
}

// replaced is the result where the whole document is new. It can lack the _id.
func replaced(doc, post bson.D) (Result, error) {
	whole, err := keepID(doc, post)
	if err != nil {
		return Result{}, err
	}
	return Result{Doc: IDFirst(whole), Changed: true, Kind: Replaced, Logged: whole}, nil
}

// keepID checks the _id of what comes after a document, or adds it.
func keepID(doc, post bson.D) (bson.D, error) {
	if err := checkDepth(nil, post); err != nil {
		return nil, err
	}
	old, had := value.Get(doc, "_id")
	id, has := value.Get(post, "_id")
	if !has && had {
		return slices.Concat(bson.D{{Key: "_id", Value: old}}, post), nil
	}
	if !has {
		return post, nil
	}
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if had && !value.Equal(old, id) {
		return nil, mongoerr.New(mongoerr.ImmutableField, "After applying the update, the "+
			"(immutable) field '_id' was found to have been altered to _id: %s", value.Show(id))
	}
	return post, nil
}

// IDFirst returns the document with its _id as the first field, as a server stores it.
func IDFirst(doc bson.D) bson.D {
	i := slices.IndexFunc(doc, func(field bson.E) bool { return field.Key == "_id" })
	if i <= 0 {
		return doc
	}
	return slices.Concat(doc[i:i+1], doc[:i], doc[i+1:])
}

// WithID returns the document with an _id where it has none. The _id comes first.
func WithID(doc bson.D, id any) bson.D {
	if _, ok := value.Get(doc, "_id"); ok {
		return IDFirst(doc)
	}
	return slices.Concat(bson.D{{Key: "_id", Value: id}}, doc)
}

// Stamp replaces timestamps that are zero by those that next gives, as a server does with what
// it is told to insert, and with replacements: at the top of a document, and not its _id.
func Stamp(doc bson.D, next func() bson.Timestamp) bson.D {
	stamped := doc
	for i, field := range doc {
		if field.Value != (any)(bson.Timestamp{}) || field.Key == "_id" {
			continue
		}
		if &stamped[0] == &doc[0] {
			stamped = slices.Clone(doc)
		}
		stamped[i].Value = next()
	}
	return stamped
}
