package storage

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// definition is what a collection's owner has laid down. Definitions never change.
type definition struct {
	options   bson.D // as listCollections shows them
	images    bool   // changeStreamPreAndPostImages
	validator *match.Matcher
	moderate  bool // documents that were invalid before may stay so
	lenient   bool // validation off, or with the action warn
	indexes   []*index
}

// newDefinition makes one of options that have been checked.
func newDefinition(options bson.D, indexes []*index) (*definition, error) {
	d := &definition{options: options, indexes: indexes}
	images, _ := value.Lookup(options, "changeStreamPreAndPostImages", "enabled").(bool)
	d.images = images
	level, _ := value.Lookup(options, "validationLevel").(string)
	action, _ := value.Lookup(options, "validationAction").(string)
	d.moderate = level == "moderate"
	d.lenient = level == "off" || action == "warn"
	if filter, ok := value.Lookup(options, "validator").(bson.D); ok {
		m, err := match.Compile(filter)
		if err != nil {
			return nil, err
		}
		d.validator = m
	}
	return d, nil
}

// withIndexes returns the definition with other indexes.
func (d *definition) withIndexes(indexes []*index) *definition {
	changed := *d
	changed.indexes = indexes
	return &changed
}

// unique reports whether any index is unique beside that of the _id.
func (d *definition) unique() bool {
	return slices.ContainsFunc(d.indexes, func(x *index) bool { return x.unique })
}

// named returns the index with a name, or nil.
func (d *definition) named(name string) *index {
	for _, x := range d.indexes {
		if x.name == name {
			return x
		}
	}
	return nil
}
