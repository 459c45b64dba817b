package integration

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// Names are few, so that updates meet what is there.
var (
	fieldNames = []string{"a", "b", "c", "d", "10", "9"}
	// There is no 01 beside 1: a server (6.0.5) stops at an invariant when both are changed.
	elementNames = []string{
		"0", "1", "4", "a", "$", "$[]", "$[e]", "$[f]", "$[]", "$[e]", "$[]",
	}
	oddPaths = []string{
		"_id", "_id.a", "_id.c", "", "a.", "$", "$[]", "$x", "a..b", "$ref", "$id", "a.$[e",
		"a.$x", "b.c.$", "b.$[e].$[]",
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
		c.update = drawOperators(t, c.doc)
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
	size := rapid.SampledFrom([]int{2, 3, 4, 1, 5, 3, 0}).Draw(t, "size")
	for _, name := range rapid.Permutation(fieldNames).Draw(t, "names")[:size] {
		d = append(d, bson.E{Key: name, Value: drawValue(t, depth-1)})
	}
	return d
}

// drawArray draws numbers, or documents, or anything.
func drawArray(t *rapid.T, depth int) bson.A {
	a := bson.A{}
	kind := rapid.SampledFrom([]string{"numbers", "documents", "any"}).Draw(t, "elements")
	for range rapid.SampledFrom([]int{0, 1, 2, 2, 3, 4}).Draw(t, "length") {
		switch {
		case kind == "numbers":
			a = append(a, int32(rapid.IntRange(0, 3).Draw(t, "number")))
		case kind == "documents" && depth > 1:
			a = append(a, drawDocument(t, depth-1))
		default:
			a = append(a, drawValue(t, depth-1))
		}
	}
	return a
}

func drawValue(t *rapid.T, depth int) any {
	kind := rapid.SampledFrom([]string{"", "array", "document", "array", ""}).Draw(t, "kind")
	switch {
	case depth > 0 && kind == "array":
		return drawArray(t, depth)
	case depth > 0 && kind == "document":
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

// drawOperators draws a few edits of a document, each with an operator that suits what is there.
func drawOperators(t *rapid.T, doc bson.D) bson.D {
	var operators bson.D
	for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "edits") {
		path, at := drawPath(t, doc)
		name := rapid.SampledFrom(suitable(at)).Draw(t, "operator")
		if unlikely(t) {
			name = rapid.SampledFrom(suitable("")).Draw(t, "anyOperator")
		}
		edit := bson.E{Key: path, Value: drawArgument(t, name, doc)}
		i := slices.IndexFunc(operators, func(o bson.E) bool { return o.Key == name })
		if i < 0 {
			operators = append(operators, bson.E{Key: name, Value: bson.D{edit}})
			continue
		}
		operators[i].Value = append(operators[i].Value.(bson.D), edit)
	}
	return operators
}

// suitable returns the operators that can do something to a value; all, to a string.
func suitable(v any) []string {
	numbers := []string{"$inc", "$mul", "$bit", "$min", "$max"}
	arrays := []string{"$push", "$push", "$push", "$addToSet", "$pull", "$pullAll", "$pop"}
	any := []string{"$set", "$set", "$unset", "$rename"}
	switch v.(type) {
	case int32, int64, float64, bson.Decimal128:
		return append(numbers, any...)
	case bson.A:
		return append(arrays, any...)
	case string:
		return slices.Concat(numbers, arrays, any, []string{"$setOnInsert"})
	}
	return any
}

func unlikely(t *rapid.T) bool { return rapid.IntRange(0, 15).Draw(t, "unlikely") == 7 }

// drawPath follows a document to some depth, and goes astray now and then.
func drawPath(t *rapid.T, doc bson.D) (string, any) {
	if unlikely(t) {
		return rapid.SampledFrom(oddPaths).Draw(t, "odd"), ""
	}
	path, at := "", any(doc)
	for range rapid.SampledFrom([]int{2, 1, 3, 2, 3, 4}).Draw(t, "depth") {
		part, below := drawPart(t, at)
		path, at = path+"."+part, below
		if _, isDocument := at.(bson.D); !isDocument && at != nil && !isArray(at) && !unlikely(t) {
			break
		}
	}
	return path[1:], at
}

// drawPart draws a path's next component, and returns what is there.
func drawPart(t *rapid.T, at any) (string, any) {
	switch v := at.(type) {
	case bson.A:
		part := rapid.SampledFrom(elementNames).Draw(t, "element")
		if len(v) > 0 {
			return part, v[0]
		}
		return part, ""
	case bson.D:
		if len(v) > 0 && rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, "there") {
			field := rapid.SampledFrom(v).Draw(t, "known")
			return field.Key, field.Value
		}
	}
	return rapid.SampledFrom(fieldNames).Draw(t, "field"), ""
}

func isArray(v any) bool {
	_, ok := v.(bson.A)
	return ok
}

// drawArgument draws what an operator takes, and now and then anything.
func drawArgument(t *rapid.T, operator string, doc bson.D) any {
	if unlikely(t) {
		return drawValue(t, 2)
	}
	switch operator {
	case "$inc", "$mul":
		return rapid.SampledFrom([]any{
			int32(0), int32(2), int64(0), int64(3), 0.0, 1.5, bson.NewDecimal128(0x3040000000000000, 1),
		}).Draw(t, "number")
	case "$rename":
		path, _ := drawPath(t, doc)
		return path
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
		if needed == unlikely(t) {
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
	stages := bson.A{drawStage(t)}
	if rapid.Bool().Draw(t, "two") {
		stages = append(stages, drawStage(t))
	}
	return stages
}

func drawStage(t *rapid.T) bson.D {
	name := rapid.SampledFrom(fieldNames).Draw(t, "field")
	literal := bson.D{{Key: "$literal", Value: drawValue(t, 3)}}
	return rapid.SampledFrom([]bson.D{
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
	}).Draw(t, "stage")
}
