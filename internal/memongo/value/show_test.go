package value_test

import (
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// What a server answered to an expression with two fields, and to $reduce of an object.
func TestValuesAreShownAsTheServerPrintsThem(t *testing.T) {
	t.Parallel()
	oid, _ := bson.ObjectIDFromHex("6b0d9e82774aede5206ea00a")
	uuid := bson.Binary{Subtype: 4, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16}}
	for _, test := range []struct {
		v              any
		stored, result string
	}{
		{bson.D{}, "{}", "{}"},
		{bson.D{{Key: "a", Value: bson.A{int32(1)}}}, "{ a: [ 1 ] }", "{a: [1]}"},
		{`s"x`, `"s"x"`, `"s"x"`},
		{3.0, "3.0", "3"},
		{1e20, "1e+20.0", "1e+20"},
		{1e15, "1000000000000000.0", "1e+15"},
		{123456789.123, "123456789.123", "1.23457e+08"},
		{123456789012345678.0, "1.234567890123457e+17", "1.23457e+17"},
		{math.NaN(), "nan.0", "nan"},
		{oid, "ObjectId('6b0d9e82774aede5206ea00a')", "6b0d9e82774aede5206ea00a"},
		{bson.DateTime(1577836800000), "new Date(1577836800000)", "2020-01-01T00:00:00.000Z"},
		{bson.Timestamp{T: 5, I: 2}, "Timestamp(5, 2)", "Timestamp(5, 2)"},
		{bson.Binary{Data: []byte{1, 2, 255}}, "BinData(0, 0102FF)", `BinData(0, "0102FF")`},
		{uuid, `UUID("01020304-0506-0708-090a-0b0c0d0e0f10")`,
			`BinData(4, "0102030405060708090A0B0C0D0E0F10")`},
		{bson.Regex{Pattern: "B", Options: "i"}, "/B/i", "/B/i"},
		{bson.JavaScript("x"), "x", `Code("x")`},
		{bson.Symbol("x"), `"x"`, `Symbol("x")`},
		{bson.CodeWithScope{Code: "x", Scope: bson.D{{Key: "a", Value: int32(1)}}},
			"CodeWScope( x, { a: 1 })", `CodeWScope("x", { a: 1 })`},
		{bson.DBPointer{DB: "b", Pointer: oid}, "DBRef('b',6b0d9e82774aede5206ea00a)",
			`DBRef("b", 6b0d9e82774aede5206ea00a)`},
		{value.Missing, "MISSING", "MISSING"},
	} {
		if got := value.Show(test.v); got != test.stored {
			t.Errorf("%T is shown as %s, want %s", test.v, got, test.stored)
		}
		if got := value.ShowResult(test.v); got != test.result {
			t.Errorf("%T as a result is shown as %s, want %s", test.v, got, test.result)
		}
	}
}
