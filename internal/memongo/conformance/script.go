package conformance

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// script is a check that sends commands, one after another.
type script struct {
	name  string
	docs  string // inserted into the collection c before, unless empty
	steps []step
}

// step is a command and what is expected of its answer.
type step struct {
	// command is sent to the check's database, or to admin if the text begins with that word.
	// %db stands for the name of the database, also in want.
	command string

	// want are fields of the answer, in any order. The ones of cursor, writeErrors and
	// writeConcernError are fields of those; everything below has to be equal, with the order of
	// fields and the types of numbers. An error is '!2 BadValue', code and name; with more of it
	// it is {ok: 0.0, code: 2, …}. Unless an error is wanted there must be none, nor writeErrors.
	// After '=' it is the whole answer, in order, but for the fields that every answer has.
	want string
}

// scripts are the checks of a table.
func scripts(table []script) (all []check) {
	for _, s := range table {
		all = append(all, check{name: s.name, plain: s.plain(), run: s.run})
	}
	return all
}

// plain reports whether the commands do no more than read and write documents of a collection c
// that is there.
func (s script) plain() bool {
	return s.docs != "" && !slices.ContainsFunc(s.steps, func(step step) bool {
		return !plain.MatchString(step.command)
	})
}

var plain = regexp.MustCompile(`^\s*\{(find|aggregate|count|distinct|insert|update|delete|` +
	`findAndModify|findandmodify): 'c'`)

// needing adds what checks need.
func needing(needs Features, all []check) []check {
	for i := range all {
		all[i].needs = needs
	}
	return all
}

func (s script) run(c *C) {
	c.Helper()
	if s.docs != "" {
		c.Insert("c", s.docs)
	}
	for _, step := range s.steps {
		c.Expect(step.command, step.want)
	}
}

// Insert inserts documents.
func (c *C) Insert(collection, docs string) {
	c.Helper()
	documents := arr(docs)
	if len(documents) == 0 {
		return
	}
	answer := c.send(c.DB, bson.D{
		{Key: "insert", Value: collection}, {Key: "documents", Value: documents},
	})
	if n := lookup(answer, "n"); n != int32(len(documents)) {
		c.Fatalf("insert %s: the answer is %s", docs, brief(answer))
	}
}

// Do sends a command and returns the answer, also where it is an error or has write errors. No
// answer at all ends the check. For the text see step.
func (c *C) Do(command string) bson.D {
	c.Helper()
	text, toAdmin := strings.CutPrefix(strings.TrimSpace(command), "admin ")
	db := c.DB
	if toAdmin {
		db = c.Client.Database("admin")
	}
	return c.send(db, doc(c.named(text)))
}

// Expect sends a command and compares the answer. For the texts see step.
func (c *C) Expect(command, want string) bson.D {
	c.Helper()
	answer := c.Do(command)
	differences := ""
	if whole, ok := strings.CutPrefix(want, "="); ok {
		differences = compareWhole(answer, doc(c.named(whole)))
	} else {
		differences = compare(answer, wanted(c.named(want)))
	}
	if differences != "" {
		c.Fatalf("%s\n%s\nthe answer is %s", command, differences, brief(answer))
	}
	return answer
}

// named puts the name of the check's database into a text.
func (c *C) named(text string) string { return strings.ReplaceAll(text, "%db", c.DB.Name()) }

// wanted reads what is wanted of an answer.
func wanted(text string) bson.D {
	if failure, ok := strings.CutPrefix(text, "!"); ok {
		var code int32
		var name string
		if _, err := fmt.Sscan(failure, &code, &name); err != nil {
			panic(text + " is no error: " + err.Error())
		}
		return bson.D{
			{Key: "ok", Value: 0.0}, {Key: "code", Value: code}, {Key: "codeName", Value: name},
		}
	}
	return doc(text)
}

// InOneSession sends all later commands of the check in one session. Otherwise each is in one of
// the driver's choice, and a cursor can only be continued in the session that it was opened in.
func (c *C) InOneSession() {
	c.Helper()
	session, err := c.Client.StartSession(options.Session().SetCausalConsistency(false))
	if err != nil {
		c.Fatalf("start session: %v", err)
	}
	c.Cleanup(func() { session.EndSession(context.WithoutCancel(c.Context())) })
	c.ctx = mongo.NewSessionContext(c.ctx, session)
}

// send returns the answer of a server, whatever it says.
func (c *C) send(db *mongo.Database, command any) bson.D {
	c.Helper()
	answer, err := answerOf(db.RunCommand(c.Context(), command).Raw())
	if err != nil {
		c.Fatalf("%s: %v", brief(command), err)
	}
	return answer
}
