package resolve_test

import (
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/fwgen/fwgen/gen"
	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/resolve"
)

// fset has the positions of what the tests import and of what they read.
var fset = token.NewFileSet()

// imported are the packages that sources in these tests may import, and generated code needs.
var imported = sync.OnceValues(func() ([]*types.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps |
			packages.NeedExportFile,
		Fset: fset,
	}, load.Runtime, "context", "errors", "io", "time", "unsafe",
		"go.mongodb.org/mongo-driver/v2/bson", "go.mongodb.org/mongo-driver/v2/mongo")
	var list []*types.Package
	for _, pkg := range loaded {
		list = append(list, pkg.Types)
	}
	return list, err
})

// outcome is what the generator makes of some files of one package.
type outcome struct {
	problems []diag.Diagnostic
	files    map[string]string
}

// understand takes the files of a package all the way to generated ones, which are type-checked. It
// neither runs the go command nor reads or writes any file.
func understand(t testing.TB, dir string, sources map[string]string) outcome {
	t.Helper()
	return understandInOrder(t, dir, sources, slices.Sorted(maps.Keys(sources)))
}

func understandInOrder(t testing.TB, dir string, sources map[string]string, order []string) outcome {
	t.Helper()
	imports, err := imported()
	if err != nil {
		t.Fatal(err)
	}
	u := load.Unit{
		Path: "example.com/shop/orders", Name: "orders", Dir: dir, Imports: imports,
		Version: "go1.26", Fset: fset,
		Read: func(name string) ([]byte, error) {
			text, ok := sources[filepath.Base(name)]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		},
	}
	for _, name := range order {
		u.Files = append(u.Files, filepath.Join(dir, name))
	}
	prog, err := load.FromUnit(u)
	if err != nil {
		t.Fatal(err)
	}
	out := outcome{files: map[string]string{}}
	models := resolve.Packages(prog, prog.Packages)
	for _, pkg := range prog.Packages {
		m := models[pkg]
		if m == nil || pkg.Problems.Len() > 0 {
			continue
		}
		for _, f := range m.Files {
			text, err := gen.File(m, f)
			if err != nil {
				t.Fatal(err)
			}
			out.files[f.Name] = string(text)
			for _, fault := range prog.Verify(pkg, pkg.OutputPath(f.Name), text) {
				t.Errorf("the generated file does not compile: %v\n%s\n%v", fault, text, sources)
			}
		}
	}
	out.problems = prog.Packages[0].Problems.Sorted()
	return out
}

// first is the first problem, or none.
func (o outcome) first() diag.Diagnostic {
	if len(o.problems) == 0 {
		return diag.Diagnostic{}
	}
	return o.problems[0]
}
