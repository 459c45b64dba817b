package pipeline_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func d(key string, val any) bson.D { return bson.D{{Key: key, Value: val}} }

func compile(t *testing.T, stages bson.A, env pipeline.Env) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.Compile(stages, env)
	if err != nil {
		t.Fatalf("compile %v: %v", stages, err)
	}
	return p
}

func run(t *testing.T, p *pipeline.Pipeline, docs ...bson.D) (out []bson.D) {
	t.Helper()
	for doc, err := range p.Run(slices.Values(docs)) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, doc)
	}
	return out
}

func TestStagesThatAServerHasAreNamed(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int32{
		"$graphLookup": mongoerr.NotImplemented, "$merge": mongoerr.NotImplemented,
		"$bucket": mongoerr.NotImplemented, "$nope": mongoerr.UnrecognizedStage,
		"$search": mongoerr.UnrecognizedStage,
	} {
		_, err := pipeline.Compile(bson.A{d(name, bson.D{})}, pipeline.Env{})
		if !mongoerr.Is(err, code) {
			t.Errorf("%s: %v, want code %d", name, err, code)
		}
	}
	_, err := pipeline.Compile(bson.A{d("$group", bson.D{{Key: "_id", Value: nil},
		{Key: "n", Value: d("$stdDevPop", "$a")}})}, pipeline.Env{})
	if !mongoerr.Is(err, mongoerr.NotImplemented) {
		t.Errorf("$stdDevPop: %v", err)
	}
}

func TestVariablesReachTheStages(t *testing.T) {
	t.Parallel()
	vars := &expr.Vars{Now: 7, Let: map[string]any{"x": int32(3)}}
	p := compile(t, bson.A{d("$set", bson.D{{Key: "now", Value: "$$NOW"},
		{Key: "x", Value: "$$x"}})}, pipeline.Env{Vars: vars})
	want := []bson.D{{{Key: "now", Value: bson.DateTime(7)}, {Key: "x", Value: int32(3)}}}
	if diff := cmp.Diff(want, run(t, p, bson.D{})); diff != "" {
		t.Error(diff)
	}
	if _, err := pipeline.Compile(bson.A{d("$set", d("y", "$$y"))},
		pipeline.Env{Vars: vars}); !mongoerr.Is(err, 17276) {
		t.Errorf("an unknown variable: %v", err)
	}
}

func TestUpdatesSeeTheirOwnVariables(t *testing.T) {
	t.Parallel()
	p, err := pipeline.CompileUpdate(bson.A{d("$set", d("at", "$$NOW")),
		d("$set", d("later", d("$add", bson.A{"$at", "$$ms"})))}, map[string]any{"ms": nil})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := p.Each(bson.D{}, &expr.Vars{Now: 5, Let: map[string]any{"ms": int32(2)}})
	want := bson.D{{Key: "at", Value: bson.DateTime(5)}, {Key: "later", Value: bson.DateTime(7)}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// A server does not optimize the pipeline of an update: without a document it is no error.
func TestUpdatesFailOverConstantsOnlyWithADocument(t *testing.T) {
	t.Parallel()
	stages := bson.A{d("$set", d("a", d("$divide", bson.A{int32(1), int32(0)})))}
	p, err := pipeline.CompileUpdate(stages, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Each(bson.D{}, &expr.Vars{}); !mongoerr.Is(err, mongoerr.BadValue) {
		t.Errorf("with a document: %v", err)
	}
	if _, err := pipeline.Compile(stages, pipeline.Env{}); !mongoerr.Is(err, mongoerr.BadValue) {
		t.Errorf("in an aggregate: %v", err)
	}
}

func TestEachDropsWhatAStageDrops(t *testing.T) {
	t.Parallel()
	p := compile(t, bson.A{d("$match", d("a", int32(1))), d("$project", d("_id", int32(0)))},
		pipeline.Env{ChangeStream: true})
	for a, want := range map[int32]bool{1: true, 2: false} {
		_, kept, err := p.Each(d("a", a), &expr.Vars{})
		if err != nil || kept != want {
			t.Errorf("a %d: %v, %v", a, kept, err)
		}
	}
}

func TestEachRefusesStagesOfSeveralDocuments(t *testing.T) {
	t.Parallel()
	p := compile(t, bson.A{d("$count", "n")}, pipeline.Env{})
	if _, _, err := p.Each(bson.D{}, &expr.Vars{}); !mongoerr.Is(err, mongoerr.NotImplemented) {
		t.Errorf("got %v", err)
	}
}

func TestOnlyDocumentsNeedsNoCollection(t *testing.T) {
	t.Parallel()
	makes := compile(t, bson.A{d("$documents", bson.A{d("a", int32(1))}), d("$limit", int32(1))},
		pipeline.Env{})
	if !makes.MakesDocuments() || len(run(t, makes)) != 1 {
		t.Error("$documents does not make documents")
	}
	for _, stages := range []bson.A{{}, {d("$match", bson.D{})}} {
		if compile(t, stages, pipeline.Env{}).MakesDocuments() {
			t.Errorf("%v makes documents", stages)
		}
	}
}

func TestALimitEndsTheStagesBefore(t *testing.T) {
	t.Parallel()
	p := compile(t, bson.A{d("$limit", int32(2))}, pipeline.Env{})
	read := 0
	endless := func(yield func(bson.D) bool) {
		for read++; yield(bson.D{}); read++ {
		}
	}
	for _, err := range p.Run(endless) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if read != 2 {
		t.Errorf("%d documents were read", read)
	}
}

func TestSamplesAreOfTheDocuments(t *testing.T) {
	t.Parallel()
	p := compile(t, bson.A{d("$sample", d("size", int32(2)))}, pipeline.Env{})
	docs := []bson.D{d("_id", int32(1)), d("_id", int32(2)), d("_id", int32(3))}
	got := run(t, p, docs...)
	if len(got) != 2 || value.Equal(got[0], got[1]) {
		t.Errorf("got %v", got)
	}
}

// The caller of findAndModify knows which element matched; find leaves it to the projection.
func TestThePositionalOperatorIsTold(t *testing.T) {
	t.Parallel()
	doc := d("a", bson.A{int32(1), int32(2), int32(3)})
	filter, err := match.Compile(d("a", int32(2)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.CompileProjection(d("a.$", int32(1)), filter)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Positional() {
		t.Error("not positional")
	}
	for pos, want := range map[int]int32{-1: 2, 0: 1, 2: 3} {
		got, err := p.Apply(doc, nil, pos)
		if diff := cmp.Diff(d("a", bson.A{want}), got); diff != "" || err != nil {
			t.Errorf("position %d: %s %v", pos, diff, err)
		}
	}
}

func TestNoProjectionIsTheDocument(t *testing.T) {
	t.Parallel()
	p, err := pipeline.CompileProjection(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := d("a", int32(1))
	if got, err := p.Apply(doc, nil, -1); err != nil || !value.Identical(got, doc) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNaturalOrderCanBeReversed(t *testing.T) {
	t.Parallel()
	order, err := pipeline.CompileSort(d("$natural", int32(-1)))
	if err != nil {
		t.Fatal(err)
	}
	docs := []bson.D{d("_id", int32(1)), d("_id", int32(2))}
	if err := order.Sort(docs); err != nil || docs[0][0].Value != int32(2) {
		t.Errorf("got %v, %v", docs, err)
	}
}

func TestAFieldThatIsTakenAwayKeepsItsPlaceForTheNextStages(t *testing.T) {
	t.Parallel()
	doc := bson.D{{Key: "a", Value: int32(1)}, {Key: "b", Value: bson.D{{Key: "x", Value: int32(1)},
		{Key: "y", Value: int32(1)}}}}
	for _, test := range []struct {
		stages bson.A
		want   string
	}{
		{bson.A{d("$unset", "a"), d("$set", d("a", int32(5)))}, "{ a: 5, b: { x: 1, y: 1 } }"},
		{bson.A{d("$unset", "b.x"), d("$set", d("b.x", int32(5)))}, "{ a: 1, b: { x: 5, y: 1 } }"},
		{bson.A{d("$unset", "a"), d("$replaceWith", "$$ROOT"), d("$set", d("a", int32(5)))},
			"{ a: 5, b: { x: 1, y: 1 } }"},
		{bson.A{d("$unset", "a"), d("$set", d("all", "$$ROOT"))},
			"{ b: { x: 1, y: 1 }, all: { b: { x: 1, y: 1 } } }"},
		{bson.A{d("$replaceWith", bson.D{{Key: "n", Value: "$nope"}, {Key: "a", Value: "$a"}}),
			d("$set", d("n", int32(5)))}, "{ n: 5, a: 1 }"},
		{bson.A{d("$project", d("b", int32(1))), d("$set", d("a", int32(5)))},
			"{ b: { x: 1, y: 1 }, a: 5 }"},
	} {
		p, err := pipeline.CompileUpdate(test.stages, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := p.Each(doc, &expr.Vars{})
		if err != nil || value.Show(got) != test.want {
			t.Errorf("%s gives %s (%v), want %s", value.Show(test.stages), value.Show(got), err,
				test.want)
		}
		ran := run(t, compile(t, test.stages, pipeline.Env{}), doc)
		if value.Show(ran[0]) != test.want {
			t.Errorf("run: %s gives %s, want %s", value.Show(test.stages), value.Show(ran[0]),
				test.want)
		}
	}
}
