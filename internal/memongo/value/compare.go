package value

import (
	"bytes"
	"cmp"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Compare returns the order of two values as aggregation expressions have it. Numbers are
// compared exactly, whatever their types; NaN is below all others and equal to itself, and -0 is
// 0. A missing value is equal to undefined and below null, as it is for $cmp; a sort and the key
// of an index take null for a missing field.
func Compare(a, b any) int {
	left, right := BracketOf(a), BracketOf(b)
	if left != right {
		return cmp.Compare(left, right)
	}
	switch left {
	case Numbers:
		return compareNumbers(a, b)
	case Strings:
		return cmp.Compare(text(a), text(b))
	case Documents:
		return compareDocuments(a.(bson.D), b.(bson.D))
	case Arrays:
		return compareArrays(a.(bson.A), b.(bson.A))
	case Booleans:
		return compareBooleans(a.(bool), b.(bool))
	case Dates:
		return cmp.Compare(a.(bson.DateTime), b.(bson.DateTime))
	}
	return compareRare(left, a, b)
}

func compareRare(bracket Bracket, a, b any) int {
	switch bracket {
	case Binaries:
		return compareBinaries(a.(bson.Binary), b.(bson.Binary))
	case ObjectIDs:
		left, right := a.(bson.ObjectID), b.(bson.ObjectID)
		return bytes.Compare(left[:], right[:])
	case Timestamps:
		return a.(bson.Timestamp).Compare(b.(bson.Timestamp))
	case Regexes:
		left, right := a.(bson.Regex), b.(bson.Regex)
		return cmp.Or(cmp.Compare(left.Pattern, right.Pattern),
			cmp.Compare(left.Options, right.Options))
	case DBPointers:
		return comparePointers(a.(bson.DBPointer), b.(bson.DBPointer))
	case Scripts:
		return cmp.Compare(a.(bson.JavaScript), b.(bson.JavaScript))
	case ScopedScripts:
		left, right := a.(bson.CodeWithScope), b.(bson.CodeWithScope)
		return cmp.Or(cmp.Compare(left.Code, right.Code), Compare(scope(left), scope(right)))
	}
	return 0
}

// Equal reports whether two values compare as equal: 1, 1.0 and a decimal 1 do. The fields of
// documents have to be in the same order.
func Equal(a, b any) bool { return Compare(a, b) == 0 }

// compareDocuments goes field by field, and looks at a field's bracket first, then at its name,
// and at its value last.
func compareDocuments(a, b bson.D) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Compare(BracketOf(a[i].Value), BracketOf(b[i].Value)); c != 0 {
			return c
		}
		if c := strings.Compare(a[i].Key, b[i].Key); c != 0 {
			return c
		}
		if c := Compare(a[i].Value, b[i].Value); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func compareArrays(a, b bson.A) int {
	for i := range min(len(a), len(b)) {
		if c := Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func compareBooleans(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareBinaries puts the shorter one first.
func compareBinaries(a, b bson.Binary) int {
	return cmp.Or(cmp.Compare(len(a.Data), len(b.Data)), cmp.Compare(a.Subtype, b.Subtype),
		bytes.Compare(a.Data, b.Data))
}

func comparePointers(a, b bson.DBPointer) int {
	return cmp.Or(cmp.Compare(len(a.DB), len(b.DB)), cmp.Compare(a.DB, b.DB),
		bytes.Compare(a.Pointer[:], b.Pointer[:]))
}

// text is what a string or a symbol says.
func text(v any) string {
	if s, ok := v.(bson.Symbol); ok {
		return string(s)
	}
	return v.(string)
}

// scope returns the scope of a script, which the driver declares as an any.
func scope(c bson.CodeWithScope) bson.D {
	d, _ := c.Scope.(bson.D)
	return d
}
