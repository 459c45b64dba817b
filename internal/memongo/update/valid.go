package update

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Codes of what is only refused here.
const (
	codeCannotBackfill  int32 = 34
	codeNotSingleValue  int32 = 54
	codeInvalidDBRef    int32 = 55
	codeConstantsNoPipe int32 = 51198
)

// checkName refuses names with a dollar at the top of a document, but for those of a DBRef, which
// have their order.
func checkName(root *element, name string) error {
	if !strings.HasPrefix(name, "$") {
		return nil
	}
	i := root.find(name)
	v := root.fields[i].close()
	switch name {
	case "$ref":
		return checkRef(root, i, v)
	case "$id":
		if before(root, i) != "$ref" {
			return invalidDBRef("Found $id field without a $ref before it, which is invalid.")
		}
	case "$db":
		if _, ok := v.(string); !ok {
			return invalidDBRef("The DBRef $db field must be a String, not a %s",
				value.TypeName(v))
		}
		if before(root, i) != "$id" {
			return invalidDBRef("Found $db field without a $id before it, which is invalid.")
		}
	default:
		return mongoerr.New(mongoerr.DollarPrefixedFieldName, "The dollar ($) prefixed field "+
			"'%[1]s' in '%[1]s' is not allowed in the context of an update's replacement "+
			"document. Consider using an aggregation pipeline with $replaceWith.", name)
	}
	return nil
}

func checkRef(root *element, i int, v any) error {
	if _, ok := v.(string); !ok {
		return invalidDBRef("The DBRef $ref field must be a String, not a %s", value.TypeName(v))
	}
	if i+1 == len(root.fields) || root.fields[i+1].name != "$id" {
		return invalidDBRef("The DBRef $ref field must be followed by a $id field")
	}
	return nil
}

func before(root *element, i int) string {
	if i == 0 {
		return ""
	}
	return root.fields[i-1].name
}

func invalidDBRef(format string, args ...any) error {
	return mongoerr.New(codeInvalidDBRef, format, args...)
}

// checkNames checks all names at the top of a document.
func checkNames(d bson.D) error {
	root := &element{value: d}
	root.open()
	for _, field := range d {
		if err := checkName(root, field.Key); err != nil {
			return err
		}
	}
	return nil
}

// CheckID says whether a document can be stored with an _id.
func CheckID(id any) error {
	switch id := id.(type) {
	case bson.Regex, bson.A, bson.Undefined:
		return mongoerr.New(mongoerr.InvalidIDField, "The '_id' value cannot be of type %s",
			value.TypeName(id))
	case bson.D:
		for _, field := range id {
			if strings.HasPrefix(field.Key, "$") && !isRef(field.Key) {
				return mongoerr.New(mongoerr.DollarPrefixedFieldName, "_id fields may not contain "+
					"'$'-prefixed fields: %s is not valid for storage.", field.Key)
			}
		}
	}
	return nil
}

func isRef(name string) bool { return name == "$ref" || name == "$id" || name == "$db" }

// maxDepth is how many components the path of a stored field can have.
const maxDepth = 180

// checkDepth says whether a value can be at a path.
func checkDepth(p path, v any) error {
	if !deeper(v, maxDepth-len(p)) {
		return nil
	}
	return mongoerr.New(mongoerr.Overflow,
		"Document exceeds maximum nesting depth of %d", maxDepth)
}

// deeper reports whether a value has fields below the given level.
func deeper(v any, level int) bool {
	if level < 0 {
		return true
	}
	switch v := v.(type) {
	case bson.D:
		return slices.ContainsFunc(v, func(e bson.E) bool { return deeper(e.Value, level-1) })
	case bson.A:
		return slices.ContainsFunc(v, func(item any) bool { return deeper(item, level-1) })
	}
	return false
}
