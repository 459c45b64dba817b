// Package differential makes random documents, filters, expressions and updates that two servers
// should treat alike. They are small and from a small alphabet, so that filters match and updates
// meet what they change. What servers are free in, such as the order of sets, is left out.
package differential

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

func kv(key string, value any) bson.E { return bson.E{Key: key, Value: value} }

func op(name string, value any) bson.D { return bson.D{kv(name, value)} }

// pick draws one of several.
func pick[V any](t *rapid.T, label string, from ...V) V {
	return rapid.SampledFrom(from).Draw(t, label)
}

// chance is true so many times in ten.
func chance(t *rapid.T, label string, tenths int) bool {
	return rapid.IntRange(0, 9).Draw(t, label) >= 10-tenths
}

// Documents draws documents with the _ids 0, 1, ….
func Documents(t *rapid.T) (documents []bson.D) {
	for id := range rapid.IntRange(1, 6).Draw(t, "documents") {
		documents = append(documents, append(bson.D{kv("_id", int32(id))}, fields(t, 2)...))
	}
	return documents
}

// fields draws up to four fields.
func fields(t *rapid.T, depth int) bson.D {
	d := bson.D{}
	for _, name := range []string{"a", "b", "c", "0"} {
		if chance(t, "has "+name, 6) && (name != "0" || chance(t, "numbered", 2)) {
			d = append(d, kv(name, value(t, depth)))
		}
	}
	return d
}

// value draws any value.
func value(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case depth > 0 && kind >= 8:
		return fields(t, depth-1)
	case depth > 0 && kind >= 5:
		return array(t, depth-1)
	}
	return scalar(t)
}

func array(t *rapid.T, depth int) bson.A {
	elements := bson.A{}
	for range rapid.IntRange(0, 3).Draw(t, "elements") {
		elements = append(elements, value(t, depth))
	}
	return elements
}

// scalar draws a value that is neither a document nor an array, mostly a number.
func scalar(t *rapid.T) any {
	if chance(t, "number", 6) {
		return number(t)
	}
	return pick[any](t, "scalar", nil, true, false, "", "a", "ab", "b", bson.DateTime(0),
		bson.DateTime(1500), bson.Timestamp{T: 1, I: 2}, bson.Binary{Data: []byte("x")},
		bson.ObjectID{1}, bson.MinKey{}, bson.MaxKey{}, bson.Regex{Pattern: "a"})
}

func number(t *rapid.T) any {
	return pick[any](t, "number", int32(0), int32(1), int32(2), int32(-1), int32(5),
		int64(0), int64(1), int64(2), int64(1<<40), 0.0, 1.0, 1.5, -1.0, 2.0, decimal("1"),
		decimal("1.50"), int32(1<<31-1), int64(1<<63-1))
}

func decimal(text string) bson.Decimal128 {
	d, err := bson.ParseDecimal128(text)
	if err != nil {
		panic(fmt.Sprintf("%s is no decimal: %v", text, err))
	}
	return d
}

// path draws the name of a field, often of one below another or of an element.
func path(t *rapid.T) string {
	return pick(t, "path", "a", "b", "c", "a", "b", "a.b", "a.0", "b.a", "a.b.c", "a.0.b", "b.1",
		"c.b", "a.2")
}

// field draws a name that is there or may be.
func field(t *rapid.T) string { return pick(t, "field", "a", "b", "c", "d") }
