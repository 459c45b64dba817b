package conformance

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// query is a check of what a filter matches.
type query struct {
	name   string
	docs   string
	filter string
	want   string // the _ids of what matches, as an array in ascending order; or an error, see step
}

// queries are the checks of a table.
func queries(table []query) (all []check) {
	for _, q := range table {
		all = append(all, check{name: q.name, plain: true, run: q.run})
	}
	return all
}

func (q query) run(c *C) {
	c.Insert("c", q.docs)
	answer := c.Do(`{find: 'c', filter: ` + q.filter +
		`, sort: {_id: 1}, projection: {_id: 1}, batchSize: 1000}`)
	if strings.HasPrefix(q.want, "!") || strings.HasPrefix(q.want, "{") {
		if differences := compare(answer, wanted(q.want)); differences != "" {
			c.Fatalf("find %s\n%s\nthe answer is %s", q.filter, differences, brief(answer))
		}
		return
	}
	if got := show(ids(answer)); got != show(val(q.want)) {
		c.Fatalf("find %s among %s\nmatches\n\t%s\nnot\n\t%s\nthe answer is %s",
			q.filter, q.docs, got, brief(val(q.want)), brief(answer))
	}
}

// ids returns the _ids of the documents in an answer's first batch.
func ids(answer bson.D) bson.A {
	found := bson.A{}
	batch, _ := lookup(answer, "cursor", "firstBatch").(bson.A)
	for _, d := range batch {
		found = append(found, lookup(d.(bson.D), "_id"))
	}
	return found
}
