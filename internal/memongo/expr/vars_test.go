package expr_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func eval(t *testing.T, e any, v *expr.Vars) any {
	t.Helper()
	x, err := expr.Compile(e)
	if err != nil {
		t.Fatalf("compile %v: %v", e, err)
	}
	result, err := x.Eval(v)
	if err != nil {
		t.Fatalf("evaluate %v: %v", e, err)
	}
	return result
}

func TestVariablesOfTheServer(t *testing.T) {
	t.Parallel()
	root := bson.D{{Key: "a", Value: int32(1)}}
	vars := &expr.Vars{Root: root, Now: 5, ClusterTime: bson.Timestamp{T: 7, I: 1}}
	for name, want := range map[string]any{
		"$$NOW": bson.DateTime(5), "$$CLUSTER_TIME": bson.Timestamp{T: 7, I: 1}, "$$ROOT.a": int32(1),
		"$$CURRENT.a": int32(1), "$$REMOVE": value.Missing, "$$KEEP": "keep", "$$PRUNE": "prune",
		"$$DESCEND": "descend",
	} {
		if got := eval(t, name, vars); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestCurrentIsWhatPathsStartFrom(t *testing.T) {
	t.Parallel()
	vars := (&expr.Vars{Root: bson.D{{Key: "a", Value: "root"}}}).
		With("CURRENT", bson.D{{Key: "a", Value: "current"}})
	if got := eval(t, bson.A{"$a", "$$CURRENT.a", "$$ROOT.a"}, vars); !value.Equal(got,
		bson.A{"current", "current", "root"}) {
		t.Errorf("got %v", got)
	}
	if got := eval(t, "$a", vars.On(bson.D{{Key: "a", Value: "other"}})); got != "other" {
		t.Errorf("on another document: %v", got)
	}
}

func TestLetOfACommandIsLookedUpWhenItIsKnown(t *testing.T) {
	t.Parallel()
	x, err := expr.Compile("$$mine.a")
	if err != nil {
		t.Fatal(err)
	}
	let := map[string]any{"mine": bson.D{{Key: "a", Value: "x"}}}
	if got, err := x.Eval(&expr.Vars{Let: let}); err != nil || got != "x" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := x.Eval(&expr.Vars{}); !mongoerr.Is(err, 17276) {
		t.Errorf("without a let: %v", err)
	}
	if _, err := expr.CompileIn("$$mine.a", let); err != nil {
		t.Errorf("with the let at hand: %v", err)
	}
	if _, err := expr.CompileIn("$$other", let); !mongoerr.Is(err, 17276) {
		t.Errorf("an unknown variable: %v", err)
	}
}

func TestWhatIsNotBuiltIsNamed(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int32{
		"$function": mongoerr.NotImplemented, "$meta": mongoerr.NotImplemented,
		"$sin": mongoerr.NotImplemented, "$nope": mongoerr.InvalidPipelineOperator,
		"$push": mongoerr.InvalidPipelineOperator,
	} {
		_, err := expr.Compile(bson.D{{Key: name, Value: int32(1)}})
		if !mongoerr.Is(err, code) {
			t.Errorf("%s: %v, want code %d", name, err, code)
		}
	}
}

func TestRandomNumbersAreNotFolded(t *testing.T) {
	t.Parallel()
	random := bson.D{{Key: "$rand", Value: bson.D{}}}
	x, err := expr.Compile(bson.D{{Key: "$add", Value: bson.A{random}}})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := x.Eval(&expr.Vars{})
	second, _ := x.Eval(&expr.Vars{})
	if first == second {
		t.Errorf("twice %v", first)
	}
}

// What is evaluated must not change documents that others hold.
func TestResultsDoNotShareWhatTheyChange(t *testing.T) {
	t.Parallel()
	root := bson.D{{Key: "a", Value: bson.A{int32(2), int32(1)}},
		{Key: "o", Value: bson.D{{Key: "k", Value: int32(1)}}}}
	before := value.Key(root)
	for _, e := range []bson.D{
		{{Key: "$reverseArray", Value: "$a"}},
		{{Key: "$sortArray", Value: bson.D{{Key: "input", Value: "$a"},
			{Key: "sortBy", Value: int32(1)}}}},
		{{Key: "$setUnion", Value: bson.A{"$a", "$a"}}},
		{{Key: "$concatArrays", Value: bson.A{"$a", "$a"}}},
		{{Key: "$mergeObjects", Value: bson.A{"$o", bson.D{{Key: "k", Value: int32(2)}}}}},
		{{Key: "$setField", Value: bson.D{{Key: "field", Value: "k"}, {Key: "input", Value: "$o"},
			{Key: "value", Value: int32(2)}}}},
	} {
		eval(t, e, &expr.Vars{Root: root})
		if value.Key(root) != before {
			t.Fatalf("%v changed its document to %v", e, root)
		}
	}
}

// A server does not optimize the expressions of an update by pipeline.
func TestAsIsTheFirstErrorIsThatOfTheFirstOperand(t *testing.T) {
	t.Parallel()
	root := bson.D{{Key: "a", Value: nil}, {Key: "list", Value: bson.A{int32(1)}}}
	for _, test := range []struct {
		operator string
		operands bson.A
		code     int32 // 0: the result is null
		asIs     int32
	}{
		{"$add", bson.A{"x", "$a"}, 0, 16554},
		{"$multiply", bson.A{nil, "$list"}, mongoerr.TypeMismatch, 0},
		{"$setIsSubset", bson.A{"$list", int32(1)}, 17311, 17042},
		{"$setIsSubset", bson.A{"$a", bson.A{}}, 17310, 17046},
		{"$setEquals", bson.A{int32(1), "$list"}, 5887502, 17044},
		{"$indexOfArray", bson.A{int32(1), "$a"}, 50809, 40090},
		{"$toLong", bson.A{"x"}, mongoerr.ConversionFailure, mongoerr.ConversionFailure},
	} {
		e := bson.D{{Key: test.operator, Value: test.operands}}
		x, err := expr.CompileIn(e, nil)
		if err == nil {
			_, err = x.Eval(&expr.Vars{Root: root})
		}
		if test.code != 0 && !mongoerr.Is(err, test.code) || test.code == 0 && err != nil {
			t.Errorf("%v: %v, want code %d", e, err, test.code)
		}
		raw, err := expr.CompileAsIs(e, nil)
		if err != nil {
			t.Fatalf("%v as it is: %v", e, err)
		}
		_, err = raw.Eval(&expr.Vars{Root: root})
		if test.asIs != 0 && !mongoerr.Is(err, test.asIs) || test.asIs == 0 && err != nil {
			t.Errorf("%v as it is: %v, want code %d", e, err, test.asIs)
		}
	}
}
