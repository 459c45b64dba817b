package value_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

func TestSizesAreThoseOfTheEncoding(t *testing.T) {
	t.Parallel()
	decimal, _ := bson.ParseDecimal128("1.5")
	scalars := []any{
		nil, bson.D(nil), bson.A(nil), true, int32(1), int64(1), 1.5, "", "text", "ünïcode", bson.NewObjectID(),
		bson.DateTime(1), bson.Timestamp{T: 1}, bson.Binary{Data: []byte("abc")},
		bson.Binary{Subtype: bson.TypeBinaryBinaryOld, Data: []byte("abc")}, decimal,
		bson.Regex{Pattern: "p", Options: "i"}, bson.JavaScript("code"), bson.Symbol("symbol"),
		bson.DBPointer{DB: "db", Pointer: bson.NewObjectID()},
		bson.CodeWithScope{Code: "code", Scope: bson.D{{Key: "a", Value: int32(1)}}},
		bson.Undefined{}, bson.MinKey{}, bson.MaxKey{},
	}
	var draw func(t *rapid.T, depth int) any
	document := func(t *rapid.T, depth int) bson.D {
		d := bson.D{}
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			name := rapid.StringMatching("[a-z]{0,5}").Draw(t, "name")
			d = append(d, bson.E{Key: name, Value: draw(t, depth-1)})
		}
		return d
	}
	draw = func(t *rapid.T, depth int) any {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case depth > 0 && kind == 0:
			return document(t, depth)
		case depth > 0 && kind == 1:
			a := bson.A{}
			for range rapid.IntRange(0, 12).Draw(t, "elements") {
				a = append(a, draw(t, depth-1))
			}
			return a
		}
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	}
	rapid.Check(t, func(t *rapid.T) {
		d := document(t, 3)
		raw, err := bson.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := value.Size(d); got != len(raw) {
			t.Fatalf("Size(%v) = %d, want %d", d, got, len(raw))
		}
	})
}
