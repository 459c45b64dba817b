package letter

import (
	"cmp"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

const (
	// maxDocument is the server's limit of a stored document.
	maxDocument = 16 << 20

	maxName           = 1 << 10
	maxMessage        = 64 << 10
	maxStack          = 64 << 10
	maxHistoryMessage = 4 << 10

	// reserved is for what a row has beside the parts of the event: names, message, stack, and a
	// history that is full one day.
	reserved = 16*maxName + maxMessage + maxStack + (HistoryLength+1)*(maxHistoryMessage+maxName)

	maxContent  = maxDocument - reserved
	bareContent = 64 << 10

	// maxDepth is how deeply a part may be nested. MongoDB documents 100 levels as its limit;
	// 6.0 stores more, and no version promises to.
	maxDepth = 150
)

// fit returns the fields with those taken out that do not fit, and their names.
func fit(fields []field, budget int) ([]field, []string) {
	var truncated []string
	for _, i := range byRank(fields) {
		f := &fields[i]
		size := len(f.key) + len(f.value.Value) + 2
		switch {
		case !f.present():
		case size <= budget && storable(f.value):
			budget -= size
		default:
			truncated = append(truncated, f.key)
			f.value, f.optional = bson.RawValue{}, false
		}
	}
	return fields, truncated
}

func byRank(fields []field) []int {
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(fields[a].rank, fields[b].rank)
	})
	return order
}

// storable reports whether a document may contain the value.
func storable(value bson.RawValue) bool {
	return nested(bsoncore.Value{Type: bsoncore.Type(value.Type), Data: value.Value}, maxDepth)
}

// nested reports whether a value is well-formed with at most depth levels.
func nested(value bsoncore.Value, depth int) bool {
	var inner []byte
	switch value.Type {
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
		inner = value.Data
	case bsoncore.TypeCodeWithScope:
		_, scope, ok := value.CodeWithScopeOK()
		if !ok {
			return false
		}
		inner = scope
	default:
		return value.Validate() == nil
	}
	if depth == 0 {
		return false
	}
	elements, err := bsoncore.Document(inner).Elements()
	if err != nil {
		return false
	}
	for _, element := range elements {
		if !nested(element.Value(), depth-1) {
			return false
		}
	}
	return true
}
