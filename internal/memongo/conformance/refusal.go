package conformance

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// refusalChecks are about commands that a transaction can't have, and what becomes of it then, and
// about hints that no command can follow.
func refusalChecks() []check {
	return append(scripts(hintScripts), []check{
		{name: "transaction/is over after an index that it can't make", run: refused(false, true,
			`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}`)},
		{name: "transaction/is over after $out", run: refused(false, true,
			`{aggregate: 'c', pipeline: [{$out: 'd'}], cursor: {}}`)},
		{name: "transaction/is over after a change stream", run: refused(false, true,
			`{aggregate: 'c', pipeline: [{$changeStream: {}}], cursor: {}}`)},
		{name: "transaction/does not begin with a change stream", run: refused(true, true,
			`{aggregate: 'c', pipeline: [{$changeStream: {}}], cursor: {}}`)},
		{name: "transaction/goes on after a drop", run: refused(false, false, `{drop: 'c'}`)},
		{name: "transaction/does not begin with a drop", run: refused(true, true, `{drop: 'c'}`)},
		{name: "transaction/goes on after a count", run: refused(false, false, `{count: 'c'}`)},
	}...)
}

var hintScripts = []script{
	{"find/hint of no index", people, []step{
		{`{find: 'c', hint: {nope: 1}}`, `!2 BadValue`},
		{`{count: 'c', query: {a: 1}, hint: 'nope'}`, `!2 BadValue`},
		{`{aggregate: 'c', pipeline: [], cursor: {}, hint: {nope: 1}}`, `!2 BadValue`},
		{`{findAndModify: 'c', update: {$set: {a: 1}}, hint: {nope: 1}}`, `!2 BadValue`},
		{`{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, hint: {nope: 1}}]}`,
			`{n: 0, nModified: 0, writeErrors: [{index: 0, code: 2}]}`},
		{`{delete: 'c', deletes: [{q: {}, limit: 0, hint: 'nope'}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 2}]}`},
	}},
}

// refused is a check that a command is refused as the first or second one of a transaction, and
// whether that ends it.
func refused(first, ends bool, command string) func(*C) {
	return func(c *C) {
		c.Insert("c", `[{_id: 1}]`)
		c.must(c.Client.UseSession(c.Context(), func(ctx context.Context) error {
			c.must(mongo.SessionFromContext(ctx).StartTransaction())
			if !first {
				_, err := c.Collection().InsertOne(ctx, withID(2))
				c.must(err)
			}
			err := c.DB.RunCommand(ctx, doc(c.named(command))).Err()
			if code := codeOf(err); code != 263 {
				c.Errorf("the command: %v", err)
			}
			_, err = c.Collection().InsertOne(ctx, withID(3))
			if code := codeOf(err); (code == 251) != ends || !ends && err != nil {
				c.Errorf("the next one: %v", err)
			}
			return nil
		}))
	}
}

// codeOf returns a server's code, 0 for none.
func codeOf(err error) int32 {
	var failed mongo.CommandError
	errors.As(err, &failed)
	return failed.Code
}
