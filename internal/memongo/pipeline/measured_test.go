package pipeline_test

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// measured is a command with a server's answer to it.
type measured struct{ kind, command, documents, answer string }

func TestAnswersAreThoseOfAServer(t *testing.T) {
	t.Parallel()
	for _, m := range readMeasured(t) {
		docs := collection{}
		for _, doc := range parseJSON(t, m.documents).(bson.A) {
			docs = append(docs, doc.(bson.D))
		}
		got := answer(m.kind, parseJSON(t, m.command), docs)
		if got != m.answer {
			t.Errorf("%s %s on %s:\n got %s\nwant %s", m.kind, m.command, m.documents, got,
				m.answer)
		}
	}
}

func readMeasured(t *testing.T) (all []measured) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "measured.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		if answer, ok := strings.CutPrefix(line, "\t"); ok {
			all[len(all)-1].answer = answer
			continue
		}
		command, documents, _ := strings.Cut(line[2:], " @@ ")
		all = append(all, measured{kind: line[:1], command: command, documents: documents})
	}
	if len(all) < 400 || lines.Err() != nil {
		t.Fatalf("%d cases, %v", len(all), lines.Err())
	}
	return all
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	var wrapped bson.D
	if err := bson.UnmarshalExtJSON([]byte(`{"v": `+text+`}`), false, &wrapped); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return wrapped[0].Value
}

// collection is the collection p.
type collection []bson.D

func (c collection) Collection(_, name string) iter.Seq[bson.D] {
	if name != "p" {
		return slices.Values([]bson.D(nil))
	}
	return slices.Values(c)
}

// answer returns what a server would answer, in the words of the file.
func answer(kind string, command any, docs collection) string {
	var (
		result any
		err    error
	)
	switch kind {
	case "P":
		result, err = aggregate(command.(bson.A), docs)
	case "F":
		result, err = find(command.(bson.D), docs)
	case "U":
		result, err = update(command.(bson.A), docs[0])
	}
	var known *mongoerr.Error
	if errors.As(err, &known) {
		return fmt.Sprintf("%d %s", known.Code, known.Message)
	}
	if err != nil {
		return "no answer of a server: " + err.Error()
	}
	text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: result}}, true, false)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), `{"v":`), "}")
}

// during says where a command was when it failed.
func during(where string, err error) error {
	var known *mongoerr.Error
	if !errors.As(err, &known) {
		return err
	}
	return mongoerr.New(known.Code, "%s :: caused by :: %s", where, known.Message)
}

func aggregate(stages bson.A, docs collection) (any, error) {
	env := pipeline.Env{DB: "q", Source: docs}
	if first, ok := stages[0].(bson.D); ok && len(first) == 1 && first[0].Key == "$changeStream" {
		env.ChangeStream = true
		stages, docs = stages[1:], nil
	}
	p, err := pipeline.Compile(stages, env)
	if err != nil {
		return nil, err
	}
	out := bson.A{}
	for doc, err := range p.Run(docs.Collection("q", "p")) {
		if err != nil {
			return nil, during("PlanExecutor error during aggregation", err)
		}
		out = append(out, doc)
	}
	return out, nil
}

func find(command bson.D, docs collection) (any, error) {
	argument := func(name string) bson.D {
		v, _ := value.Get(command, name)
		d, _ := v.(bson.D)
		return d
	}
	filter, err := match.Compile(argument("filter"))
	if err != nil {
		return nil, err
	}
	projection, err := pipeline.CompileProjectionIn(argument("projection"), filter, nil)
	if err != nil {
		return nil, err
	}
	order, err := pipeline.CompileSort(argument("sort"))
	if err != nil {
		return nil, err
	}
	out, err := project(filter, projection, order, docs)
	if err != nil {
		return nil, during("Executor error during find command", err)
	}
	return out, nil
}

func project(filter *match.Matcher, projection *pipeline.Projection, order *pipeline.SortOrder,
	docs collection) (bson.A, error) {
	var kept []bson.D
	for _, doc := range docs {
		ok, err := filter.Match(doc, nil)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, doc)
		}
	}
	if err := order.Sort(kept); err != nil {
		return nil, err
	}
	out := bson.A{}
	for _, doc := range kept {
		projected, err := projection.Apply(doc, nil, -1)
		if err != nil {
			return nil, err
		}
		out = append(out, projected)
	}
	return out, nil
}

func update(stages bson.A, doc bson.D) (any, error) {
	p, err := pipeline.CompileUpdate(stages, nil)
	if err != nil {
		return nil, err
	}
	changed, _, err := p.Each(doc, &expr.Vars{})
	if err != nil {
		return nil, during("Plan executor error during findAndModify", err)
	}
	return changed, nil
}
