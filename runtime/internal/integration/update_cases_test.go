package integration

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// Names are few, so that updates meet what is there.
var (
	fieldNames  = []string{"a", "b", "c", "d", "10", "9"}
	innerNames  = []string{"a", "b", "c", "0", "1", "4", "01", "$", "$[]", "$[e]", "$[f]", "$x"}
	updateNames = []string{
		"$set", "$set", "$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$push",
		"$push", "$addToSet", "$pull", "$pullAll", "$pop", "$bit", "$setOnInsert",
	}
)

// drawUpdate draws a small document and an update.
func drawUpdate(t *rapid.T) updateCase {
	c := updateCase{}
	if rapid.IntRange(0, 9).Draw(t, "upsert") > 0 {
		c.doc = drawDocument(t, 3)
	}
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case kind < 7:
		c.update = drawOperators(t)
		c.filter = drawFilter(t, c)
		c.arrays = drawArrayFilters(t, fmt.Sprint(c.update))
	case kind < 9:
		c.update = drawStages(t)
		c.filter = drawFilter(t, c)
	default:
		c.update = drawDocument(t, 2)
	}
	return c
}

func drawDocument(t *rapid.T, depth int) bson.D {
	d := bson.D{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(fieldNames), 0, 5,
		rapid.ID[string]).Draw(t, "names") {
		d = append(d, bson.E{Key: name, Value: drawValue(t, depth-1)})
	}
	return d
}

func drawArray(t *rapid.T, depth int) bson.A {
	a := bson.A{}
	for range rapid.IntRange(0, 4).Draw(t, "length") {
		a = append(a, drawValue(t, depth-1))
	}
	return a
}

func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 12).Draw(t, "type")
	if depth > 0 && kind > 9 {
		return drawArray(t, depth)
	}
	if depth > 0 && kind > 6 {
		return drawDocument(t, depth)
	}
	return drawScalar(t)
}

func drawScalar(t *rapid.T) any {
	n := rapid.IntRange(0, 3).Draw(t, "n")
	switch rapid.IntRange(0, 9).Draw(t, "scalar") {
	case 0:
		return nil
	case 1:
		return float64(n)
	case 2:
		return int64(n)
	case 3:
		return strings.Repeat("x", 9*n)
	case 4:
		return n > 1
	case 5:
		return bson.NewDecimal128(0x3040000000000000, uint64(n))
	case 6:
		return bson.DateTime(n)
	}
	return int32(n)
}

func drawPath(t *rapid.T) string {
	if rapid.IntRange(0, 30).Draw(t, "odd") == 0 {
		return rapid.SampledFrom([]string{
			"_id", "_id.a", "_id.c", "", "a.", "$", "$[]", "$x", "a..b", "$ref", "$id", "a.$[e",
		}).Draw(t, "oddPath")
	}
	path := rapid.SampledFrom(fieldNames).Draw(t, "field")
	for range rapid.IntRange(0, 2).Draw(t, "depth") {
		path += "." + rapid.SampledFrom(innerNames).Draw(t, "part")
	}
	return path
}

func drawOperators(t *rapid.T) bson.D {
	var operators bson.D
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(updateNames), 1, 3,
		rapid.ID[string]).Draw(t, "operators") {
		fields := bson.D{}
		for _, path := range rapid.SliceOfNDistinct(rapid.Custom(drawPath), 1, 2,
			rapid.ID[string]).Draw(t, "paths") {
			fields = append(fields, bson.E{Key: path, Value: drawArgument(t, name)})
		}
		operators = append(operators, bson.E{Key: name, Value: fields})
	}
	return operators
}

// drawArgument draws what an operator takes, and now and then anything.
func drawArgument(t *rapid.T, operator string) any {
	if rapid.IntRange(0, 20).Draw(t, "any") == 0 {
		return drawValue(t, 2)
	}
	switch operator {
	case "$inc", "$mul":
		return rapid.SampledFrom([]any{
			int32(0), int32(2), int64(0), int64(3), 0.0, 1.5, bson.NewDecimal128(0x3040000000000000, 1),
		}).Draw(t, "number")
	case "$rename":
		return drawPath(t)
	case "$push":
		return drawPush(t)
	case "$addToSet":
		return rapid.SampledFrom([]any{
			drawValue(t, 1), bson.D{{Key: "$each", Value: drawArray(t, 2)}},
		}).Draw(t, "added")
	case "$pull":
		return drawCondition(t)
	case "$pullAll":
		return drawArray(t, 2)
	case "$pop":
		return rapid.SampledFrom([]any{int32(1), int32(-1), 1.0}).Draw(t, "end")
	case "$bit":
		return bson.D{{
			Key:   rapid.SampledFrom([]string{"and", "or", "xor"}).Draw(t, "bits"),
			Value: rapid.SampledFrom([]any{int32(1), int32(6), int64(2)}).Draw(t, "mask"),
		}}
	}
	return drawValue(t, 2)
}

func drawPush(t *rapid.T) any {
	if rapid.Bool().Draw(t, "plain") {
		return drawValue(t, 2)
	}
	clauses := bson.D{{Key: "$each", Value: drawArray(t, 2)}}
	optional := func(name string, values ...any) {
		if rapid.Bool().Draw(t, name) {
			v := rapid.SampledFrom(values).Draw(t, name+"Value")
			clauses = append(clauses, bson.E{Key: name, Value: v})
		}
	}
	optional("$slice", int32(0), int32(1), int32(3), int32(-2), int64(9), 2.0)
	optional("$sort", int32(1), int32(-1), bson.D{{Key: "a", Value: int32(1)}},
		bson.D{{Key: "b.a", Value: int32(-1)}, {Key: "a", Value: int32(1)}})
	optional("$position", int32(0), int32(1), int32(-1), int64(7), int32(-9))
	return clauses
}

func drawCondition(t *rapid.T) any {
	return rapid.SampledFrom([]any{
		drawValue(t, 2),
		bson.D{{Key: "$gt", Value: drawScalar(t)}},
		bson.D{{Key: "$in", Value: drawArray(t, 1)}},
		bson.D{{Key: "a", Value: drawScalar(t)}},
		bson.D{{Key: "a", Value: bson.D{{Key: "$lt", Value: drawScalar(t)}}}},
		bson.D{{Key: "$elemMatch", Value: bson.D{{Key: "a", Value: drawScalar(t)}}}},
	}).Draw(t, "condition")
}

// drawFilter draws what finds a position for $, or what an upsert inserts.
func drawFilter(t *rapid.T, c updateCase) bson.D {
	path := rapid.SampledFrom([]string{"a", "b", "b.a", "a.b", "c"}).Draw(t, "filtered")
	switch {
	case c.doc == nil:
		return bson.D{{Key: path, Value: drawValue(t, 2)}}
	case strings.Contains(fmt.Sprint(c.update), "$ "), rapid.IntRange(0, 5).Draw(t, "more") == 0:
		condition := bson.D{{Key: "$gte", Value: int32(rapid.IntRange(0, 2).Draw(t, "least"))}}
		return bson.D{{Key: path, Value: condition}}
	}
	return nil
}

func drawArrayFilters(t *rapid.T, update string) []bson.D {
	var filters []bson.D
	for _, name := range []string{"e", "f"} {
		needed := strings.Contains(update, "$["+name+"]")
		if needed == (rapid.IntRange(0, 20).Draw(t, "wrong") == 0) {
			continue
		}
		filters = append(filters, rapid.SampledFrom([]bson.D{
			{{Key: name, Value: bson.D{{Key: "$gte", Value: int32(1)}}}},
			{{Key: name + ".a", Value: bson.D{{Key: "$exists", Value: true}}}},
			{{Key: name, Value: bson.D{{Key: "$ne", Value: drawScalar(t)}}}},
		}).Draw(t, "arrayFilter"))
	}
	return filters
}

// drawStages draws pipelines that move, change and take away.
func drawStages(t *rapid.T) bson.A {
	name := rapid.SampledFrom(fieldNames).Draw(t, "field")
	literal := bson.D{{Key: "$literal", Value: drawValue(t, 3)}}
	return bson.A{rapid.SampledFrom([]bson.D{
		{{Key: "$set", Value: bson.D{{Key: name, Value: literal}}}},
		{{Key: "$set", Value: bson.D{{Key: name + ".a", Value: literal}}}},
		{{Key: "$set", Value: bson.D{{Key: name, Value: "$b"}}}},
		{{Key: "$unset", Value: bson.A{name, "c.a"}}},
		{{Key: "$replaceWith", Value: bson.D{{Key: "$literal", Value: drawDocument(t, 3)}}}},
		{{Key: "$replaceWith", Value: bson.D{
			{Key: "b", Value: "$b"}, {Key: "_id", Value: "$_id"}, {Key: "a", Value: "$a"},
		}}},
		{{Key: "$set", Value: bson.D{{Key: name, Value: bson.D{
			{Key: "$concatArrays", Value: bson.A{bson.A{literal}, bson.A{"$a"}}},
		}}}}},
	}).Draw(t, "stage")}
}
