package load

import (
	"go/parser"
	"go/token"
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
