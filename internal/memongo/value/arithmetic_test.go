package value_test

import (
	"errors"
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

func TestResultsHaveTheWidestTypeOfTheOperands(t *testing.T) {
	t.Parallel()
	dec := func(text string) bson.Decimal128 { return decimal(t, text) }
	for _, test := range []struct {
		do   func(a, b any) (any, error)
		a, b any
		want any
		err  error
	}{
		{value.Add, int32(1), int32(2), int32(3), nil},
		{value.Add, int32(1), int64(2), int64(3), nil},
		{value.Add, int64(1), 0.5, 1.5, nil},
		{value.Add, int32(math.MaxInt32), int32(1), int64(math.MaxInt32 + 1), nil},
		{value.Add, int64(math.MaxInt64), int32(1), 9223372036854775808.0, value.ErrOverflow},
		{value.Add, int64(math.MinInt64), int32(-1), -9223372036854775808.0, value.ErrOverflow},
		{value.Add, int64(math.MinInt64), int64(math.MaxInt64), int64(-1), nil},
		{value.Sub, int32(math.MinInt32), int32(1), int64(math.MinInt32 - 1), nil},
		{value.Sub, int64(math.MinInt64), int32(1), -9223372036854775808.0, value.ErrOverflow},
		{value.Sub, int64(0), int64(math.MinInt64), 9223372036854775808.0, value.ErrOverflow},
		{value.Mul, int32(math.MaxInt32), int32(2), int64(math.MaxInt32 * 2), nil},
		{value.Mul, int64(math.MaxInt64), int32(3), 27670116110564327424.0, value.ErrOverflow},
		{value.Mul, int64(math.MinInt64), int64(1), int64(math.MinInt64), nil},
		{value.Mul, int64(math.MinInt64), int64(-1), 9223372036854775808.0, value.ErrOverflow},
		{value.Mul, int64(1 << 62), int64(-2), int64(math.MinInt64), nil},
		{value.Add, 0.1, dec("1"), dec("1.100000000000000"), nil},
		{value.Add, 3.0, dec("1"), dec("4.00000000000000"), nil},
		{value.Mul, dec("1.10"), 2.0, dec("2.2000000000000000"), nil},
		{value.Sub, 0.1, dec("1"), dec("-0.900000000000000"), nil},
		{value.Mul, 0.30000000000000004, dec("1"), dec("0.300000000000000"), nil},
		{value.Mul, 1234567.0, dec("1"), dec("1234567.00000000"), nil},
		{value.Mul, 1e300, dec("1"), dec("1.00000000000000E+300"), nil},
		{value.Mul, math.Copysign(0, -1), dec("1"), dec("-0"), nil},
		{value.Add, dec("1.10"), int32(1), dec("2.10"), nil},
		{value.Add, dec("1E+10"), dec("1"), dec("10000000001"), nil},
		{value.Add, dec("1E+6111"), dec("1"),
			dec("1.000000000000000000000000000000000E+6111"), nil},
		{value.Add, dec("9999999999999999999999999999999999"), dec("0.5"),
			dec("1.000000000000000000000000000000000E+34"), nil},
		{value.Add, dec("9999999999999999999999999999999998"), dec("0.5"),
			dec("9999999999999999999999999999999998"), nil},
		{value.Add, dec("1E+6144"), dec("9E+6144"), dec("Infinity"), nil},
		{value.Add, dec("-0"), dec("-0"), dec("-0"), nil},
		{value.Sub, dec("1.10"), dec("1.1"), dec("0.00"), nil},
		{value.Mul, dec("-1"), dec("0"), dec("-0"), nil},
		{value.Mul, dec("1.10"), dec("2.0"), dec("2.200"), nil},
		{value.Mul, dec("9999999999999999999999999999999999"), dec("9"),
			dec("8.999999999999999999999999999999999E+34"), nil},
		{value.Mul, dec("1E-6176"), dec("0.5"), dec("0E-6176"), nil},
		{value.Mul, dec("0E-100"), dec("0E-6170"), dec("0E-6176"), nil},
		{value.Mul, dec("1E+6111"), dec("-1E+6000"), dec("-Infinity"), nil},
		{value.Mul, dec("Infinity"), int32(0), dec("NaN"), nil},
		{value.Mul, dec("Infinity"), int32(-2), dec("-Infinity"), nil},
		{value.Add, math.Inf(1), dec("-Infinity"), dec("NaN"), nil},
		{value.Add, dec("1"), math.Inf(-1), dec("-Infinity"), nil},
		{value.Add, math.NaN(), dec("1"), dec("NaN"), nil},
		{value.Add, int32(1), "2", nil, value.ErrNotNumeric},
		{value.Add, nil, int32(1), nil, value.ErrNotNumeric},
	} {
		got, err := test.do(test.a, test.b)
		if !errors.Is(err, test.err) || !value.Identical(got, test.want) {
			t.Errorf("%T %v and %T %v: %T %v (%v), want %T %v (%v)", test.a, test.a, test.b,
				test.b, got, got, err, test.want, test.want, test.err)
		}
	}
}

func TestDecimalsOfIntegersAddExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := int64(rapid.Int32().Draw(t, "a"))
		b := int64(rapid.Int32().Draw(t, "b"))
		left, _ := value.Decimal(a)
		for _, test := range []struct {
			do   func(a, b any) (any, error)
			want int64
		}{{value.Add, a + b}, {value.Sub, a - b}, {value.Mul, a * b}} {
			got, err := test.do(left, b)
			if i, whole := value.Int64(got); err != nil || !whole || i != test.want {
				t.Fatalf("%v (%v), want %d", got, err, test.want)
			}
		}
	})
}

func TestDecimalsComeBackFromTheirParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := bson.NewDecimal128(rapid.Uint64().Draw(t, "h"), rapid.Uint64().Draw(t, "l"))
		once, _ := value.Decimal(v)
		if !value.Equal(once, v) && !v.IsNaN() {
			t.Fatalf("%v became %v", v, once)
		}
		if twice, _ := value.Decimal(once); twice != once {
			t.Fatalf("%v became %v", once, twice)
		}
	})
}

func TestInt64IsForIntegralNumbersOnly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v    any
		want int64
		ok   bool
	}{
		{int32(-5), -5, true}, {int64(5), 5, true}, {5.0, 5, true}, {5.5, 0, false},
		{decimal(t, "5.00"), 5, true}, {decimal(t, "-5E+2"), -500, true},
		{decimal(t, "0.5"), 0, false}, {decimal(t, "0E+99"), 0, true},
		{decimal(t, "1E+99"), 0, false}, {decimal(t, "9223372036854775808"), 0, false},
		{decimal(t, "-9223372036854775808"), math.MinInt64, true},
		{9223372036854775808.0, 0, false}, {-9223372036854775808.0, math.MinInt64, true},
		{math.NaN(), 0, false}, {math.Inf(1), 0, false}, {decimal(t, "NaN"), 0, false},
		{decimal(t, "Infinity"), 0, false}, {"5", 0, false}, {nil, 0, false},
	} {
		if got, ok := value.Int64(test.v); got != test.want || ok != test.ok {
			t.Errorf("%T %v: %d %v, want %d %v", test.v, test.v, got, ok, test.want, test.ok)
		}
	}
}

func TestDoublesAreTheNearest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v    any
		want float64
		ok   bool
	}{
		{int32(3), 3, true}, {int64(1<<53 + 1), 1 << 53, true}, {2.5, 2.5, true},
		{decimal(t, "0.1"), 0.1, true}, {decimal(t, "-1E+400"), math.Inf(-1), true},
		{decimal(t, "Infinity"), math.Inf(1), true}, {"1", 0, false},
	} {
		if got, ok := value.Float64(test.v); got != test.want || ok != test.ok {
			t.Errorf("%T %v: %v %v, want %v %v", test.v, test.v, got, ok, test.want, test.ok)
		}
	}
	if _, ok := value.Decimal("1"); ok {
		t.Error("a string became a decimal")
	}
}
