package update_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

// read reads extended JSON.
func read(t *testing.T, text string) bson.D {
	t.Helper()
	var d bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), false, &d); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func compile(t *testing.T, u any) *update.Update {
	t.Helper()
	compiled, err := update.Compile(u, update.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// What a server takes from its clocks cannot be recorded.
func TestTimesAreThoseOfTheContext(t *testing.T) {
	t.Parallel()
	seconds := uint32(0)
	c := update.Context{
		Vars:     &expr.Vars{Now: 1000, ClusterTime: bson.Timestamp{T: 7}},
		Position: -1,
	}
	ticking := c
	ticking.Tick = func() bson.Timestamp {
		seconds++
		return bson.Timestamp{T: seconds}
	}
	dates := `{"$currentDate": {"d": true, "e": {"$type": "date"}, "t": {"$type": "timestamp"}}}`
	zeros := `{"z": {"$timestamp": {"t": 0, "i": 0}}, "y": {"$timestamp": {"t": 0, "i": 0}},
		"x": {"z": {"$timestamp": {"t": 0, "i": 0}}}}`
	for name, test := range map[string]struct {
		update  bson.D
		context update.Context
		want    bson.D
	}{
		"$currentDate": {read(t, dates), c, bson.D{
			{Key: "_id", Value: int32(1)}, {Key: "d", Value: bson.DateTime(1000)},
			{Key: "e", Value: bson.DateTime(1000)}, {Key: "t", Value: bson.Timestamp{T: 7}},
		}},
		"zero timestamps at the top of a replacement": {read(t, zeros), ticking, bson.D{
			{Key: "_id", Value: int32(1)}, {Key: "z", Value: bson.Timestamp{T: 1}},
			{Key: "y", Value: bson.Timestamp{T: 2}},
			{Key: "x", Value: bson.D{{Key: "z", Value: bson.Timestamp{}}}},
		}},
		"zero timestamps of $set stay": {bson.D{{Key: "$set", Value: read(t, zeros)}}, ticking,
			bson.D{
				{Key: "_id", Value: int32(1)},
				{Key: "x", Value: bson.D{{Key: "z", Value: bson.Timestamp{}}}},
				{Key: "y", Value: bson.Timestamp{}}, {Key: "z", Value: bson.Timestamp{}},
			}},
	} {
		r, err := compile(t, test.update).Apply(read(t, `{"_id": 1}`), test.context)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, r.Doc); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAPipelineSeesTheTimesAndVariables(t *testing.T) {
	t.Parallel()
	u, err := update.Compile(bson.A{read(t,
		`{"$set": {"now": "$$NOW", "ts": "$$CLUSTER_TIME", "who": "$$owner", "old": "$a"}}`,
	)}, update.Options{Let: bson.D{{Key: "owner", Value: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	vars := &expr.Vars{
		Now: 5, ClusterTime: bson.Timestamp{T: 6}, Let: map[string]any{"owner": "me"},
	}
	r, err := u.Apply(read(t, `{"_id": 1, "a": 2}`), update.Context{Vars: vars, Position: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := bson.D{
		{Key: "_id", Value: int32(1)}, {Key: "a", Value: int32(2)},
		{Key: "now", Value: bson.DateTime(5)}, {Key: "ts", Value: bson.Timestamp{T: 6}},
		{Key: "who", Value: "me"}, {Key: "old", Value: int32(2)},
	}
	if diff := cmp.Diff(want, r.Doc); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if !u.IsPipeline() || u.IsReplacement() {
		t.Error("the update does not know that it is a pipeline")
	}
}

func TestStatementsThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	filters := update.Options{ArrayFilters: []bson.D{read(t, `{"e": 1}`)}}
	long := strings.Repeat("a.", 255) + "a"
	for name, test := range map[string]struct {
		update  any
		options update.Options
		code    int32
	}{
		"a replacement of many":    {read(t, `{"a": 1}`), update.Options{Multi: true}, 9},
		"a number":                 {int32(5), update.Options{}, 9},
		"a pipeline with filters":  {bson.A{}, filters, 9},
		"a filter that is unused":  {read(t, `{"$set": {"a": 1}}`), filters, 9},
		"a path that is too long":  {read(t, `{"$set": {"`+long+`": 1}}`), update.Options{}, 238},
		"a variable nobody knows":  {bson.A{read(t, `{"$set": {"a": "$$x"}}`)}, update.Options{}, 17276},
		"an operator nobody knows": {read(t, `{"$nope": {"a": 1}}`), update.Options{}, 9},
	} {
		if _, err := update.Compile(test.update, test.options); !mongoerr.Is(err, test.code) {
			t.Errorf("%s: %v, want code %d", name, err, test.code)
		}
	}
}

func TestDocumentsHaveABoundedDepth(t *testing.T) {
	t.Parallel()
	nested := func(depth int) any {
		v := any(int32(1))
		for range depth {
			v = bson.D{{Key: "a", Value: v}}
		}
		return v
	}
	set := func(path string, v any) bson.D {
		return bson.D{{Key: "$set", Value: bson.D{{Key: path, Value: v}}}}
	}
	deepest := strings.TrimSuffix(strings.Repeat("a.", 180), ".")
	for name, test := range map[string]struct {
		update bson.D
		deep   bool
	}{
		"a path at the limit":            {set(deepest, true), false},
		"a path beyond it":               {set(deepest+".b", true), true},
		"a value at the limit":           {set("a.b.c", nested(177)), false},
		"a value beyond it":              {set("a.b.c", nested(178)), true},
		"a replacement at the limit":     {bson.D{{Key: "x", Value: nested(179)}}, false},
		"a replacement beyond the limit": {bson.D{{Key: "x", Value: nested(180)}}, true},
		"a value that takes a value's place": {
			set("_", nested(180)), true,
		},
	} {
		doc := bson.D{{Key: "_id", Value: int32(1)}, {Key: "_", Value: int32(1)}}
		_, err := compile(t, test.update).Apply(doc, update.Context{Position: -1})
		if deep := mongoerr.Is(err, mongoerr.Overflow); deep != test.deep || err != nil && !deep {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheIDComesFirst(t *testing.T) {
	t.Parallel()
	last := read(t, `{"a": 1, "_id": 2}`)
	want := read(t, `{"_id": 2, "a": 1}`)
	for name, got := range map[string]bson.D{
		"IDFirst":            update.IDFirst(last),
		"WithID, as it was":  update.WithID(last, int32(9)),
		"WithID, given here": update.WithID(read(t, `{"a": 1}`), int32(2)),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(read(t, `{"a": 1, "_id": 2}`), last); diff != "" {
		t.Errorf("the document was changed (-want +got):\n%s", diff)
	}
}
