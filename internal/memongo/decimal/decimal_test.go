package decimal_test

import (
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
)

func parse(t *testing.T, s string) bson.Decimal128 {
	t.Helper()
	d, err := bson.ParseDecimal128(s)
	if err != nil {
		t.Fatalf("parse %s: %v", s, err)
	}
	return d
}

type operation func(a, b bson.Decimal128) bson.Decimal128

func TestArithmeticRoundsTo34DigitsAndKeepsTheExponent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		op         operation
		a, b, want string
	}{
		{"add", decimal.Add, "1.10", "1", "2.10"},
		{"add", decimal.Add, "1E+40", "1", "1.000000000000000000000000000000000E+40"},
		{"add", decimal.Add, "Infinity", "-Infinity", "NaN"},
		{"add", decimal.Add, "-0", "-0", "-0"},
		{"add", decimal.Add, "1", "-1", "0"},
		{"add", decimal.Add, "9.999999999999999999999999999999999E+6144", "1E+6144", "Infinity"},
		{"sub", decimal.Sub, "0.3", "0.1", "0.2"},
		{"mul", decimal.Mul, "1.5", "2.0", "3.00"},
		{"mul", decimal.Mul, "-1", "0", "-0"},
		{"mul", decimal.Mul, "Infinity", "0", "NaN"},
		{"mul", decimal.Mul, "1E-6176", "0.1", "0E-6176"},
		{"quo", decimal.Quo, "1", "3", "0.3333333333333333333333333333333333"},
		{"quo", decimal.Quo, "2", "3", "0.6666666666666666666666666666666667"},
		{"quo", decimal.Quo, "6", "2", "3"},
		{"quo", decimal.Quo, "1", "8", "0.125"},
		{"quo", decimal.Quo, "-1", "0", "-Infinity"},
		{"rem", decimal.Rem, "-5.5", "2", "-1.5"},
		{"rem", decimal.Rem, "5", "0", "NaN"},
		{"rem", decimal.Rem, "5", "Infinity", "5"},
	} {
		got := test.op(parse(t, test.a), parse(t, test.b)).String()
		if got != test.want {
			t.Errorf("%s(%s, %s) = %s, want %s", test.name, test.a, test.b, got, test.want)
		}
	}
}

func TestSquareRoots(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"4": "2", "2": "1.414213562373095048801688724209698",
		"1E+3": "31.62277660168379331998893544432719",
		"0.25": "0.5", "-1": "NaN", "Infinity": "Infinity",
		"1E-1": "0.3162277660168379331998893544432719",
	} {
		if got := decimal.Sqrt(parse(t, in)).String(); got != want {
			t.Errorf("sqrt(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in     string
		places int
		how    decimal.Rounding
		want   string
	}{
		{"2.5", 0, decimal.HalfEven, "2"},
		{"3.5", 0, decimal.HalfEven, "4"},
		{"2.51", 0, decimal.HalfEven, "3"},
		{"-2.1", 0, decimal.Down, "-3"},
		{"-2.9", 0, decimal.Up, "-2"},
		{"2.1", 0, decimal.Up, "3"},
		{"1.2", 3, decimal.ToZero, "1.200"},
		{"125", -1, decimal.HalfEven, "1.2E+2"},
		{"1E+40", 0, decimal.ToZero, "NaN"},
	} {
		got := decimal.Round(parse(t, test.in), test.places, test.how).String()
		if got != test.want {
			t.Errorf("round(%s, %d) = %s, want %s", test.in, test.places, got, test.want)
		}
	}
}

func TestDoublesBecomeDecimalsAsOnTheServer(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{
		-5.5: "-5.50000000000000", 0.1: "0.100000000000000", 1e20: "1.00000000000000E+20",
		0: "0", math.Inf(-1): "-Infinity",
	} {
		if got := decimal.FromFloat64(f).String(); got != want {
			t.Errorf("%v became %s, want %s", f, got, want)
		}
	}
	exact := decimal.FromFloat64Exact(0.1).String()
	if want := "0.1000000000000000055511151231257827"; exact != want {
		t.Errorf("0.1 became %s, want %s", exact, want)
	}
}

func TestIntegersOfDecimals(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"1.9": 1, "-1.9": -1, "1E+3": 1000, "1E-100": 0, "9223372036854775807": math.MaxInt64,
		"0E+6000": 0,
	} {
		if got, ok := decimal.Int64(parse(t, in)); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"9223372036854775808", "1E+6000", "NaN", "Infinity"} {
		if got, ok := decimal.Int64(parse(t, in)); ok {
			t.Errorf("%s is %d", in, got)
		}
	}
}

func TestComparisonIsByValue(t *testing.T) {
	t.Parallel()
	ascending := []string{"NaN", "-Infinity", "-1E+6000", "-1", "0", "1E-6000", "1", "1.5", "Infinity"}
	for i, a := range ascending {
		for j, b := range ascending {
			want := min(1, max(-1, i-j))
			if got := decimal.Cmp(parse(t, a), parse(t, b)); got != want {
				t.Errorf("%s against %s: %d, want %d", a, b, got, want)
			}
		}
	}
	for a, b := range map[string]string{"1.0": "1", "-0": "0", "1E+2": "100"} {
		if decimal.Cmp(parse(t, a), parse(t, b)) != 0 {
			t.Errorf("%s is not %s", a, b)
		}
	}
}

// Any 16 bytes are a decimal to somebody.
func TestNoInputPanics(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := bson.NewDecimal128(rapid.Uint64().Draw(t, "h"), rapid.Uint64().Draw(t, "l"))
		b := bson.NewDecimal128(rapid.Uint64().Draw(t, "h2"), rapid.Uint64().Draw(t, "l2"))
		all := []operation{decimal.Add, decimal.Sub, decimal.Mul, decimal.Quo, decimal.Rem}
		for _, op := range all {
			op(a, b)
		}
		decimal.Sqrt(a)
		decimal.Int64(a)
		decimal.Float64(a)
		decimal.Integral(a)
		decimal.Round(a, rapid.IntRange(-200, 200).Draw(t, "places"), decimal.HalfEven)
		if !a.IsNaN() && !b.IsNaN() && decimal.Cmp(a, b) != -decimal.Cmp(b, a) {
			t.Fatalf("%s and %s compare differently from both sides", a, b)
		}
	})
}
