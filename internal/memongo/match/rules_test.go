package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// compile reads a filter in extended JSON.
func compile(t testing.TB, filter string) *match.Matcher {
	t.Helper()
	m, err := match.Compile(read(t, filter).(bson.D))
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	return m
}

// What a server inserted for these filters, with the paths as they are.
func TestAnUpsertSetsWhatTheFilterFixes(t *testing.T) {
	t.Parallel()
	const pattern = `{"$regularExpression":{"pattern":"x","options":""}}`
	for filter, want := range map[string]string{
		`{"a":1}`:                                         `{"a":1}`,
		`{"z":1,"a":1,"_id":7}`:                           `{"_id":7,"a":1,"z":1}`,
		`{"a":{"$eq":1,"$gt":0}}`:                         `{"a":1}`,
		`{"a":{"$eq":` + pattern + `}}`:                   `{"a":` + pattern + `}`,
		`{"a":` + pattern + `}`:                           `{}`,
		`{"a":{"$in":[1]}}`:                               `{"a":1}`,
		`{"a":{"$in":[1,1.0]}}`:                           `{"a":1}`,
		`{"a":{"$in":[1,2]}}`:                             `{}`,
		`{"a":{"$in":[null]}}`:                            `{"a":null}`,
		`{"a":{"$all":[1]}}`:                              `{"a":1}`,
		`{"a":{"$all":[[1]]}}`:                            `{"a":[1]}`,
		`{"$and":[{"b":1},{"a":2}]}`:                      `{"a":2,"b":1}`,
		`{"$and":[{"$and":[{"a":1}]},{"$or":[{"b":1}]}]}`: `{"a":1,"b":1}`,
		`{"$or":[{"a":1}]}`:                               `{"a":1}`,
		`{"$or":[{"a":1},{"b":1}]}`:                       `{}`,
		`{"$or":[{"a":1},{"a":1}]}`:                       `{}`,
		`{"$nor":[{"a":{"$ne":1}}]}`:                      `{}`,
		`{"a":{"$not":{"$ne":1}}}`:                        `{}`,
		`{"a":{"$elemMatch":{"$eq":1}}}`:                  `{}`,
		`{"a":{"$gte":1,"$lte":1}}`:                       `{}`,
		`{"a.b":1,"a.c":2}`:                               `{"a.b":1,"a.c":2}`,
		`{"a":{"b":{"$gt":1}}}`:                           `{"a":{"b":{"$gt":1}}}`,
		`{"a":{"$ref":"x","$id":1}}`:                      `{"a":{"$ref":"x","$id":1}}`,
		`{"$comment":"x","$alwaysTrue":1,"a":1}`:          `{"a":1}`,
		`{"b":1,"a":{"$all":[]}}`:                         `{}`,
		`{"$or":[{"b":1},{"a":{"$all":[]}}]}`:             `{"b":1}`,
		`{}`:                                              `{}`,
	} {
		got, err := compile(t, filter).Equalities()
		if err != nil {
			t.Errorf("%s: %v", filter, err)
		}
		if len(got) == 0 {
			got = bson.D{}
		}
		if diff := cmp.Diff(read(t, want), any(got)); diff != "" {
			t.Errorf("%s: %s", filter, diff)
		}
	}
}

func TestAnUpsertRefusesTwoValuesForAPath(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		`{"a":1,"$and":[{"a":1}]}`:  "path 'a' is matched twice",
		`{"a":{"$all":[1,1]}}`:      "path 'a' is matched twice",
		`{"a":{"$eq":1,"$in":[1]}}`: "path 'a' is matched twice",
		`{"a":{"c":1},"a.b":1}`:     "both paths 'a.b' and 'a' are matched",
		`{"a.b":1,"a":{"c":1}}`:     "both paths 'a.b' and 'a' are matched",
		`{"_id":1,"_id.x":1}`:       "both paths '_id.x' and '_id' are matched",
	} {
		_, err := compile(t, filter).Equalities()
		wanted := mongoerr.New(54, "cannot infer query fields to set, %s", want)
		if err == nil || err.Error() != wanted.Error() {
			t.Errorf("%s: %v, want %v", filter, err, wanted)
		}
	}
}

func TestAReplacementTakesTheIDAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		filter string
		id     any
		code   int32
	}{
		{`{"a":1,"$and":[{"a":1}]}`, nil, 0},
		{`{"_id":{"$in":[3]},"b":1}`, int32(3), 0},
		{`{"$or":[{"_id":5}]}`, int32(5), 0},
		{`{"_id":{"$gt":5}}`, nil, 0},
		{`{"_id":1,"$and":[{"_id":1}]}`, nil, 54},
		{`{"_id.x":1}`, nil, 111},
		{`{"_id":1,"_id.x":1}`, nil, 111},
	} {
		id, found, err := compile(t, test.filter).IDEquality()
		if test.code != 0 {
			if !mongoerr.Is(err, test.code) {
				t.Errorf("%s: %v, want code %d", test.filter, err, test.code)
			}
			continue
		}
		if err != nil || found != (test.id != nil) || id != test.id {
			t.Errorf("%s: %v %v %v, want %v", test.filter, id, found, err, test.id)
		}
	}
}

func TestWhatOnlyARealServerHasIsRefusedByName(t *testing.T) {
	t.Parallel()
	for filter, name := range map[string]string{
		`{"$where":"true"}`:                  "$where",
		`{"$text":{"$search":"x"}}`:          "$text",
		`{"$jsonSchema":{}}`:                 "$jsonSchema",
		`{"$sampleRate":0.5}`:                "$sampleRate",
		`{"a":{"$near":[0,0]}}`:              "$near",
		`{"a":{"$geoWithin":{}}}`:            "$geoWithin",
		`{"a":{"$_internalExprEq":1}}`:       "$_internalExprEq",
		`{"$_internalSchemaCond":[]}`:        "$_internalSchemaCond",
		`{"$or":[{"a":{"$regex":"(?=b)"}}]}`: "lookahead (?=…) in a regular expression",
	} {
		_, err := match.Compile(read(t, filter).(bson.D))
		want := mongoerr.Unsupported("%s", name)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", filter, err, want)
		}
	}
}

func TestExprSeesTheVariablesOfTheCommand(t *testing.T) {
	t.Parallel()
	m := compile(t, `{"$expr":{"$lt":["$expires","$$NOW"]},"n":{"$gt":0}}`)
	if !m.UsesExpr() || compile(t, `{"a":1}`).UsesExpr() {
		t.Error("UsesExpr is not about $expr")
	}
	doc := bson.D{{Key: "expires", Value: bson.DateTime(10)}, {Key: "n", Value: int32(1)}}
	for now, want := range map[bson.DateTime]bool{10: false, 11: true} {
		vars := expr.Vars{Now: now, Root: "of another document"}
		if got, err := m.Match(doc, &vars); err != nil || got != want {
			t.Errorf("at %d: %v (%v), want %v", now, got, err, want)
		}
	}
	other := compile(t, `{"$expr":{"$eq":["$n","$$mine"]}}`)
	vars := expr.Vars{Let: map[string]any{"mine": int64(1)}}
	if got, err := other.Match(doc, &vars); err != nil || !got {
		t.Errorf("with let: %v (%v)", got, err)
	}
	unknown := bson.D{{Key: "$expr", Value: "$$mine"}}
	if _, err := match.CompileIn(unknown, nil); !mongoerr.Is(err, 17276) {
		t.Errorf("without let: %v", err)
	}
}

func TestAnErrorOfExprEndsTheMatch(t *testing.T) {
	t.Parallel()
	doc := bson.D{{Key: "a", Value: int32(0)}}
	for _, filter := range []string{
		`{"$expr":{"$divide":[1,"$a"]}}`,
		`{"$or":[{"$expr":{"$divide":[1,"$a"]}},{"a":{"$exists":false}}]}`,
		`{"$nor":[{"$expr":{"$divide":[1,"$a"]}}]}`,
		`{"$and":[{"a":0},{"$nor":[{"$expr":{"$divide":[1,"$a"]}}]}]}`,
	} {
		m := compile(t, filter)
		if got, err := m.Match(doc, nil); err == nil || got {
			t.Errorf("%s: %v without an error", filter, got)
		}
		if _, got, err := m.MatchPosition(doc, nil); err == nil || got {
			t.Errorf("%s: %v without an error", filter, got)
		}
	}
	other := compile(t, `{"$expr":{"$divide":[1,"$a"]},"a":{"$gt":0}}`)
	if got, err := other.Match(doc, nil); err != nil || got {
		t.Errorf("evaluated although the rest does not match: %v (%v)", got, err)
	}
}

func TestArrayFiltersTellTheirIdentifier(t *testing.T) {
	t.Parallel()
	name, m, err := match.CompileArrayFilter(
		read(t, `{"$and":[{"el.a":{"$gt":1}},{"el.b":2}]}`).(bson.D))
	if err != nil || name != "el" {
		t.Fatalf("%s %v", name, err)
	}
	for element, want := range map[string]bool{
		`{"a":2,"b":2}`: true, `{"a":1,"b":2}`: false, `1`: false,
	} {
		if got, err := m.Match(read(t, element)); err != nil || got != want {
			t.Errorf("%s: %v (%v)", element, got, err)
		}
	}
	refused := read(t, `{"a":1,"b":{"$where":"x"}}`).(bson.D)
	if _, _, err := match.CompileArrayFilter(refused); !mongoerr.Is(err, mongoerr.BadValue) {
		t.Error(err)
	}
}

func TestMatchValueCompilesAndMatches(t *testing.T) {
	t.Parallel()
	if got, err := match.MatchValue(read(t, `{"$gt":1}`), int32(2)); err != nil || !got {
		t.Error(got, err)
	}
	if _, err := match.MatchValue(read(t, `{"$gt":1,"b":1}`), int32(2)); err == nil {
		t.Error("no error for what is neither operators nor a document")
	}
}

// As distinct lists them.
func TestValuesGoThroughArrays(t *testing.T) {
	t.Parallel()
	doc := read(t, `{"a":[{"b":1},{"b":[2,3]},[{"b":4}],5,{"b":[[6]]}],"c":{"d":7},"x.y":8,
		"x":{"y":9}}`).(bson.D)
	for path, want := range map[string]string{
		"c.d":   `[7]`,
		"c":     `[{"d":7}]`,
		"a.b":   `[1,2,3,[6]]`,
		"a.1.b": `[2,3]`,
		"a.2.b": `[4]`,
		"a.2.0": `[{"b":4}]`,
		"a.3":   `[5]`,
		"a.9":   `[]`,
		"x.y":   `[8]`,
		"c.d.e": `[]`,
		"z":     `[]`,
	} {
		got := append(bson.A{}, match.Values(doc, path)...)
		if diff := cmp.Diff(read(t, want), any(got)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
