package value_test

import (
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// decimal reads a decimal.
func decimal(t testing.TB, text string) bson.Decimal128 {
	t.Helper()
	d, err := bson.ParseDecimal128(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ordered is one value of each place in BSON's order, and more where the order is not obvious.
func ordered(t testing.TB) [][]any {
	return [][]any{
		{bson.MinKey{}},
		{value.Missing, bson.Undefined{}},
		{nil},
		{math.NaN(), decimal(t, "NaN")},
		{math.Inf(-1), decimal(t, "-Infinity")},
		{decimal(t, "-1E+400")},
		{int64(math.MinInt64), float64(math.MinInt64)},
		{-1.5, decimal(t, "-1.50")},
		{int32(0), int64(0), 0.0, math.Copysign(0, -1), decimal(t, "0"), decimal(t, "-0E+9")},
		{decimal(t, "0.1")},
		{0.1}, // which is a bit more
		{int32(1), int64(1), 1.0, decimal(t, "1"), decimal(t, "1.000")},
		{int64(1 << 53), float64(1 << 53)},
		{int64(1<<53 + 1)},
		{int64(math.MaxInt64 - 1)},
		{int64(math.MaxInt64), decimal(t, "9223372036854775807")},
		{9223372036854775808.0, decimal(t, "9223372036854775808")},
		{decimal(t, "1E+400")},
		{math.Inf(1), decimal(t, "Infinity")},
		{"", bson.Symbol("")},
		{"a", bson.Symbol("a")},
		{"ab"},
		{"b"},
		{bson.D{}},
		{bson.D{{Key: "b", Value: int32(1)}}, bson.D{{Key: "b", Value: 1.0}}},
		{bson.D{{Key: "b", Value: int32(1)}, {Key: "a", Value: int32(0)}}},
		{bson.D{{Key: "b", Value: int32(2)}}},
		{bson.D{{Key: "a", Value: "x"}}}, // the type counts before the name
		{bson.A{}},
		{bson.A{int32(1)}, bson.A{1.0}},
		{bson.A{int32(1), int32(2)}},
		{bson.A{"1"}},
		{bson.Binary{Data: []byte("b")}},
		{bson.Binary{Subtype: 4, Data: []byte("a")}},
		{bson.Binary{Data: []byte("aa")}},
		{bson.ObjectID{1}},
		{false},
		{true},
		{bson.DateTime(-1)},
		{bson.DateTime(5)},
		{bson.Timestamp{T: 1, I: 2}},
		{bson.Timestamp{T: 2, I: 1}},
		{bson.Regex{Pattern: "a"}},
		{bson.Regex{Pattern: "a", Options: "i"}},
		{bson.DBPointer{DB: "a"}},
		{bson.JavaScript("a")},
		{bson.CodeWithScope{Code: "a", Scope: bson.D{}}},
		{bson.CodeWithScope{Code: "a", Scope: bson.D{{Key: "a", Value: int32(1)}}}},
		{bson.MaxKey{}},
	}
}

func TestValuesAreInTheOrderOfBSON(t *testing.T) {
	t.Parallel()
	places := ordered(t)
	for i, left := range places {
		for j, right := range places {
			for _, a := range left {
				for _, b := range right {
					checkOrder(t, a, b, i-j)
				}
			}
		}
	}
}

func checkOrder(t *testing.T, a, b any, want int) {
	t.Helper()
	if got := value.Compare(a, b); got != min(1, max(-1, want)) {
		t.Errorf("%T %v and %T %v: order %d, want the sign of %d", a, a, b, b, got, want)
	}
	if equal := value.Key(a) == value.Key(b); equal != (want == 0) {
		t.Errorf("%T %v and %T %v: keys are equal: %v", a, a, b, b, equal)
	}
}

// values draws any value, and often ones that differ a little.
func values(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Map(rapid.Int32Range(-3, 3), func(i int32) any { return i }),
		rapid.Map(rapid.Int64Range(-3, 3), func(i int64) any { return i }),
		rapid.Map(rapid.Int64(), func(i int64) any { return i }),
		rapid.Map(rapid.Int64(), func(i int64) any { return float64(i) }),
		rapid.Map(rapid.Int32Range(-6, 6), func(i int32) any { return float64(i) / 2 }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Custom(func(t *rapid.T) any {
			return bson.NewDecimal128(rapid.Uint64().Draw(t, "h"), rapid.Uint64().Draw(t, "l"))
		}),
		rapid.Map(rapid.Float64(), func(f float64) any { d, _ := value.Decimal(f); return d }),
		rapid.Map(rapid.Int64(), func(i int64) any { d, _ := value.Decimal(i); return d }),
		rapid.Map(rapid.StringMatching(`[ab]{0,2}`), func(s string) any { return s }),
		rapid.Map(rapid.StringMatching(`[ab]`), func(s string) any { return bson.Symbol(s) }),
		rapid.SampledFrom([]any{
			nil, bson.Undefined{}, true, false, bson.MinKey{}, bson.MaxKey{}, math.NaN(),
			math.Inf(1), math.Inf(-1), math.Copysign(0, -1), bson.ObjectID{1}, bson.ObjectID{2},
			bson.DateTime(0), bson.DateTime(-1), bson.Timestamp{T: 1}, bson.Timestamp{I: 1},
			bson.Regex{Pattern: "a"}, bson.Regex{Pattern: "a", Options: "i"},
			bson.Binary{Data: []byte{1}}, bson.Binary{Subtype: 2, Data: []byte{1}},
			bson.DBPointer{DB: "a"}, bson.JavaScript("a"), bson.JavaScript("b"),
			bson.CodeWithScope{Code: "a", Scope: bson.D{}},
		}),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.Map(documents(depth-1), func(d bson.D) any { return d }),
			rapid.Map(rapid.SliceOfN(values(depth-1), 0, 3), func(a []any) any {
				return bson.A(a)
			}))
	}
	return rapid.OneOf(kinds...)
}

func documents(depth int) *rapid.Generator[bson.D] {
	field := rapid.Custom(func(t *rapid.T) bson.E {
		return bson.E{
			Key:   rapid.StringMatching(`[ab]`).Draw(t, "name"),
			Value: values(depth).Draw(t, "value"),
		}
	})
	return rapid.Map(rapid.SliceOfN(field, 0, 3), func(es []bson.E) bson.D { return es })
}

func TestCompareIsATotalOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := values(2).Draw(t, "a"), values(2).Draw(t, "b"), values(2).Draw(t, "c")
		ab, bc, ac := value.Compare(a, b), value.Compare(b, c), value.Compare(a, c)
		if ab != -value.Compare(b, a) {
			t.Fatal("a and b are not in one order")
		}
		if ab <= 0 && bc <= 0 && ac > 0 || ab == 0 && bc != ac {
			t.Fatalf("a to b is %d, b to c is %d, a to c is %d", ab, bc, ac)
		}
	})
}

func TestEqualValuesShareAKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(2).Draw(t, "a"), values(2).Draw(t, "b")
		if value.Equal(a, b) != (value.Key(a) == value.Key(b)) {
			t.Fatalf("equal is %v, keys are %q and %q", value.Equal(a, b), value.Key(a),
				value.Key(b))
		}
		if value.Identical(a, b) && !value.Equal(a, b) {
			t.Fatal("identical, but not equal")
		}
		if !value.Identical(a, a) {
			t.Fatal("not identical with itself")
		}
	})
}

func TestDocumentsComeBackFromTheirBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := documents(2).Draw(t, "d")
		raw, err := value.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		back, err := value.Decode(raw)
		if err != nil || !value.Identical(back, d) {
			t.Fatalf("%v became %v (%v)", d, back, err)
		}
	})
}

func TestDecodeRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, raw := range []bson.Raw{nil, {1}, {5, 0, 0, 0, 1}, {6, 0, 0, 0, 0x99, 0}} {
		if d, err := value.Decode(raw); err == nil {
			t.Errorf("% x became %v", []byte(raw), d)
		}
	}
	if raw, err := value.Encode(nil); err != nil || len(raw) != 5 {
		t.Errorf("no document became % x (%v)", []byte(raw), err)
	}
}

func TestTypesAreNamedAsByTheServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v    any
		name string
		code int
	}{
		{1.0, "double", 1}, {"", "string", 2}, {bson.D{}, "object", 3}, {bson.A{}, "array", 4},
		{bson.Binary{}, "binData", 5}, {bson.Undefined{}, "undefined", 6},
		{bson.ObjectID{}, "objectId", 7}, {true, "bool", 8}, {bson.DateTime(0), "date", 9},
		{nil, "null", 10}, {bson.Regex{}, "regex", 11}, {bson.DBPointer{}, "dbPointer", 12},
		{bson.JavaScript(""), "javascript", 13}, {bson.Symbol(""), "symbol", 14},
		{bson.CodeWithScope{}, "javascriptWithScope", 15}, {int32(0), "int", 16},
		{bson.Timestamp{}, "timestamp", 17}, {int64(0), "long", 18},
		{bson.Decimal128{}, "decimal", 19}, {bson.MinKey{}, "minKey", -1},
		{bson.MaxKey{}, "maxKey", 127}, {value.Missing, "missing", 0},
	} {
		if name, code := value.TypeName(test.v), value.TypeCode(test.v); name != test.name ||
			code != test.code {
			t.Errorf("%T: %s %d, want %s %d", test.v, name, code, test.name, test.code)
		}
	}
}

func TestAnotherTypeOfGoIsAMistake(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an int was taken for a BSON value")
		}
	}()
	value.Compare(1, int32(1))
}

func TestOnlyZerosAndAbsentValuesAreNotTrue(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		false, nil, value.Missing, bson.Undefined{}, int32(0), int64(0), 0.0,
		math.Copysign(0, -1), decimal(t, "0.0"),
	} {
		if value.Truthy(v) {
			t.Errorf("%T %v is true", v, v)
		}
	}
	for _, v := range []any{true, "", "0", int32(-1), math.NaN(), bson.A{}, bson.D{},
		decimal(t, "NaN"), decimal(t, "1E-6176"), bson.DateTime(0)} {
		if !value.Truthy(v) {
			t.Errorf("%T %v is not true", v, v)
		}
	}
}
