package match_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

var (
	paths = rapid.SampledFrom([]string{
		"a", "a", "b", "a.b", "a.0", "a.0.b", "a.b.1", "a.", "", "a..b", "0", "_id", "$ref",
	})
	operators = rapid.SampledFrom([]string{
		"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$not", "$exists", "$type",
		"$regex", "$options", "$all", "$elemMatch", "$size", "$mod", "$bitsAllSet",
		"$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$where", "$near", "$nope", "x", "$",
	})
	topLevel = rapid.SampledFrom([]string{
		"$and", "$or", "$nor", "$expr", "$comment", "$alwaysTrue", "$alwaysFalse", "$text", "$not",
	})
	scalars = rapid.SampledFrom([]any{
		int32(0), int32(1), int32(2), int64(1), 1.0, 1.5, math.NaN(), math.Inf(1), "a", "(", "$a",
		"", "int", nil, true, false, bson.Undefined{}, bson.MinKey{}, bson.MaxKey{},
		bson.DateTime(1), bson.Timestamp{I: 1}, bson.ObjectID{1}, bson.Symbol("a"),
		bson.Regex{Pattern: "a", Options: "i"}, bson.Regex{Pattern: "[", Options: "q"},
		bson.Binary{Data: []byte{3}}, bson.NewDecimal128(math.MaxUint64, 1), int64(math.MinInt64),
	})
)

// anything draws a value, a filter, or what is between them.
func anything(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		switch {
		case depth == 0 || kind > 3:
			return scalars.Draw(t, "scalar")
		case kind == 0:
			return bson.A(rapid.SliceOfN(anything(depth-1), 0, 3).Draw(t, "array"))
		case kind == 1:
			return fieldsNamed(operators, depth-1).Draw(t, "operators")
		}
		return filters(depth-1).Draw(t, "document")
	})
}

func fieldsNamed(names *rapid.Generator[string], depth int) *rapid.Generator[bson.D] {
	return rapid.Custom(func(t *rapid.T) bson.D {
		d := bson.D{}
		for range rapid.IntRange(0, 2).Draw(t, "fields") {
			name := names.Draw(t, "name")
			d = append(d, bson.E{Key: name, Value: anything(depth).Draw(t, "value")})
		}
		return d
	})
}

func filters(depth int) *rapid.Generator[bson.D] {
	names := rapid.OneOf(paths, paths, paths, topLevel)
	return fieldsNamed(names, depth)
}

func TestEveryFilterIsCompiledOrRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, err := match.Compile(filters(4).Draw(t, "filter"))
		if !checkRefusal(t, err) {
			return
		}
		doc := fieldsNamed(paths, 3).Draw(t, "document")
		before, err := value.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		_, matches, err := m.MatchPosition(doc, nil)
		again, againErr := m.Match(doc, nil)
		if again != matches || (err == nil) != (againErr == nil) {
			t.Fatalf("%v (%v), and then %v (%v)", matches, err, again, againErr)
		}
		if after, _ := value.Encode(doc); !slices.Equal(before, after) {
			t.Fatal("the document changed")
		}
		_, _ = m.Equalities()
		_, _, _ = m.IDEquality()
	})
}

// checkRefusal reports whether there is no error, and fails if it is not one for clients.
func checkRefusal(t *rapid.T, err error) bool {
	var refused *mongoerr.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatalf("not an error of a server: %v", err)
	}
	return err == nil
}

func TestEveryConditionOfAnElementIsCompiledOrRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		element := anything(2).Draw(t, "element")
		_, err := match.MatchValue(anything(3).Draw(t, "condition"), element)
		checkRefusal(t, err)
		_, m, err := match.CompileArrayFilter(filters(3).Draw(t, "filter"))
		if checkRefusal(t, err) {
			_, _ = m.Match(element)
		}
		_ = match.Values(fieldsNamed(paths, 3).Draw(t, "document"), paths.Draw(t, "path"))
	})
}

func TestLogicHoldsForFilters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		filter := filters(3).Draw(t, "filter")
		m, err := match.Compile(filter)
		if err != nil {
			return
		}
		doc := fieldsNamed(paths, 3).Draw(t, "document")
		matches, err := m.Match(doc, nil)
		if err != nil {
			return
		}
		for operator, want := range map[string]bool{
			"$and": matches, "$or": matches, "$nor": !matches,
		} {
			branches := bson.A{filter, filter}
			twice, err := match.Compile(bson.D{{Key: operator, Value: branches}})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := twice.Match(doc, nil); err != nil || got != want {
				t.Fatalf("%s of it twice: %v (%v), want %v", operator, got, err, want)
			}
		}
	})
}
