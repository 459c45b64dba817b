package pipeline_test

import (
	"errors"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func keys() []string {
	return []string{"_id", "a", "b", "a.b", "a.$", "a.0", "x", "", "$", "a.", "path", "newRoot",
		"from", "as", "localField", "foreignField", "let", "pipeline", "size", "$sum", "$push",
		"$first", "$avg", "$addToSet", "$mergeObjects", "$count", "$slice", "$elemMatch", "$add",
		"$literal", "$expr", "$gt", "$in", "$natural", "preserveNullAndEmptyArrays",
		"includeArrayIndex"}
}

func scalars() []any {
	return []any{int32(0), int32(1), int32(-1), int64(2), 1.5, 0.0, "a", "$a", "$a.b", "$$ROOT",
		"$$REMOVE", "p", "", "$", true, false, nil, bson.DateTime(1), bson.Undefined{},
		bson.Regex{Pattern: "("}, bson.NewDecimal128(0x3040000000000000, 15)}
}

// specs draws what may and what may not be the specification of a stage.
func specs(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return rapid.SampledFrom(scalars())
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return specs(depth - 1) })
	list := rapid.Map(rapid.SliceOfN(inner, 0, 3), func(s []any) any { return bson.A(s) })
	object := rapid.Custom(func(t *rapid.T) any {
		doc := bson.D{}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			doc = append(doc, bson.E{Key: rapid.SampledFrom(keys()).Draw(t, "key"),
				Value: inner.Draw(t, "value")})
		}
		return doc
	})
	return rapid.OneOf(rapid.SampledFrom(scalars()), list, object, object)
}

func stages() *rapid.Generator[bson.A] {
	names := []string{"$match", "$project", "$set", "$addFields", "$unset", "$replaceRoot",
		"$replaceWith", "$redact", "$sort", "$limit", "$skip", "$count", "$group", "$sortByCount",
		"$unwind", "$lookup", "$facet", "$sample", "$documents", "$merge", "$nope"}
	return rapid.Custom(func(t *rapid.T) bson.A {
		list := bson.A{}
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			name := rapid.SampledFrom(names).Draw(t, "stage")
			list = append(list, d(name, specs(3).Draw(t, "spec")))
		}
		return list
	})
}

// check fails unless a result can be encoded and an error is one that clients know.
func check(t *rapid.T, result any, err error) {
	if err == nil {
		_, err = bson.Marshal(d("r", result))
	}
	var known *mongoerr.Error
	if err != nil && !errors.As(err, &known) {
		t.Fatalf("%v is no error of a server", err)
	}
}

func TestNoPipelinePanicsOrChangesItsInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := collection{
			{{Key: "_id", Value: int32(1)}, {Key: "a", Value: bson.A{int32(2), d("b", "x")}}},
			{{Key: "_id", Value: int32(2)}, {Key: "a", Value: d("b", bson.A{})}},
		}
		before := value.Key(bson.A{docs[0], docs[1]})
		list := stages().Draw(t, "pipeline")
		p, err := pipeline.Compile(list, pipeline.Env{DB: "q", Source: docs})
		if err == nil {
			for doc, err := range p.Run(slices.Values(docs)) {
				check(t, doc, err)
			}
		}
		check(t, nil, err)
		u, err := pipeline.CompileUpdate(list, nil)
		if err == nil {
			doc, _, err := u.Each(docs[0], &expr.Vars{})
			check(t, doc, err)
		}
		check(t, nil, err)
		if after := value.Key(bson.A{docs[0], docs[1]}); after != before {
			t.Fatalf("%v changed the documents to %v", list, docs)
		}
	})
}

func TestNoProjectionPanics(t *testing.T) {
	t.Parallel()
	doc := bson.D{{Key: "_id", Value: int32(1)}, {Key: "a", Value: bson.A{int32(2), d("b", "x")}}}
	rapid.Check(t, func(t *rapid.T) {
		spec, ok := specs(3).Draw(t, "projection").(bson.D)
		if !ok {
			return
		}
		p, err := pipeline.CompileProjection(spec, nil)
		if err == nil {
			out, err := p.Apply(doc, nil, rapid.IntRange(-1, 3).Draw(t, "pos"))
			check(t, out, err)
		}
		check(t, nil, err)
		s, err := pipeline.CompileSort(spec)
		if err == nil {
			err = s.Sort([]bson.D{doc, doc})
		}
		check(t, nil, err)
	})
}
