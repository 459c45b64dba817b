package lease_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// homes are the directories of the tests that scenarios name, from here. A name is that of a test
// function or of a rule of a suite.
var homes = map[string]string{
	"lease":       ".",
	"leasetest":   "../../fwtest/leasetest",
	"storetest":   "../storetest",
	"memstore":    "../memstore",
	"supervisor":  "../supervisor",
	"presence":    "../presence",
	"fw":          "../..",
	"integration": "../integration", // on real nodes
}

// scenario is one that every election must stand, by the number under which it is known.
type scenario struct {
	id, what string
	held     []string // by these tests, "home name"
	none     string   // or why it does not apply here
}

// scenarios are those of a lease, of an election and a failover, of fencing, and others, followed
// by the failures of leases that people met elsewhere.
var scenarios = [][]scenario{
	leaseScenarios, electionScenarios, fencingScenarios, otherScenarios, metScenarios,
}

func TestEveryScenarioIsHeldByATest(t *testing.T) {
	t.Parallel()
	tests := make(map[string]bool)
	for home, dir := range homes {
		for _, name := range testsIn(t, dir) {
			tests[home+" "+name] = true
		}
	}
	seen := make(map[string]bool)
	for _, s := range slices.Concat(scenarios...) {
		if seen[s.id] {
			t.Errorf("%s is there twice", s.id)
		}
		seen[s.id] = true
		s.check(t, tests)
	}
	for prefix, last := range map[string]int{"L": 16, "E": 12, "F": 7, "X": 12} {
		for n := range last {
			if id := prefix + strconv.Itoa(n+1); !seen[id] {
				t.Errorf("%s is missing", id)
			}
		}
	}
}

// check checks that a scenario names tests that exist, or says why it has none.
func (s scenario) check(t *testing.T, tests map[string]bool) {
	t.Helper()
	if (len(s.held) == 0) == (s.none == "") {
		t.Errorf("%s (%s): want tests that hold it, or why it does not apply", s.id, s.what)
	}
	for _, test := range s.held {
		if !tests[test] {
			t.Errorf("%s (%s): there is no test %s", s.id, s.what, test)
		}
	}
	numbered := func(test string) bool { return strings.Contains(test, s.id) }
	if strings.HasPrefix(s.id, "B") && !slices.ContainsFunc(s.held, numbered) {
		t.Errorf("%s (%s): no test bears its number", s.id, s.what)
	}
}

// ruleName is the name of a rule in a suite: a string in its source.
var ruleName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)

// testsIn returns the names of the tests and rules in a directory.
func testsIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	for _, file := range files {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		suite := !strings.HasSuffix(file, "_test.go")
		ast.Inspect(source, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && !suite && strings.HasPrefix(n.Name.Name, "Test") {
					names = append(names, n.Name.Name)
				}
			case *ast.BasicLit:
				name, err := strconv.Unquote(n.Value)
				if n.Kind == token.STRING && suite && err == nil && ruleName.MatchString(name) {
					names = append(names, name)
				}
			}
			return true
		})
	}
	return names
}
