//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// root is the checkout that the command is run in.
func root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

func build(fwgen string) error {
	out, err := exec.Command("go", "build", "-o", fwgen, "./cmd/fwgen").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build fwgen: %w\n%s", err, out)
	}
	return nil
}

// write makes the module: packages of a hundred lines that import each other, the standard library
// and the driver, evenly spread handlers among them.
func (s scenario) write(dir string) error {
	checkout, err := root()
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return err
	}
	files := map[string]string{
		"go.mod": strings.Replace(string(mod), "module github.com/fwgen/fwgen", "module example.com/large", 1) +
			"\nrequire github.com/fwgen/fwgen v0.0.0\nreplace github.com/fwgen/fwgen => " + checkout + "\n",
		"go.sum": string(sum),
	}
	for i := range s.packages {
		name := fmt.Sprintf("p%03d/p.go", i)
		files[name] = plain(i)
		if i%(s.packages/s.annotated) == 0 {
			files[fmt.Sprintf("p%03d/handler.go", i)] = handler(i)
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func plain(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package p%03d is one of many.\npackage p%03d\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\n", i, i)
	if i > 0 {
		fmt.Fprintf(&b, "\t\"example.com/large/p%03d\"\n", i/2)
	}
	b.WriteString("\t\"go.mongodb.org/mongo-driver/v2/bson\"\n)\n\n")
	b.WriteString("// Model is a document.\ntype Model struct {\n\tID bson.ObjectID `bson:\"_id\"`\n")
	if i > 0 {
		fmt.Fprintf(&b, "\tOther p%03d.Model `bson:\"other\"`\n", i/2)
	}
	b.WriteString("}\n")
	for f := range 12 {
		fmt.Fprintf(&b, "\n// F%d formats.\nfunc F%d(m Model, words ...string) string {\n"+
			"\tif len(words) == 0 {\n\t\treturn fmt.Sprint(m)\n\t}\n"+
			"\treturn strings.Join(words, \", \")\n}\n", f, f)
	}
	return b.String()
}

func handler(i int) string {
	return fmt.Sprintf(`package p%03d

import (
	"context"

	fw "github.com/fwgen/fwgen/runtime"
)

// Handler handles.
//
//fw:changestream collection=c%d mode=single_leader retry=5 dlq
//fw:retry initial=200ms max=10s
type Handler struct{}

func (h *Handler) OnInsert(ctx context.Context, m *Model) error                   { return nil }
func (h *Handler) OnUpdate(ctx context.Context, m *Model, ev *fw.Event[Model]) error { return nil }
func (h *Handler) OnDelete(ctx context.Context, ev *fw.Event[Model]) error          { return nil }
`, i, i)
}

// bareLoad is the least that a tool does which wants types from go/packages.
func bareLoad() error {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile,
	}, "./...")
	if err != nil {
		return err
	}
	if n := packages.PrintErrors(loaded); n > 0 {
		return fmt.Errorf("%d errors", n)
	}
	return nil
}
