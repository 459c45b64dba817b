package expr_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// operators are all names that the package's code has.
func operators(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`"(\$[a-zA-Z0-9]+)"`).FindAllSubmatch(code, -1) {
			seen[string(name[1])] = true
		}
	}
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	return names
}

func scalars() *rapid.Generator[any] {
	values := []any{
		int32(0), int32(1), int32(-1), int32(math.MinInt32), int64(math.MaxInt64),
		int64(math.MinInt64), 0.0, -1.5, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), "", "a",
		"ä€😀", "$a", "$a.b", "$$ROOT", "$$this", "$$x", "$", "\xff\xfe", "UTC", "day", "2020-01-01",
		"1", nil, true, false, bson.DateTime(0), bson.DateTime(math.MaxInt64),
		bson.DateTime(math.MinInt64),
		bson.Timestamp{T: 1, I: 2}, bson.ObjectID{1}, bson.Regex{Pattern: "a(", Options: "i"},
		bson.Regex{Pattern: "(a)|b"}, bson.Binary{Data: []byte{1}}, bson.MinKey{}, bson.MaxKey{},
		bson.Undefined{}, bson.Symbol("s"), bson.JavaScript("x"), bson.DBPointer{DB: "d"},
		bson.CodeWithScope{Code: "c", Scope: bson.D{}}, bson.NewDecimal128(0x3040000000000000, 15),
		bson.NewDecimal128(0x7800000000000000, 0), bson.NewDecimal128(0x7c00000000000000, 0),
		bson.NewDecimal128(0x5ffe000000000000, 1),
	}
	return rapid.SampledFrom(values)
}

// arguments are the names that operators give their operands.
func arguments() []string {
	return []string{"input", "as", "in", "cond", "limit", "initialValue", "if", "then", "else",
		"branches", "case", "default", "date", "startDate", "endDate", "unit", "amount", "timezone",
		"format", "binSize", "startOfWeek", "dateString", "onNull", "onError", "to", "field",
		"value", "vars", "sortBy", "regex", "options", "find", "replacement", "chars", "inputs",
		"defaults", "useLongestLength", "k", "v", "a", "b"}
}

// expressions draws what may and what may not be one.
func expressions(names []string, depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalars()
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return expressions(names, depth-1) })
	list := rapid.Map(rapid.SliceOfN(inner, 0, 4), func(s []any) any { return bson.A(s) })
	object := rapid.Custom(func(t *rapid.T) any {
		d := bson.D{}
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			key := rapid.SampledFrom(arguments()).Draw(t, "key")
			d = append(d, bson.E{Key: key, Value: inner.Draw(t, "value")})
		}
		return d
	})
	operator := rapid.Custom(func(t *rapid.T) any {
		name := rapid.SampledFrom(names).Draw(t, "operator")
		argument := rapid.OneOf(list, object, inner).Draw(t, "argument")
		return bson.D{{Key: name, Value: argument}}
	})
	return rapid.OneOf(scalars(), list, object, operator, operator)
}

func TestNoExpressionPanics(t *testing.T) {
	t.Parallel()
	names := operators(t)
	document := bson.D{{Key: "a", Value: bson.A{int32(1), bson.D{{Key: "b", Value: "x"}}}}}
	rapid.Check(t, func(t *rapid.T) {
		e := expressions(names, 3).Draw(t, "expression")
		x, err := expr.Compile(e)
		if err == nil {
			var result any
			if result, err = x.Eval(&expr.Vars{Root: document}); err == nil && result != value.Missing {
				_, err = bson.Marshal(bson.D{{Key: "r", Value: result}})
			}
		}
		var known *mongoerr.Error
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("%v: %v is no error of a server", e, err)
		}
	})
}
