package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// The in-process server's updates are those of a real one: documents, errors, and the events that
// tell of them. A check of rapid is a batch of cases, which go to the server as one command.
func TestUpdatesAreThoseOfAServer(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Own: true}) // an update that kills it kills no other
	r := newRealUpdates(t, d.Database(t))
	began, cases := time.Now(), 0
	rapid.Check(t, func(t *rapid.T) {
		batch := rapid.SliceOfN(rapid.Custom(drawUpdate), 20, 20).Draw(t, "batch")
		cases += len(batch)
		for i := range batch {
			r.lastID++
			batch[i].name(r.lastID)
		}
		for i, real := range r.apply(t, batch) {
			if ours := batch[i].ours(); ours != real {
				t.Errorf("%s\nours: %s\nreal: %s", &batch[i], ours, real)
			}
		}
	})
	t.Logf("%d cases in %s", cases, time.Since(began).Round(time.Millisecond))
}

// updateCase is a document and what is done with it.
type updateCase struct {
	doc    bson.D // nil: there is none, and the update is an upsert
	filter bson.D
	update any
	arrays []bson.D // arrayFilters
}

// name gives the document the _id that its events are known by. Every seventh is a document.
func (c *updateCase) name(n int32) {
	var id any = n
	if n%7 == 0 {
		id = bson.D{{Key: "a", Value: n}, {Key: "b", Value: int32(1)}}
	}
	if c.doc != nil {
		c.doc = update.WithID(c.doc, id)
	}
	c.filter = append(bson.D{{Key: "_id", Value: id}}, c.filter...)
}

func (c *updateCase) id() any { return c.filter[0].Value }

func (c *updateCase) String() string {
	return fmt.Sprintf("%s\n%s %s %s", show(c.doc), show(c.filter), show(c.update), show(c.arrays))
}

// statement is the case as the update command has it.
func (c *updateCase) statement() bson.D {
	s := bson.D{
		{Key: "q", Value: c.filter}, {Key: "u", Value: c.update},
		{Key: "upsert", Value: c.doc == nil},
	}
	if c.arrays != nil {
		s = append(s, bson.E{Key: "arrayFilters", Value: c.arrays})
	}
	return s
}

// outcome is what came of a case: an error, or a document and an event.
type outcome struct {
	failure string
	doc     string
	event   string
}

func (o outcome) String() string {
	return fmt.Sprintf("%s %s\n      %s", o.failure, o.doc, o.event)
}

// ours computes the outcome with the in-process server's packages.
func (c *updateCase) ours() outcome {
	o, err := c.compute()
	var refused *mongoerr.Error
	switch {
	case errors.As(err, &refused):
		return outcome{failure: fmt.Sprintf("%d %s", refused.Code, refused.Message)}
	case err != nil:
		return outcome{failure: err.Error()}
	}
	return o
}

func (c *updateCase) compute() (o outcome, err error) {
	m, err := match.Compile(c.filter)
	if err != nil {
		return o, err
	}
	u, err := update.Compile(c.update, update.Options{ArrayFilters: c.arrays})
	if err != nil {
		return o, err
	}
	vars := &expr.Vars{}
	if c.doc == nil {
		return c.upsert(m, u, vars)
	}
	position, found, err := m.MatchPosition(c.doc, vars)
	if err != nil || !found {
		return outcome{doc: show(c.doc)}, err
	}
	result, err := u.Apply(c.doc, update.Context{Vars: vars, Position: position})
	if err != nil {
		return o, err
	}
	return outcome{doc: show(result.Doc), event: eventOf(result)}, nil
}

func (c *updateCase) upsert(m *match.Matcher, u *update.Update, vars *expr.Vars) (outcome, error) {
	equalities, err := m.Equalities()
	if u.IsReplacement() {
		var id any
		id, _, err = m.IDEquality()
		equalities = bson.D{{Key: "_id", Value: id}}
	}
	if err != nil {
		return outcome{}, err
	}
	doc, err := u.Upsert(equalities, update.Context{Vars: vars})
	if err != nil {
		return outcome{}, err
	}
	return outcome{doc: show(doc), event: "insert " + show(doc)}, nil
}

// eventOf prints the event of a change.
func eventOf(r update.Result) string {
	switch {
	case !r.Changed:
		return ""
	case r.Kind == update.Replaced:
		return "replace " + show(r.Logged)
	}
	truncated := bson.A{}
	for _, part := range r.Desc.Truncated {
		truncated = append(truncated, bson.D{
			{Key: "field", Value: part.Field}, {Key: "newSize", Value: part.NewSize},
		})
	}
	removed := bson.A{}
	for _, name := range r.Desc.Removed {
		removed = append(removed, name)
	}
	return "update " + show(bson.D{
		{Key: "updatedFields", Value: append(bson.D{}, r.Desc.Updated...)},
		{Key: "removedFields", Value: removed},
		{Key: "truncatedArrays", Value: truncated},
	})
}

// show prints a value so that no two of different bytes look the same.
func show(v any) string {
	if d, ok := v.(bson.D); ok && d == nil {
		return "-"
	}
	text, err := bson.MarshalExtJSON(bson.D{{Key: "", Value: v}}, true, false)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), `{"":`), "}")
}
