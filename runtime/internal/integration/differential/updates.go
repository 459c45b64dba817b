package differential

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// Statement draws a statement of the command update: mostly of one document by its _id.
func Statement(t *rapid.T) bson.D {
	q := bson.D{kv("_id", rapid.Int32Range(0, 6).Draw(t, "id"))}
	if chance(t, "more of a filter", 2) {
		q = append(q, bson.D{kv(path(t), condition(t, 0))}...)
	}
	u, filters := update(t)
	statement := bson.D{kv("q", q), kv("u", u)}
	if filters != nil {
		statement = append(statement, kv("arrayFilters", filters))
	}
	if chance(t, "upsert", 2) {
		statement = append(statement, kv("upsert", true))
	}
	return statement
}

func update(t *rapid.T) (u any, arrayFilters bson.A) {
	switch kind := rapid.IntRange(0, 9).Draw(t, "update"); {
	case kind == 0:
		return fields(t, 2), nil
	case kind < 5:
		return stages(t), nil
	}
	u = changes(t)
	if strings.Contains(show(u), "$[x]") {
		return u, bson.A{bson.D{kv("x", condition(t, 0))}}
	}
	return u, nil
}

func show(u any) string {
	text, err := bson.MarshalExtJSON(bson.D{kv("u", u)}, true, false)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// changes draws one to three operators.
func changes(t *rapid.T) bson.D {
	d := bson.D{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"$set", "$set", "$unset", "$inc", "$mul", "$min", "$max", "$push", "$addToSet", "$pull",
		"$pullAll", "$pop", "$rename", "$bit", "$setOnInsert",
	}), 1, 3, rapid.ID[string]).Draw(t, "operators") {
		operands := bson.D{}
		for range rapid.IntRange(1, 2).Draw(t, "fields") {
			operands = append(operands, kv(target(t), argument(t, name)))
		}
		d = append(d, kv(name, operands))
	}
	return d
}

// target draws the path of what an operator changes.
func target(t *rapid.T) string {
	if chance(t, "position", 1) {
		return pick(t, "positions", "a.$[]", "a.$[x]", "b.$[].b", "a.$", "a.$[x].b")
	}
	if chance(t, "new", 2) {
		return pick(t, "new", "d", "d.e", "e.0")
	}
	return path(t)
}

func argument(t *rapid.T, operator string) any {
	switch operator {
	case "$inc", "$mul":
		return number(t)
	case "$unset":
		return ""
	case "$pop":
		return pick(t, "end", int32(1), int32(-1))
	case "$rename":
		return pick(t, "to", "d", "e.f", "b", "c")
	case "$bit":
		return op(pick(t, "bits", "and", "or", "xor"), pick[any](t, "mask", int32(6), int64(3)))
	case "$pullAll":
		return array(t, 1)
	case "$pull":
		return condition(t, 0)
	case "$push":
		return pushed(t)
	case "$addToSet":
		if chance(t, "each", 4) {
			return op("$each", array(t, 1))
		}
	}
	return value(t, 2)
}

func pushed(t *rapid.T) any {
	if chance(t, "one", 4) {
		return value(t, 1)
	}
	d := op("$each", array(t, 1))
	if chance(t, "at a position", 3) {
		d = append(d, kv("$position", rapid.Int32Range(-2, 3).Draw(t, "position")))
	}
	if chance(t, "slice", 3) {
		d = append(d, kv("$slice", rapid.Int32Range(-2, 3).Draw(t, "slice")))
	}
	if chance(t, "sort", 3) {
		d = append(d, kv("$sort", pick[any](t, "by", int32(1), int32(-1), op("b", int32(1)))))
	}
	return d
}

// stages draws a pipeline of one to three stages.
func stages(t *rapid.T) bson.A {
	pipeline := bson.A{}
	for range rapid.IntRange(1, 3).Draw(t, "stages") {
		pipeline = append(pipeline, stage(t))
	}
	return pipeline
}

func stage(t *rapid.T) bson.D {
	switch kind := rapid.IntRange(0, 9).Draw(t, "stage"); {
	case kind == 0:
		return op("$replaceWith", op("$mergeObjects", bson.A{"$$ROOT", Expression(t)}))
	case kind == 1:
		return op("$project", bson.D{kv(field(t), int32(1)), kv("e", Expression(t))})
	case kind < 4:
		return op("$unset", bson.A{path(t)})
	}
	set := bson.D{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"a", "b", "c", "d", "a.b", "b.a", "d.e",
	}), 1, 2, rapid.ID[string]).Draw(t, "set") {
		set = append(set, kv(name, Expression(t)))
	}
	return op("$set", set)
}
