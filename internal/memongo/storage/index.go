package storage

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// index is a definition that has been checked. The index of the _id is none of these: every
// collection has it.
type index struct {
	name    string
	key     bson.D
	paths   [][]string // of the key's fields
	options bson.D     // as given, without v, key, name, unique and hidden
	version any
	unique  bool
	hidden  bool
	sparse  bool
	filter  bson.D // partialFilterExpression
	partial *match.Matcher
	expires *int32 // expireAfterSeconds
}

func idIndex() bson.D {
	return bson.D{
		{Key: "v", Value: int32(2)},
		{Key: "key", Value: bson.D{{Key: "_id", Value: int32(1)}}},
		{Key: "name", Value: "_id_"},
	}
}

// spec returns the definition as the oplog and messages have it.
func (x *index) spec() bson.D {
	d := bson.D{{Key: "v", Value: x.version}}
	if x.unique {
		d = append(d, bson.E{Key: "unique", Value: true})
	}
	if x.hidden {
		d = append(d, bson.E{Key: "hidden", Value: true})
	}
	d = append(d, bson.E{Key: "key", Value: x.key}, bson.E{Key: "name", Value: x.name})
	return append(d, x.options...)
}

// listed returns the definition as listIndexes has it.
func (x *index) listed() bson.D {
	d := bson.D{
		{Key: "v", Value: x.version},
		{Key: "key", Value: x.key},
		{Key: "name", Value: x.name},
	}
	if background, ok := value.Get(x.options, "background"); ok {
		d = append(d, bson.E{Key: "background", Value: background})
	}
	if x.unique {
		d = append(d, bson.E{Key: "unique", Value: true})
	}
	if x.hidden {
		d = append(d, bson.E{Key: "hidden", Value: true})
	}
	for _, name := range []string{"partialFilterExpression", "sparse", "expireAfterSeconds"} {
		if v, ok := value.Get(x.options, name); ok {
			d = append(d, bson.E{Key: name, Value: v})
		}
	}
	return d
}

// hashed reports whether a field of the index is hashed: it may be no array.
func (x *index) hashed() bool {
	return slices.ContainsFunc(x.key, func(field bson.E) bool { return field.Value == "hashed" })
}

// withExpiry returns the index with another expireAfterSeconds.
func (x *index) withExpiry(seconds int32) *index {
	changed := *x
	changed.expires = &seconds
	changed.options = value.Set(x.options, "expireAfterSeconds", seconds)
	return &changed
}

// alike reports whether two indexes hold the same keys of the same documents.
func (x *index) alike(y *index) bool {
	return sameKey(x.key, y.key) && x.unique == y.unique && x.sparse == y.sparse &&
		(x.filter == nil) == (y.filter == nil) && value.Equal(x.filter, y.filter)
}

// identical reports whether they have the same options, too. Background and hidden do not count.
func (x *index) identical(y *index) bool {
	if x.expires == nil || y.expires == nil {
		return x.expires == y.expires
	}
	return *x.expires == *y.expires
}

func sameKey(a, b bson.D) bool { return value.Equal(a, b) }

func pathsOf(key bson.D) [][]string {
	paths := make([][]string, len(key))
	for i, field := range key {
		paths[i] = strings.Split(field.Key, ".")
	}
	return paths
}
