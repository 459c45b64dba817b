package layout_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const usersProgram = `package main

import (
	"fmt"

	fw "github.com/fwgen/fwgen/runtime"
)

func main() {
	_, err := fw.New(fw.Config{})
	fmt.Println(err)
}
`

// A program that imports the runtime alone gets this module, the driver with the driver's own
// modules, and go-retry into its go.mod: nothing that only the generator or our tests need.
func TestUserOfTheRuntimeInheritsLittle(t *testing.T) {
	dir := userModule(t)
	write(t, dir, "main.go", usersProgram)
	goRun(t, dir, "mod", "tidy")

	drivers := strings.Fields(goRun(t, root(t), "list", "-deps", "-f",
		"{{with .Module}}{{.Path}}{{end}}", "go.mongodb.org/mongo-driver/v2/mongo"))
	allowed := append(drivers, module, "github.com/sethvargo/go-retry")
	var users struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(goRun(t, dir, "mod", "edit", "-json")), &users); err != nil {
		t.Fatal(err)
	}
	for _, required := range users.Require {
		if !slices.Contains(allowed, required.Path) {
			t.Errorf("the user's go.mod requires %s", required.Path)
		}
	}
	for _, path := range strings.Fields(goRun(t, dir, "list", "-deps", ".")) {
		inner, ours := own(path)
		if ours && !strings.HasPrefix(inner+"/", "runtime/") {
			t.Errorf("the user's binary contains %s", path)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return string(out)
}
