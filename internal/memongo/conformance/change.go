package conformance

// change is a check of one statement of the command update.
type change struct {
	name      string
	docs      string
	statement string // {q: …, u: …}, with what else it has
	want      string // of the answer, see step
	after     string // the documents afterwards, in the order of their _id
}

// changes are the checks of a table.
func changes(table []change) (all []check) {
	for _, ch := range table {
		all = append(all, check{name: ch.name, plain: true, run: ch.run})
	}
	return all
}

func (ch change) run(c *C) {
	c.Insert("c", ch.docs)
	c.Expect(`{update: 'c', updates: [`+ch.statement+`]}`, ch.want)
	c.ExpectDocuments("c", ch.after)
}

// ExpectDocuments compares the documents of a collection, in the order of their _id.
func (c *C) ExpectDocuments(collection, want string) {
	c.Helper()
	answer := c.Do(`{find: '` + collection + `', sort: {_id: 1}, batchSize: 1000}`)
	got := lookup(answer, "cursor", "firstBatch")
	if show(got) != show(val(want)) {
		c.Fatalf("%s has\n\t%s\nnot\n\t%s", collection, brief(got), brief(val(want)))
	}
}
