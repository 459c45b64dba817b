package conformance

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// evaluation is a check of the value of an expression. It is evaluated by a stage of an aggregate
// and by an update, which have to agree.
type evaluation struct {
	name       string
	fields     string // of the document, beside the _id 1
	expression string
	want       string // a value, or 'missing', or an error, see step
}

// evaluations are the checks of a table.
func evaluations(table []evaluation) (all []check) {
	for _, e := range table {
		all = append(all, check{name: e.name, plain: true, run: e.run})
	}
	return all
}

func (e evaluation) run(c *C) {
	d := `_id: 1`
	if e.fields != "" {
		d += `, ` + e.fields
	}
	c.Insert("c", `[{`+d+`}]`)
	set := `{$set: {result: ` + e.expression + `}}`
	aggregated := c.Do(`{aggregate: 'c', pipeline: [` + set + `], cursor: {}}`)
	e.compare(c, "aggregate", aggregated)
	updated := c.Do(`{update: 'c', updates: [{q: {}, u: [` + set + `]}]}`)
	if errors, ok := lookup(updated, "writeErrors").(bson.A); ok {
		failure := errors[0].(bson.D)
		updated = append(bson.D{
			{Key: "ok", Value: 0.0},
			{Key: "codeName", Value: lookup(aggregated, "codeName")}, // a write error has none
		}, failure...)
	} else {
		updated = c.Do(`{find: 'c'}`)
	}
	e.compare(c, "update", updated)
}

func (e evaluation) compare(c *C, by string, answer bson.D) {
	c.Helper()
	if strings.HasPrefix(e.want, "!") {
		if differences := compare(answer, wanted(e.want)); differences != "" {
			c.Errorf("%s by %s\n%s\nthe answer is %s", e.expression, by, differences, brief(answer))
		}
		return
	}
	want := any(missing{})
	if e.want != "missing" {
		want = val(e.want)
	}
	if got := result(answer); show(got) != show(want) {
		c.Errorf("%s by %s is\n\t%s\nnot\n\t%s\nthe answer is %s", e.expression, by, brief(got),
			brief(want), brief(answer))
	}
}

// result returns the field of that name of the one document in an answer.
func result(answer bson.D) any {
	batch, _ := lookup(answer, "cursor", "firstBatch").(bson.A)
	if len(batch) != 1 {
		return bson.D{{Key: "documents", Value: len(batch)}}
	}
	return lookup(batch[0].(bson.D), "result")
}
