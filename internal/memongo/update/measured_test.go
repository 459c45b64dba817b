package update_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

// measured is a line of testdata/measured.jsonl: what a server (6.0.5) made of an update. Without
// a document it is an upsert. _ids that the server generated are left out.
type measured struct {
	Doc          bson.D   `bson:"doc"`
	Filter       bson.D   `bson:"filter"`
	Update       any      `bson:"update"`
	ArrayFilters []bson.D `bson:"arrayFilters"`

	Error string `bson:"error"`
	After bson.D `bson:"after"`
	Event struct {
		Update  bson.D `bson:"update"`
		Replace bson.D `bson:"replace"`
		Insert  bool   `bson:"insert"`
	} `bson:"event"`
}

func TestUpdatesMakeWhatAServerMade(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/measured.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		var m measured
		if err := bson.UnmarshalExtJSON(lines.Bytes(), false, &m); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if err := m.check(); err != nil {
			t.Errorf("line %d: %s\n%v", n, lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil || n < 300 {
		t.Errorf("%d lines, %v", n, err)
	}
}

func (m *measured) check() error {
	r, err := m.apply()
	var refused *mongoerr.Error
	if errors.As(err, &refused) {
		err = nil
		if got := fmt.Sprintf("%d %s", refused.Code, refused.Message); got != m.Error {
			return fmt.Errorf("error %q, want %q", got, m.Error)
		}
	}
	switch {
	case err != nil:
		return err
	case m.Error != "" && refused == nil:
		return fmt.Errorf("no error, want %q", m.Error)
	case m.Error != "":
		return nil
	}
	if diff := cmp.Diff(show(m.After), show(r.Doc)); diff != "" {
		return fmt.Errorf("document (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.event(), event(r)); diff != "" && !m.Event.Insert {
		return fmt.Errorf("event (-want +got):\n%s", diff)
	}
	return nil
}

func (m *measured) apply() (r update.Result, err error) {
	matcher, err := match.Compile(m.Filter)
	if err != nil {
		return r, err
	}
	u, err := update.Compile(m.Update, update.Options{ArrayFilters: m.ArrayFilters})
	if err != nil {
		return r, err
	}
	if m.Doc == nil {
		r.Doc, err = m.upsert(matcher, u)
		return r, err
	}
	position, _, err := matcher.MatchPosition(m.Doc, nil)
	if err != nil {
		return r, err
	}
	return u.Apply(m.Doc, update.Context{Position: position})
}

func (m *measured) upsert(matcher *match.Matcher, u *update.Update) (bson.D, error) {
	equalities, err := matcher.Equalities()
	if u.IsReplacement() {
		var id any
		var found bool
		if id, found, err = matcher.IDEquality(); found {
			equalities = bson.D{{Key: "_id", Value: id}}
		}
	}
	if matcher.UsesExpr() {
		err = mongoerr.New(mongoerr.QueryFeatureNotAllowed,
			"$expr is not allowed in the query predicate for an upsert")
	}
	if err != nil {
		return nil, err
	}
	return u.Upsert(equalities, update.Context{})
}

// event prints what an event says, or nothing.
func event(r update.Result) string {
	switch {
	case !r.Changed:
		return ""
	case r.Kind == update.Replaced:
		return show(r.Logged)
	}
	removed, truncated := bson.A{}, bson.A{}
	for _, name := range r.Desc.Removed {
		removed = append(removed, name)
	}
	for _, part := range r.Desc.Truncated {
		truncated = append(truncated, bson.D{
			{Key: "field", Value: part.Field}, {Key: "newSize", Value: part.NewSize},
		})
	}
	return show(bson.D{
		{Key: "updatedFields", Value: append(bson.D{}, r.Desc.Updated...)},
		{Key: "removedFields", Value: removed},
		{Key: "truncatedArrays", Value: truncated},
	})
}

func (m *measured) event() string {
	switch {
	case m.Event.Replace != nil:
		return show(m.Event.Replace)
	case m.Event.Update != nil:
		return show(m.Event.Update)
	}
	return ""
}

// show prints a document so that no two of different bytes look the same.
func show(d bson.D) string {
	text, err := bson.MarshalExtJSON(d, true, false)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
