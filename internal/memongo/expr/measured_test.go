package expr_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// measured is an expression with a server's answer to it.
type measured struct{ expression, document, answer string }

func TestAnswersAreThoseOfAServer(t *testing.T) {
	t.Parallel()
	for _, m := range readMeasured(t) {
		got := evaluate(parseJSON(t, m.expression), parseJSON(t, m.document))
		if got != m.answer {
			t.Errorf("%s on %s:\n got %s\nwant %s", m.expression, m.document, got, m.answer)
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
		expression, document, given := strings.Cut(line, " @@ ")
		if !given {
			document = "{}"
		}
		all = append(all, measured{expression: expression, document: document})
	}
	if len(all) < 500 || lines.Err() != nil {
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

// evaluate returns what a server would answer, in the words of the file.
func evaluate(e, document any) string {
	x, err := expr.CompileIn(e, nil)
	if err != nil {
		return failure(err, "")
	}
	result, err := x.Eval(&expr.Vars{Root: document})
	switch {
	case err != nil:
		return failure(err, "PlanExecutor error during aggregation :: caused by :: ")
	case result == value.Missing:
		return "missing"
	}
	text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: result}}, true, false)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), `{"v":`), "}")
}

func failure(err error, prefix string) string {
	var (
		constant *expr.ConstantError
		failed   *mongoerr.Error
	)
	if errors.As(err, &constant) {
		prefix = "Failed to optimize pipeline :: caused by :: "
	}
	if !errors.As(err, &failed) {
		return "no answer of a server: " + err.Error()
	}
	return fmt.Sprintf("%d %s%s", failed.Code, prefix, failed.Message)
}
