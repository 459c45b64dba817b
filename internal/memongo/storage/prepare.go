package storage

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// What a document may be.
const (
	MaxDocumentSize = 16 << 20 // bytes
	MaxDepth        = 180      // documents and arrays in one another
)

// Codes for documents that are too large.
const (
	updatedTooLarge  int32 = 17419
	upsertedTooLarge int32 = 17420
)

// Prepare makes a document ready for insertion: the _id comes first and is made where it is
// missing, and empty timestamps of its own fields are filled. It refuses what a server refuses to
// insert.
func (e *Engine) Prepare(doc bson.D) (bson.D, error) {
	if size := value.Size(doc); size > MaxDocumentSize {
		return nil, mongoerr.New(mongoerr.BadValue,
			"object to insert too large. size in bytes: %d, max size: %d", size, MaxDocumentSize)
	}
	if deeper(doc, MaxDepth) {
		return nil, mongoerr.New(mongoerr.Overflow,
			"cannot insert document because it exceeds %d levels of nesting", MaxDepth)
	}
	return e.identify(doc)
}

// PrepareUpsert does the same for a document that an upsert is to insert.
func (e *Engine) PrepareUpsert(doc bson.D) (bson.D, error) {
	if value.Size(doc) > MaxDocumentSize {
		return nil, mongoerr.New(upsertedTooLarge,
			"Document to upsert is larger than %d", MaxDocumentSize)
	}
	if err := checkDepth(doc); err != nil {
		return nil, err
	}
	return e.identify(doc)
}

// checkUpdated refuses what an update may not make of a document.
func checkUpdated(doc bson.D) error {
	if value.Size(doc) > MaxDocumentSize {
		return mongoerr.New(updatedTooLarge,
			"Resulting document after update is larger than %d", MaxDocumentSize)
	}
	return checkDepth(doc)
}

func checkDepth(doc bson.D) error {
	if deeper(doc, MaxDepth) {
		return mongoerr.New(mongoerr.Overflow,
			"Document exceeds maximum nesting depth of %d", MaxDepth)
	}
	return nil
}

// identify returns the document with its _id as the first field, and with its timestamps filled.
func (e *Engine) identify(doc bson.D) (bson.D, error) {
	var id any = value.Missing
	prepared := make(bson.D, 1, len(doc)+1)
	for _, field := range doc {
		empty := field.Value == bson.Timestamp{}
		switch {
		case field.Key == "_id" && id != value.Missing:
			return nil, mongoerr.New(mongoerr.BadValue,
				"can't have multiple _id fields in one document")
		case field.Key == "_id":
			id = field.Value
			continue
		case empty:
			field.Value = e.stamp()
		}
		prepared = append(prepared, field)
	}
	if id == value.Missing {
		id = bson.NewObjectID()
	}
	prepared[0] = bson.E{Key: "_id", Value: id}
	return prepared, checkID(id)
}

func (e *Engine) stamp() bson.Timestamp {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.clock.tick()
}

func checkID(id any) error {
	switch id.(type) {
	case bson.A, bson.Undefined, bson.Regex:
		return mongoerr.New(mongoerr.InvalidIDField,
			"The '_id' value cannot be of type %s", value.TypeName(id))
	}
	if name := dollarField(id); name != "" {
		return mongoerr.New(mongoerr.DollarPrefixedFieldName,
			"_id fields may not contain '$'-prefixed fields: %s is not valid for storage.", name)
	}
	return nil
}

// dollarField returns the first name that begins with a dollar, at any depth.
func dollarField(v any) string {
	d, _ := v.(bson.D)
	for _, field := range d {
		if strings.HasPrefix(field.Key, "$") {
			return field.Key
		}
		if name := dollarField(field.Value); name != "" {
			return name
		}
	}
	return ""
}
