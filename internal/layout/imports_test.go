package layout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fwgen/fwgen"

// layers are the generator's packages from the top down. A package may import those of the
// layers below its own. One ending in /... stands for what is below it, too.
var layers = [][]string{
	{"cmd/fwgen"},
	{"internal/cli"},
	{"internal/vet"},
	{"internal/manual"},
	{"internal/output"},
	{"gen/..."},
	{"internal/resolve"},
	{"internal/load"},
	{"internal/parse"},
	{"internal/model"},
	{"internal/spec"},
	{"internal/diag"},
}

// serverLayers are the packages of the in-process server from the top down, below
// internal/memongo; the root, which is the server itself, is "". A package may import those of the
// layers below its own. The suite that compares it with a real one is beside them.
var serverLayers = [][]string{
	{""},
	{"changestream"},
	{"storage"},
	{"update"},
	{"pipeline"},
	{"match"},
	{"expr", "token", "wire"},
	{"value", "pcre"},
	{"decimal", "mongoerr"},
}

// What the two halves may import from outside, by module or package path prefix.
var (
	runtimeMayImport   = []string{"go.mongodb.org/mongo-driver/v2", "github.com/sethvargo/go-retry"}
	serverMayImport    = []string{"go.mongodb.org/mongo-driver/v2"}
	generatorMayImport = []string{
		"github.com/dave/jennifer",
		"golang.org/x/mod",
		"golang.org/x/sync",
		"golang.org/x/tools",
	}
)

// goPackage is what go list says of a package, without its tests.
type goPackage struct {
	ImportPath string
	Imports    []string
}

// own returns the path below the module, and whether the package is ours.
func own(path string) (string, bool) {
	return strings.CutPrefix(path, module+"/")
}

func TestGeneratorLayersImportDownwards(t *testing.T) {
	for _, pkg := range list(t, "./...") {
		from, _ := own(pkg.ImportPath)
		layer := layerOf(from)
		if layer < 0 {
			continue
		}
		for _, path := range pkg.Imports {
			if to, ours := own(path); ours && !mayImport(from, to) {
				t.Errorf("%s imports %s: only what is below it in %v may be", from, to, layers)
			}
		}
	}
}

// mayImport is the rule for packages of ours, from one that is in a layer.
func mayImport(from, to string) bool {
	below, same := layerOf(to) > layerOf(from), layerOf(to) == layerOf(from)
	return below || same && strings.HasSuffix(layers[layerOf(from)][0], "/...")
}

func layerOf(path string) int {
	return slices.IndexFunc(layers, func(layer []string) bool {
		return slices.ContainsFunc(layer, func(pattern string) bool {
			root, tree := strings.CutSuffix(pattern, "/...")
			return path == root || tree && strings.HasPrefix(path, root+"/")
		})
	})
}

// A package that nobody put into a layer would escape the rules.
func TestEveryPackageHasItsPlace(t *testing.T) {
	elsewhere := []string{"runtime", "scripts", "examples", "internal/layout", "internal/memongo",
		"cmd/fwctl"}
	for _, pkg := range list(t, "./...") {
		path, _ := own(pkg.ImportPath)
		placed := layerOf(path) >= 0 || slices.ContainsFunc(elsewhere, func(root string) bool {
			return path == root || strings.HasPrefix(path, root+"/")
		})
		if !placed {
			t.Errorf("%s is in no layer: add it to the table in this test", path)
		}
	}
}

// What a user can import below runtime/ brings the driver and go-retry, and nothing that
// belongs to the generator.
func TestRuntimeImportsTheDriverAndGoRetryOnly(t *testing.T) {
	for _, pkg := range closure(t, publicRuntime(t)...) {
		from, ours := own(pkg.ImportPath)
		if !ours {
			continue // the driver's own affairs
		}
		if !strings.HasPrefix(from+"/", "runtime/") {
			t.Errorf("the runtime depends on %s", from)
		}
		checkOutside(t, pkg, runtimeMayImport)
	}
}

// The generator knows the runtime by its import path alone, so that it can be installed by
// itself and an old one can be told from a new one.
func TestGeneratorDoesNotImportTheRuntime(t *testing.T) {
	var roots []string
	for _, pkg := range list(t, "./...") {
		if path, _ := own(pkg.ImportPath); layerOf(path) >= 0 {
			roots = append(roots, pkg.ImportPath)
		}
	}
	for _, pkg := range closure(t, roots...) {
		from, ours := own(pkg.ImportPath)
		if !ours {
			continue
		}
		if strings.HasPrefix(from+"/", "runtime/") {
			t.Errorf("the generator depends on %s", from)
		}
		checkOutside(t, pkg, generatorMayImport)
	}
}

// The in-process server stands on itself and the driver: what it promises can be read in one
// place, and users of fwtest inherit nothing more.
func TestServerLayersImportDownwards(t *testing.T) {
	const root, suite = "internal/memongo", "internal/memongo/conformance"
	for _, pkg := range list(t, "./"+root+"/...") {
		from, _ := own(pkg.ImportPath)
		if from == suite {
			continue // it uses the server as a client does
		}
		below := strings.TrimPrefix(strings.TrimPrefix(from, root), "/")
		layer := serverLayerOf(below)
		if layer < 0 {
			t.Errorf("%s is in no layer of the server: add it to the table in this test", from)
			continue
		}
		for _, path := range pkg.Imports {
			to, ours := own(path)
			if !ours {
				continue
			}
			name, inside := strings.CutPrefix(to, root+"/")
			if !inside || serverLayerOf(name) <= layer {
				t.Errorf("%s imports %s: only what is below it in %v may be", from, to, serverLayers)
			}
		}
		checkOutside(t, pkg, serverMayImport)
	}
}

func serverLayerOf(name string) int {
	return slices.IndexFunc(serverLayers, func(layer []string) bool {
		return slices.Contains(layer, name)
	})
}

// The in-process server is in a program only where that asks for it, by importing fwtest.
func TestServerIsWhereItIsAskedFor(t *testing.T) {
	const server = module + "/internal/memongo"
	for _, pkg := range closure(t, append(publicRuntime(t), module+"/cmd/...")...) {
		if pkg.ImportPath == server || strings.HasPrefix(pkg.ImportPath, server+"/") {
			t.Errorf("%s is in every program of a user", pkg.ImportPath)
		}
	}
	asks := []string{"runtime/fwtest", "runtime/internal/simulation"}
	for _, pkg := range list(t, "./...") {
		from, _ := own(pkg.ImportPath)
		if slices.Contains(pkg.Imports, server) && !slices.Contains(asks, from) {
			t.Errorf("%s imports the in-process server: use runtime/fwtest", from)
		}
	}
}

// publicRuntime returns the packages below runtime/ that another module can import. fwtest is
// for tests, and brings the in-process server.
func publicRuntime(t *testing.T) (paths []string) {
	t.Helper()
	for _, pkg := range list(t, "./runtime/...") {
		path, _ := own(pkg.ImportPath)
		internal := slices.Contains(strings.Split(path, "/"), "internal")
		if !internal && !strings.HasPrefix(path, "runtime/fwtest") {
			paths = append(paths, pkg.ImportPath)
		}
	}
	if !slices.Contains(paths, module+"/runtime") {
		t.Fatalf("package fw is not among %v", paths)
	}
	return paths
}

// checkOutside reports imports that are neither ours, nor the standard library's, nor listed.
func checkOutside(t *testing.T, pkg goPackage, allowed []string) {
	t.Helper()
	for _, path := range pkg.Imports {
		_, ours := own(path)
		first, _, _ := strings.Cut(path, "/")
		listed := slices.ContainsFunc(allowed, func(root string) bool {
			return path == root || strings.HasPrefix(path, root+"/")
		})
		if !ours && strings.Contains(first, ".") && !listed {
			t.Errorf("%s imports %s: allowed are %v", pkg.ImportPath, path, allowed)
		}
	}
}

// closure returns the packages and everything that they depend on.
func closure(t *testing.T, roots ...string) []goPackage {
	t.Helper()
	return list(t, append([]string{"-deps"}, roots...)...)
}

// list runs go list in the main module.
func list(t *testing.T, args ...string) (packages []goPackage) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...)
	cmd.Dir, cmd.Stderr = root(t), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var pkg goPackage
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list %v: %v", args, err)
		}
		packages = append(packages, pkg)
	}
}

// root is the repository's.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheRulesForbidWhatTheyShould(t *testing.T) {
	for _, test := range []struct {
		from, to string
		allowed  bool
	}{
		{"cmd/fwgen", "internal/cli", true},
		{"internal/cli", "internal/output", true},
		{"gen/templates", "internal/model", true},
		{"gen", "gen/templates", true},
		{"internal/resolve", "internal/parse", true},
		{"internal/model", "gen", false},
		{"internal/diag", "internal/spec", false},
		{"internal/spec", "internal/parse", false},
		{"internal/resolve", "runtime", false},
	} {
		if got := mayImport(test.from, test.to); got != test.allowed {
			t.Errorf("%s → %s: %v, want %v", test.from, test.to, got, test.allowed)
		}
	}
}
