package layout_test

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/layout/published"
)

const (
	usersProgram = `package main

import (
	"fmt"

	fw "github.com/fwgen/fwgen/runtime"
)

func main() {
	_, err := fw.New(fw.Config{})
	fmt.Println(err)
}
`
	usersHandler = `package main

import (
	"context"

	fw "github.com/fwgen/fwgen/runtime"
)

//fw:changestream collection=orders
type Handler struct{}

type Order struct{}

func (*Handler) OnChange(context.Context, *fw.Event[Order]) error { return nil }

var _ fw.Handler = (*Handler)(nil)
`
	usersStream = `package main

import (
	"context"

	fw "github.com/fwgen/fwgen/runtime"
)

func stream(handle func(*Order)) fw.Stream {
	return fw.Stream{
		Collections: []string{"orders"},
		Handle: fw.Typed(fw.Handlers[Order]{
			Insert: func(_ context.Context, ev *fw.Event[Order]) error {
				handle(ev.Doc)
				return nil
			},
		}),
	}
}

type Order struct {
	ID int ` + "`bson:\"_id\"`" + `
}
`
	usersTest = `package main

import (
	"testing"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

func TestOrderIsHandled(t *testing.T) {
	var ids []int
	handle := func(o *Order) { ids = append(ids, o.ID) }
	if d := fwtest.Deliver(t, stream(handle), fwtest.Insert(Order{1})); d.Outcome != fwtest.Handled {
		t.Fatal(d.Outcome, d.Err)
	}
	client := fwtest.NewClient(t)
	app, err := fw.New(fw.Config{Client: client, Database: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Add(stream(handle)); err != nil {
		t.Fatal(err)
	}
	fwtest.Run(t, app)
	if _, err := client.Database("shop").Collection("orders").InsertOne(t.Context(), Order{2}); err != nil {
		t.Fatal(err)
	}
	fwtest.Await(t, func() bool { return fwtest.StreamStatus(t, app, "orders").Attempts == 1 })
	t.Log(ids)
}
`
)

// user is somebody's module, with this one as it would be published.
type user struct {
	*testing.T
	dir       string
	published published.Module
}

func newUser(t *testing.T) *user {
	t.Helper()
	m, err := published.Publish(root(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := &user{T: t, dir: t.TempDir(), published: m}
	u.write("main.go", usersProgram)
	u.run("mod", "init", "example.com/user")
	return u
}

func (u *user) write(name, text string) {
	u.Helper()
	if err := os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o600); err != nil {
		u.Fatal(err)
	}
}

// run runs the go command in the user's module and returns what it printed.
func (u *user) run(args ...string) string {
	u.Helper()
	return goRun(u.T, u.dir, u.published.Env, args...)
}

// required returns the modules in go.mod, sorted.
func (u *user) required() (paths []string) {
	u.Helper()
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(u.run("mod", "edit", "-json")), &mod); err != nil {
		u.Fatal(err)
	}
	for _, r := range mod.Require {
		paths = append(paths, r.Path)
	}
	slices.Sort(paths)
	return paths
}

// inherited is what the runtime brings: itself, go-retry, and the driver with its own modules.
func inherited(t *testing.T) []string {
	t.Helper()
	drivers := strings.Fields(goRun(t, root(t), nil, "list", "-deps", "-f",
		"{{with .Module}}{{.Path}}{{end}}", "go.mongodb.org/mongo-driver/v2/mongo"))
	all := append(drivers, module, "github.com/sethvargo/go-retry")
	slices.Sort(all)
	return slices.Compact(all)
}

// A program that imports the runtime alone gets what that needs into its go.mod and its binary:
// nothing that only the generator or our tests need.
func TestUserOfTheRuntimeInheritsLittle(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run("mod", "tidy")
	expectModules(t, "go.mod", u.required(), inherited(t))

	for _, path := range strings.Fields(u.run("list", "-deps", ".")) {
		inner, ours := own(path)
		if ours && !strings.HasPrefix(inner+"/", "runtime/") {
			t.Errorf("the user's binary contains %s", path)
		}
	}
	u.run("build", "-o", "program", ".")
	info, err := buildinfo.ReadFile(filepath.Join(u.dir, "program"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range info.Deps {
		if !slices.Contains(inherited(t), dep.Path) {
			t.Errorf("the user's binary contains module %s", dep.Path)
		}
	}
}

// Who tests with fwtest has no more in go.mod than who does not, and the server of the tests is not
// in the program.
func TestUserOfFwtestInheritsNothingMore(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write("stream.go", usersStream)
	u.write("stream_test.go", usersTest)
	u.run("mod", "tidy")
	expectModules(t, "go.mod", u.required(), inherited(t))
	if said := u.run("test", "-v", "."); !strings.Contains(said, "[1 2]") {
		t.Errorf("the user's test says\n%s", said)
	}

	const server = module + "/internal/memongo"
	if deps := u.run("list", "-deps", "-test", "."); !strings.Contains(deps, server) {
		t.Errorf("the user's test does not have %s: is this test still right?", server)
	}
	if deps := u.run("list", "-deps", "."); strings.Contains(deps, server) {
		t.Errorf("the user's program depends on %s", server)
	}
	u.run("build", "-o", "program", ".")
	symbols := u.run("tool", "nm", "program")
	if strings.Contains(symbols, server) || strings.Contains(symbols, module+"/runtime/fwtest") {
		t.Error("the user's program has the server of the tests in it")
	}
	if !strings.Contains(symbols, module+"/runtime.New") {
		t.Error("the user's program has no runtime: is this test still right?")
	}
}

// The tool line brings the generator's modules as indirect ones, those that the README names. The
// binary stays as it is.
func TestToolLineBringsTheGeneratorsModules(t *testing.T) {
	t.Parallel()
	generators := []string{"github.com/dave/jennifer", "golang.org/x/mod", "golang.org/x/tools"}
	u := newUser(t)
	u.run("mod", "tidy")
	u.run("build", "-o", "before", ".")
	u.run("get", "-tool", module+"/cmd/fwgen")
	u.run("mod", "tidy")
	want := append(inherited(t), generators...)
	slices.Sort(want)
	expectModules(t, "go.mod", u.required(), want)
	readme := read(t, "README.md")
	for _, path := range generators {
		if !strings.Contains(readme, "`"+path+"`") {
			t.Errorf("README.md does not name %s", path)
		}
	}
	u.write("handler.go", usersHandler)
	u.run("tool", "fwgen", "./...")
	u.run("vet", "./...")
	u.run("build", "-o", "after", ".")
	before, after := u.modulesOf("before"), u.modulesOf("after")
	expectModules(t, "binary", after, before)
}

// The way around the tool line: the generator is run by its version, and go.mod stays as it was.
func TestGeneratorRunByVersionLeavesGoModAlone(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write("handler.go", usersHandler)
	u.run("mod", "tidy")
	before := u.required()
	u.run("run", module+"/cmd/fwgen@"+u.published.Version, "./...")
	u.run("vet", "./...")
	u.run("mod", "tidy")
	expectModules(t, "go.mod", u.required(), before)
	expectModules(t, "go.mod", before, inherited(t))
}

// modulesOf returns the modules in a binary, sorted.
func (u *user) modulesOf(binary string) (paths []string) {
	u.Helper()
	info, err := buildinfo.ReadFile(filepath.Join(u.dir, binary))
	if err != nil {
		u.Fatal(err)
	}
	for _, dep := range info.Deps {
		paths = append(paths, dep.Path)
	}
	slices.Sort(paths)
	return paths
}

func expectModules(t *testing.T, where string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the user's %s has\n  %s\nwant\n  %s", where, strings.Join(got, "\n  "),
			strings.Join(want, "\n  "))
	}
}

func goRun(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return string(out)
}
