package layout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The README's commands and code, done by a user: a module with the two dependencies, the
// handler, go generate, and a program that adds the handler and compiles.
func TestHandlerOfTheReadmeIsGeneratedAndCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator and the driver")
	}
	code := codeBlocks(read(t, "README.md"), "go")
	if len(code) != 2 {
		t.Fatalf("README.md has %d blocks of Go, want the handler and its use", len(code))
	}
	dir := userModule(t)
	goRun(t, dir, "mod", "edit", "-tool", module+"/cmd/fwgen")
	if err := os.Mkdir(filepath.Join(dir, "orders"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "orders/orders.go", code[0])
	write(t, dir, "main.go", `package main

import (
	"context"
	"log/slog"

	"example.com/user/orders"
	fw "github.com/fwgen/fwgen/runtime"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func run(ctx context.Context, client *mongo.Client) error {
`+code[1]+`
}

func main() { _ = run(context.Background(), nil) }
`)
	goRun(t, dir, "mod", "tidy")
	goRun(t, dir, "generate", "./...")
	if _, err := os.Stat(filepath.Join(dir, "orders", "fw_gen.go")); err != nil {
		t.Fatalf("go generate wrote nothing: %v", err)
	}
	goRun(t, dir, "vet", "./...")
}

// userModule makes a module that requires this one as it is here.
func userModule(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "go.mod", "module example.com/user\n\ngo 1.26.0\n\nrequire "+module+
		" v0.0.0\n\nreplace "+module+" => "+root(t)+"\n")
	write(t, dir, "go.sum", read(t, "go.sum"))
	return dir
}

// codeBlocks returns the fenced blocks of one language, whole.
func codeBlocks(text, language string) (found []string) {
	for _, part := range strings.Split(text, "```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "```")
		found = append(found, code)
	}
	return found
}
