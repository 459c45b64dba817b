package match_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// The files in testdata are what a real server (6.0.5) answered, in lines of extended JSON:
//
//	documents [...]           what the lines below it are about
//	filter {...} => 0 2       the indices of the documents that it matches
//	filter {...} => error 2 a message
//	position {...} => 1       what $ stands for in each document, "none", or "no" for no match
//	projected {...} => 1      the same for the $ of a projection
//	arrayFilter {...} => 0 2  the elements that $[x] stands for, in the first document's field a
//	pull ... => 0 2           the elements that $pull with that condition removes
func TestFiltersAnswerAsTheServerDid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no measured answers:", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			checkFile(t, name)
		})
	}
}

func checkFile(t *testing.T, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var documents bson.A
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		if kind == "documents" {
			documents = read(t, rest).(bson.A)
			continue
		}
		question, want, _ := strings.Cut(rest, " =>")
		if got := answer(kind, read(t, question), documents); got != strings.TrimSpace(want) {
			t.Errorf("%s:%d: %s %s\n got %s\nwant%s", name, number, kind, question, got, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}

// read reads a value in extended JSON.
func read(t testing.TB, text string) any {
	t.Helper()
	var wrapper bson.D
	if err := bson.UnmarshalExtJSON([]byte(`{"v":`+text+`}`), false, &wrapper); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return wrapper[0].Value
}

func answer(kind string, question any, documents bson.A) string {
	var found []string
	var err error
	switch kind {
	case "filter", "position", "projected":
		found, err = find(kind, question.(bson.D), documents)
	case "arrayFilter":
		var m *match.ElementMatcher
		if _, m, err = match.CompileArrayFilter(question.(bson.D)); err == nil {
			found = elements(m, documents)
		}
	case "pull":
		var m *match.ElementMatcher
		if m, err = match.CompileElement(question); err == nil {
			found = elements(m, documents)
		}
	}
	var refused *mongoerr.Error
	if errors.As(err, &refused) {
		return fmt.Sprintf("error %d %s", refused.Code, refused.Message)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(found, " ")
}

func find(kind string, filter bson.D, documents bson.A) (found []string, err error) {
	m, err := match.Compile(filter)
	if err != nil {
		return nil, err
	}
	for i, d := range documents {
		doc := slices.Concat(bson.D{{Key: "_id", Value: int32(i)}}, d.(bson.D))
		position, matches, err := m.MatchPosition(doc, nil)
		if kind == "projected" {
			position, matches, err = m.MatchPositionListed(doc, nil)
		}
		if err != nil {
			return nil, err
		}
		switch {
		case kind == "filter" && matches:
			found = append(found, fmt.Sprint(i))
		case kind != "filter":
			found = append(found, describe(position, matches))
		}
	}
	return found, nil
}

func describe(position int, matches bool) string {
	switch {
	case !matches:
		return "no"
	case position < 0:
		return "none"
	}
	return fmt.Sprint(position)
}

func elements(m *match.ElementMatcher, documents bson.A) (found []string) {
	for i, element := range documents[0].(bson.D)[0].Value.(bson.A) {
		if matches, err := m.Match(element); matches && err == nil {
			found = append(found, fmt.Sprint(i))
		}
	}
	return found
}
