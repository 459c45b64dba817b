package conformance

import (
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// script is a check that sends commands to the check's database, one after another.
type script struct {
	name  string
	steps []step
}

// step is a command and what is expected of its answer.
type step struct {
	command string
	admin   bool // to the database admin

	// want are fields of the answer, in any order. The ones of cursor, writeErrors and
	// writeConcernError are fields of those; everything below has to be equal, with the order of
	// fields and the types of numbers. {code: 2} expects an error, and without one there must be
	// none, nor writeErrors.
	want string
}

// scripts are the checks of a table.
func scripts(table []script) (all []check) {
	for _, s := range table {
		all = append(all, check{name: s.name, run: s.run})
	}
	return all
}

func (s script) run(c *C) {
	c.Helper()
	for i, step := range s.steps {
		db := c.DB
		if step.admin {
			db = c.Client.Database("admin")
		}
		answer := c.send(db, doc(step.command))
		if differences := compare(answer, doc(step.want)); differences != "" {
			c.Fatalf("step %d: %s\n%s\nthe answer is %s", i, step.command, differences,
				show(answer))
		}
	}
}

// Do sends a command and returns the answer, also where it is an error or has write errors. An
// answer that does not come ends the check.
func (c *C) Do(command string) bson.D {
	c.Helper()
	return c.send(c.DB, doc(command))
}

// Expect sends a command and compares the answer with the fields of want, see step.
func (c *C) Expect(command, want string) bson.D {
	c.Helper()
	answer := c.send(c.DB, doc(command))
	c.expect(answer, command, want)
	return answer
}

// expect compares an answer with the fields of want.
func (c *C) expect(answer bson.D, command, want string) {
	c.Helper()
	if differences := compare(answer, doc(want)); differences != "" {
		c.Errorf("%s\n%s\nthe answer is %s", command, differences, show(answer))
	}
}

func (c *C) send(db *mongo.Database, command any) bson.D {
	c.Helper()
	answer, err := send(c, db, command)
	if err != nil {
		c.Fatalf("%s: %v", show(command), err)
	}
	return answer
}

// send returns the answer of a server, whatever it says. The error is that there was none.
func send(c *C, db *mongo.Database, command any) (answer bson.D, err error) {
	raw, err := db.RunCommand(c.Context(), command).Raw()
	var refused mongo.CommandError
	var failed mongo.WriteException
	switch {
	case errors.As(err, &refused) && refused.Raw != nil:
		raw, err = refused.Raw, nil
	case errors.As(err, &failed) && failed.Raw != nil:
		raw, err = failed.Raw, nil
	}
	if err != nil {
		return nil, err
	}
	return answer, bson.Unmarshal(raw, &answer)
}

// lookup returns a field of a document, by its path of names.
func lookup(d bson.D, path ...string) any {
	var v any = d
	for _, name := range path {
		d, _ := v.(bson.D)
		i := slices.IndexFunc(d, func(e bson.E) bool { return e.Key == name })
		if i < 0 {
			return missing{}
		}
		v = d[i].Value
	}
	return v
}

// missing is what lookup returns for a field that is not there.
type missing struct{}
