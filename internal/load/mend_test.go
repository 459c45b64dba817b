package load

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestUnfinishedBodiesLoseNothing puts a body that somebody is in the middle of writing before
// declarations which Go's parser would take for a part of it.
func TestUnfinishedBodiesLoseNothing(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"x := foo(", "x := foo(1,", "if x {", "x := ", "x.", "for i := range", "s := []int{1,",
		"switch x {\n\tcase", "return func() {", "x := \"abc", "a b c", "x := `abc", "/* abc",
		"if x == {\n\t\ty()\n\t}", "defer", "go func() {", "foo)", "x := map[string]int{\"a\": }",
		"\x00", "}}", "func (h *H)", "type T struct", "é€(",
	} {
		for _, signature := range []string{
			"func f()", "func (h *H) OnDelete(f func() struct{ X int }) interface{ M() }",
			"func f[T interface{ ~int }](\n\tx struct{},\n) (a, b int)",
		} {
			src := "package p\n\ntype H struct{}\n\n" + signature + " {\n\t" + body + "\n}\n\n" +
				"func (h *H) OnInsert() error { return nil }\n\ntype T struct{}\n\n" +
				signature + " {\n\t" + strings.ReplaceAll(body, "`", "x(") + "\n}\n\n// Doc.\nfunc (h *H) OnUpdate() error { return nil }\n"
			file, faults := parseFile(token.NewFileSet(), "p.go", []byte(src))
			if len(faults) > 0 {
				t.Errorf("%s: %v", src, faults)
			}
			if got := declared(file); got != "H,f,OnInsert,T,f,OnUpdate" {
				t.Errorf("%s: got %s", src, got)
			}
		}
	}
}

// TestWhatIsOutsideOfBodiesIsAFault, and so is what a body has swallowed.
func TestWhatIsOutsideOfBodiesIsAFault(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"package p\n\nfunc f( {\n\tx\n}\n", "package p\n\ntype T struct {\n\tX\n\tfunc\n}\n", "", "x",
		"package p\n\nfunc f() {\n\tx := (\n\nfunc g() {\n}\n", "package p\n\nfunc f() {\n\tx(\n",
		"package p\n\nfunc f() {\n\t//fw:retry\n\tx(\n}\n", "package p\n\nfunc f() { x( }\n",
		"package p\n\nfunc f() {\n\tx\n}\n\n)\n", "package p\nfunc", "package p\n\nfunc f() {\n\n}}\n",
	} {
		if file, faults := parseFile(token.NewFileSet(), "p.go", []byte(src)); len(faults) == 0 {
			t.Errorf("%q: no fault, %s", src, declared(file))
		}
	}
}

func declared(file *ast.File) string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if name == "OnDelete" {
				name = "f"
			}
			names = append(names, name)
		case *ast.GenDecl:
			names = append(names, d.Specs[0].(*ast.TypeSpec).Name.Name)
		}
	}
	return strings.Join(names, ",")
}
