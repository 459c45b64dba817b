package gen_test

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/gen"
	"github.com/fwgen/fwgen/internal/model"
)

// document declares a struct type in a package.
func document(path, name, typ string) types.Type {
	pkg := types.NewPackage(path, name)
	obj := types.NewTypeName(token.NoPos, pkg, typ, nil)
	return types.NewNamed(obj, types.NewStruct(nil, nil), nil)
}

// sample has many packages of few names, so that any walk over a map would show.
func sample(taken ...string) *model.Package {
	p := &model.Package{Path: "x/p", Name: "p", Taken: map[string]bool{}}
	for _, name := range taken {
		p.Taken[name] = true
	}
	for _, c := range "abcdefgh" {
		name := string(c)
		file := p.File("fw_gen.go", "")
		file.Handlers = append(file.Handlers, &model.Handler{
			Type: "H" + name, Doc: document("x/"+name+"/models", "models", "Doc"),
			Stream: model.Stream{Name: name, Collections: []string{name}},
			Insert: &model.Method{Name: "OnInsert"},
		})
	}
	return p
}

func render(t *testing.T, p *model.Package) string {
	t.Helper()
	text, err := gen.File(p, p.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheBytesDependOnTheModelAlone(t *testing.T) {
	t.Parallel()
	first := render(t, sample("fw", "h"))
	for range 20 {
		if again := render(t, sample("fw", "h")); again != first {
			t.Fatalf("got\n%s\nand\n%s", first, again)
		}
	}
}

func TestNamesAreFree(t *testing.T) {
	t.Parallel()
	text := render(t, sample("fw", "fwruntime", "context", "models", "models3", "h", "ctx", "ev"))
	for _, want := range []string{
		`fwruntime2 "github.com/fwgen/fwgen/runtime"`, `context2 "context"`,
		`models2 "x/a/models"`, `models4 "x/b/models"`, "func (h2 Ha) FWStream()",
		"func(ctx2 context2.Context, ev2 *fwruntime2.Event[models2.Doc]) error {",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestNothingIsWrittenThatWasNotSet(t *testing.T) {
	t.Parallel()
	p := sample()
	p.Files[0].Handlers = p.Files[0].Handlers[:1]
	text := render(t, p)
	for _, field := range []string{
		"Mode", "Database", "FullDocument", "Window", "Timeout", "Exhausted", "Retry", "DLQ",
		"Checkpoint", "Lease", "Restart", "Disabled", "ManualStart", "Description", "Zone",
		"Pipeline", "Filter", "OnError", "Update", "Delete", `"time"`,
	} {
		if strings.Contains(text, field) {
			t.Errorf("%s is in\n%s", field, text)
		}
	}
}

func TestAModelThatCannotBeFormattedIsAnError(t *testing.T) {
	t.Parallel()
	p := sample()
	p.Files[0].Handlers[0].Type = "not a name"
	if _, err := gen.File(p, p.Files[0]); err == nil {
		t.Error("no error")
	}
}

func TestAnImportSaysItsNameWhereThePathDoesNot(t *testing.T) {
	t.Parallel()
	p := sample()
	file := p.Files[0]
	file.Handlers = nil
	for path, name := range map[string]string{
		"x/go-orders": "orders", "x/invoices/v2": "invoices", "x/yaml.v3": "yaml", "x/v2": "x",
		"x/plain": "plain",
	} {
		file.Handlers = append(file.Handlers, &model.Handler{
			Type: "H", Doc: document(path, name, "Doc"), Change: &model.Method{Name: "M"},
		})
	}
	text := render(t, p)
	for _, want := range []string{
		"\torders \"x/go-orders\"\n", "\t\"x/invoices/v2\"\n", "\tyaml \"x/yaml.v3\"\n",
		"\t\"x/plain\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
