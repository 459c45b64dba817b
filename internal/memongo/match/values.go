package match

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Values returns all values at a path, as distinct lists them: an array at its end gives its
// elements, and one on the way is gone through, or entered by an index. A field whose name is the
// whole path comes before all others.
func Values(doc bson.D, path string) []any {
	if v, found := value.Get(doc, path); found {
		if a, ok := v.(bson.A); ok {
			return a
		}
		return []any{v}
	}
	first, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		return nil
	}
	v, _ := value.Get(doc, first)
	switch v := v.(type) {
	case bson.D:
		return Values(v, rest)
	case bson.A:
		return valuesOfArray(v, rest)
	}
	return nil
}

func valuesOfArray(a bson.A, rest string) (values []any) {
	if part, _, _ := strings.Cut(rest, "."); isDigits(part) {
		d, _ := asDocument(a)
		return Values(d, rest)
	}
	for _, element := range a {
		if d, ok := asDocument(element); ok {
			values = append(values, Values(d, rest)...)
		}
	}
	return values
}

func isDigits(part string) bool {
	return part != "" && strings.Trim(part, "0123456789") == ""
}
