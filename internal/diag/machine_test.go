package diag_test

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/diag"
)

// format prints problems of one file whose third line has letters of several sizes.
func format(t *testing.T, to func(diag.Renderer, io.Writer, *diag.List) error,
	problems ...diag.Diagnostic) string {
	t.Helper()
	var list diag.List
	for _, p := range problems {
		list.Add(p)
	}
	var b strings.Builder
	r := diag.Renderer{Dir: filepath.FromSlash("/w/orders"), Sources: func(string) ([]byte, error) {
		return []byte("one\ntwo\n// é 日 😀 x\n"), nil
	}}
	if err := to(r, &b, &list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// several are problems with everything, and with as little as there can be.
func several() []diag.Diagnostic {
	return []diag.Diagnostic{
		diag.New(diag.UnknownKey, at("/w/orders/a b.go", 3, 16, 1), "100%% <wrong>,\n: a\x1bb").
			Hinted("hint").Noted("note").
			With(at("/w/base/b.go", 1, 2, 0), "base").With(at("/w/orders/c.go", 7, 0, 0), "line"),
		diag.New(diag.Stale, at("/w/orders/fw_gen.go", 0, 0, 0), "stale"),
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	want := `{
  "problems": [
    {
      "code": "FW1102",
      "file": "a b.go",
      "line": 3,
      "col": 16,
      "endCol": 17,
      "message": "100% <wrong>,\n: a\u001bb",
      "hint": "hint",
      "notes": [
        "note"
      ],
      "related": [
        {
          "file": "../base/b.go",
          "line": 1,
          "col": 2,
          "message": "base"
        },
        {
          "file": "c.go",
          "line": 7,
          "message": "line"
        }
      ]
    },
    {
      "code": "FW3001",
      "file": "fw_gen.go",
      "message": "stale"
    }
  ]
}
`
	if diff := cmp.Diff(want, format(t, diag.Renderer.JSON, several()...)); diff != "" {
		t.Error(diff)
	}
	if got := format(t, diag.Renderer.JSON); got != "{\n  \"problems\": []\n}\n" {
		t.Errorf("no problem gives %s", got)
	}
}

// TestGitHub: columns are UTF-16 code units, and nothing in a text can end its command.
func TestGitHub(t *testing.T) {
	t.Parallel()
	want := "::error file=a b.go,line=3,col=11,endColumn=12,title=fwgen FW1102::100%25 <wrong>,%0A: a\uFFFDb" +
		"%0Ahint%0Anote%0A../base/b.go:1:2: base%0Ac.go:7: line\n" +
		"::error file=fw_gen.go,title=fwgen FW3001::stale\n" +
		"::error file=x%2C%3A%25.go,title=fwgen FW3001::stale\n"
	problems := append(several(), diag.New(diag.Stale, at("/w/orders/x,:%.go", 0, 0, 0), "stale"))
	if diff := cmp.Diff(want, format(t, diag.Renderer.GitHub, problems...)); diff != "" {
		t.Error(diff)
	}
}

// object is a JSON object, taken apart by the names that SARIF 2.1.0 gives its parts.
type object map[string]any

// allowed are the properties that the standard's schema knows, of those objects that fwgen writes;
// the ones before the bar are required by the schema or by what reads the logs.
var allowed = map[string]string{
	"log":              "version runs | $schema",
	"run":              "tool results | columnKind",
	"tool":             "driver |",
	"driver":           "name rules | informationUri",
	"rule":             "id shortDescription help | helpUri",
	"message":          "text |",
	"result":           "message ruleId locations | ruleIndex level relatedLocations",
	"location":         "physicalLocation | id message",
	"physicalLocation": "artifactLocation | region",
	"artifactLocation": "uri | uriBaseId",
	"region":           "startLine | startColumn endColumn snippet",
}

func (o object) check(t *testing.T, kind string) {
	t.Helper()
	required, optional, _ := strings.Cut(allowed[kind], "|")
	for _, name := range strings.Fields(required) {
		if o[name] == nil {
			t.Errorf("a %s has no %s: %v", kind, name, o)
		}
	}
	for name := range o {
		if !strings.Contains(" "+required+optional+" ", " "+name+" ") {
			t.Errorf("a %s cannot have %s", kind, name)
		}
	}
}

func (o object) get(t *testing.T, name, kind string) object {
	t.Helper()
	inner, _ := o[name].(map[string]any)
	object(inner).check(t, kind)
	return inner
}

func (o object) list(t *testing.T, name, kind string) (list []object) {
	t.Helper()
	for _, item := range o[name].([]any) {
		inner := object(item.(map[string]any))
		inner.check(t, kind)
		list = append(list, inner)
	}
	return list
}

// TestSARIF holds the log against the standard: its objects, their properties, and what refers to
// what.
func TestSARIF(t *testing.T) {
	t.Parallel()
	var log object
	if err := json.Unmarshal([]byte(format(t, diag.Renderer.SARIF, several()...)), &log); err != nil {
		t.Fatal(err)
	}
	log.check(t, "log")
	runs := log.list(t, "runs", "run")
	if len(runs) != 1 || log["version"] != "2.1.0" || runs[0]["columnKind"] != "utf16CodeUnits" {
		t.Fatalf("%d runs of version %v", len(runs), log["version"])
	}
	driver := runs[0].get(t, "tool", "tool").get(t, "driver", "driver")
	rules := driver.list(t, "rules", "rule")
	if len(rules) != len(diag.Catalog()) {
		t.Errorf("there are %d rules for %d codes", len(rules), len(diag.Catalog()))
	}
	for _, rule := range rules {
		rule.get(t, "shortDescription", "message")
		rule.get(t, "help", "message")
	}
	results := runs[0].list(t, "results", "result")
	for _, result := range results {
		result.get(t, "message", "message")
		index, ok := result["ruleIndex"].(float64)
		if !ok || rules[int(index)]["id"] != result["ruleId"] || result["level"] != "error" {
			t.Errorf("the rule of %v is another one", result)
		}
	}
}

// TestSARIFPlaces: columns are UTF-16 code units, and names are URIs, relative where they can be.
func TestSARIFPlaces(t *testing.T) {
	t.Parallel()
	var log object
	if err := json.Unmarshal([]byte(format(t, diag.Renderer.SARIF, several()...)), &log); err != nil {
		t.Fatal(err)
	}
	results := log.list(t, "runs", "run")[0].list(t, "results", "result")
	first := places(t, results[0], "locations")
	want := []object{{
		"uri": "a%20b.go", "uriBaseId": "%SRCROOT%", "startLine": 3., "startColumn": 11.,
		"endColumn": 12., "snippet": "// é 日 😀 x",
	}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	want = []object{
		{"uri": "file:///w/base/b.go", "startLine": 1., "startColumn": 2., "endColumn": 3.,
			"snippet": "one", "message": "base", "id": 0.},
		{"uri": "c.go", "uriBaseId": "%SRCROOT%", "startLine": 7., "message": "line", "id": 1.},
	}
	if diff := cmp.Diff(want, places(t, results[0], "relatedLocations")); diff != "" {
		t.Error(diff)
	}
	want = []object{{"uri": "fw_gen.go", "uriBaseId": "%SRCROOT%"}}
	if diff := cmp.Diff(want, places(t, results[1], "locations")); diff != "" {
		t.Error(diff)
	}
}

// places flattens locations.
func places(t *testing.T, result object, name string) (list []object) {
	t.Helper()
	for _, l := range result.list(t, name, "location") {
		flat := object{}
		physical := l.get(t, "physicalLocation", "physicalLocation")
		for key, value := range physical.get(t, "artifactLocation", "artifactLocation") {
			flat[key] = value
		}
		if physical["region"] != nil {
			region := physical.get(t, "region", "region")
			for key, value := range region {
				flat[key] = value
			}
			if region["snippet"] != nil {
				flat["snippet"] = region.get(t, "snippet", "message")["text"]
			}
		}
		if l["message"] != nil {
			flat["message"], flat["id"] = l.get(t, "message", "message")["text"], l["id"]
		}
		list = append(list, flat)
	}
	return list
}

// TestSARIFOfNoProblems is a log that says so: the list is there, and empty.
func TestSARIFOfNoProblems(t *testing.T) {
	t.Parallel()
	if got := format(t, diag.Renderer.SARIF); !strings.Contains(got, `"results": []`) {
		t.Errorf("got %s", got)
	}
}
