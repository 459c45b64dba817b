package load

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

func TestConstraint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, above, want string }{
		{"orders.go", "", ""},
		{"orders_linux.go", "", "_linux"},
		{"orders_linux_arm64.go", "", "_linux_arm64"},
		{"orders_linux_test.go", "", "_linux"},
		{"a_b_amd64.go", "", "_amd64"},
		{"linux.go", "", ""},
		{"orders_linuxes.go", "", ""},
		{"linux_orders.go", "", ""},
		{"orders.go", "//go:build  a&&( b )\n\n", "//go:build a && b"},
		{"orders_linux.go", "// Copyright.\n\n//go:build cgo\n\n", "//go:build cgo _linux"},
		{"orders.go", "// +build old\n\n", ""},
		{"orders.go", "// go:build prose\n\n", ""},
		{"orders.go", "//go:build &&\n\n", ""},
	} {
		mode := parser.ParseComments
		text := tt.above + "package p\n\n//go:build below\n"
		file, err := parser.ParseFile(token.NewFileSet(), tt.name, text, mode)
		if err != nil {
			t.Fatal(err)
		}
		if got := Constraint(file, "/dir_windows/"+tt.name); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.name, tt.above, got, tt.want)
		}
	}
}

func TestTagsOfTestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a_test.go")
	text := "//go:build integration && windows\n\npackage p\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tags string
		env  []string
		want bool
	}{
		{"", []string{"GOOS=windows"}, false},
		{"integration", []string{"GOOS=windows"}, true},
		{"integration", []string{"GOOS=linux"}, false},
		{"other,integration", []string{"GOOS=windows"}, true},
		{"", []string{"GOOS=windows", "GOFLAGS=-mod=mod --tags=integration"}, true},
		{"other", []string{"GOOS=windows", "GOFLAGS=-tags=integration"}, false},
	} {
		p := &Program{config: Config{Tags: tt.tags, Env: tt.env}}
		if got := p.matches(name); got != tt.want {
			t.Errorf("tags %q, %v: got %v", tt.tags, tt.env, got)
		}
	}
}
