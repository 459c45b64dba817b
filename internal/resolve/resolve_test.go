package resolve

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

// candidateOf makes a method of the given name, of this package or promoted from another.
func candidateOf(name string, promoted bool) *candidate {
	c := &candidate{fn: types.NewFunc(token.NoPos, nil, name, nil)}
	if !promoted {
		c.decl = &ast.FuncDecl{}
	}
	return c
}

func TestWhichNamesLookLikeHandlerMethods(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		promoted bool
		near     string
		ok       bool
	}{
		{"OnUpdated", false, "OnUpdate", true},
		{"OnUpdated", true, "OnUpdate", true},
		{"ONINSERT", false, "OnInsert", true},
		{"OnCreate", false, "OnInsert", true},
		{"OnCreate", true, "", false},
		{"OnShutdown", false, "", true},
		{"OnShutdown", true, "", false},
		{"onInsert", false, "OnInsert", true},
		{"onShutdown", false, "", false},
		{"Onboard", false, "", false},
		{"On", false, "", false},
		{"Update", false, "", false},
		{"Filters", false, "Filter", true},
		{"filter", false, "", false},
		{"Pipelin", false, "Pipeline", true},
		{"Close", false, "", false},
		{"Ünder", false, "", false},
	} {
		c := candidateOf(tt.name, tt.promoted)
		near, ok := (&handler{}).looksLike(c, []*candidate{c})
		if near != tt.near || ok != tt.ok {
			t.Errorf("%s, promoted %v: got %q, %v", tt.name, tt.promoted, near, ok)
		}
	}
	helper, method := candidateOf("onInsert", false), candidateOf("OnInsert", false)
	if _, ok := (&handler{}).looksLike(helper, []*candidate{helper, method}); ok {
		t.Error("a helper beside the handler method of its name is taken for one")
	}
}

func TestReceiver(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p
func (H) A()
func (*H) A()
func (h (*H)) A()
func (H[T]) A()
func (*H[K, V]) A()`, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, decl := range file.Decls {
		if got := receiver(decl.(*ast.FuncDecl)); got != "H" {
			t.Errorf("declaration %d: got %q", i, got)
		}
	}
	if got := receiver(&ast.FuncDecl{}); got != "" {
		t.Errorf("a function has the receiver %q", got)
	}
}

func TestAccessible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, name, from string
		want             bool
	}{
		{"x/models", "Order", "y/orders", true},
		{"x/models", "order", "y/orders", false},
		{"x/internal/models", "Order", "x/orders", true},
		{"x/internal/models", "Order", "x", true},
		{"x/internal/models", "Order", "xy", false},
		{"x/a/internal", "Order", "x/a/b", true},
		{"x/a/internal", "Order", "x/b", false},
		{"internal/models", "Order", "x", false},
		{"x/a/internal/b/internal/c", "Order", "x/a/d", false},
	} {
		obj := types.NewTypeName(token.NoPos, types.NewPackage(tt.path, "p"), tt.name, nil)
		if got := accessible(obj, tt.from); got != tt.want {
			t.Errorf("%s.%s from %s: got %v", tt.path, tt.name, tt.from, got)
		}
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	a, b := &load.Package{Problems: &diag.List{}}, &load.Package{Problems: &diag.List{}}
	place := func(line int) diag.Pos { return diag.Pos{File: "/p.go", Line: line} }
	Duplicates([]Stream{
		{"x", place(1), a}, {"y", place(2), a}, {"x", place(3), b}, {"z", place(4), b},
	})
	for _, p := range []*load.Package{a, b} {
		sorted := p.Problems.Sorted()
		if len(sorted) != 1 || sorted[0].Code != diag.DuplicateStream ||
			len(sorted[0].Related) != 1 {
			t.Errorf("got %v", sorted)
		}
	}
}

// TestRolesHaveNames: messages and //fw:on are made from the names of the roles.
func TestRolesHaveNames(t *testing.T) {
	t.Parallel()
	words := []string{
		"insert", "update", "replace", "delete", "change", "error", "filter", "pipeline",
	}
	for i, name := range roleNames {
		r, ok := nameRole(name)
		if !ok || r != role(i) || r.word() != words[i] || r.operation() != (i < 5) {
			t.Errorf("%s: got %v, %q", name, r, r.word())
		}
	}
	if _, ok := nameRole("OnInserted"); ok {
		t.Error("OnInserted has a role")
	}
}
