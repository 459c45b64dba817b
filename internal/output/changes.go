package output

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Difference is one way in which a generated file differs from what it should be.
type Difference struct {
	// Type is the handler, and Method the method of it that the difference is about, or empty.
	Type, Method string
	Text         string
}

// Differences says in which ways two generated files differ, as far as that has a meaning for
// their user. It is empty if one of them is not a file that fwgen could have written.
func Differences(old, new []byte) []Difference {
	before, after := described(old), described(new)
	if before == nil || after == nil {
		return nil
	}
	var list []Difference
	for _, h := range after {
		was := find(before, h.name)
		if was == nil {
			list = append(list, Difference{Type: h.name, Text: h.name + " is new"})
			continue
		}
		list = append(list, methods(was, h)...)
		list = append(list, fields(was, h)...)
	}
	for _, h := range before {
		if find(after, h.name) == nil {
			list = append(list, Difference{Type: h.name, Text: h.name + " is no handler any more"})
		}
	}
	return list
}

// described is what a generated file says of each handler, nil if it is no such file.
func described(text []byte) []*description {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	list := []*description{}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != "FWStream" || f.Recv == nil || f.Body == nil {
			continue
		}
		d := &description{source: text, fset: fset}
		if d.read(f); d.name != "" {
			list = append(list, d)
		}
	}
	return list
}

func find(list []*description, name string) *description {
	for _, d := range list {
		if d.name == name {
			return d
		}
	}
	return nil
}

// methods says which methods came, went and changed.
func methods(was, is *description) []Difference {
	var list []Difference
	add := func(method, format string, args ...any) {
		list = append(list, Difference{is.name, method, is.name + fmt.Sprintf(format, args...)})
	}
	if was.doc != is.doc {
		add("", " handles %s, not %s any more", is.doc, was.doc)
	}
	for _, m := range is.methods {
		i := slices.IndexFunc(was.methods, func(o entry) bool { return o.key == m.key })
		switch {
		case i < 0:
			add(m.method, " gained %s", m.method)
		case was.methods[i].method != m.method:
			add(m.method, ": %s goes to %s, not %s any more", strings.ToLower(m.key), m.method,
				was.methods[i].method)
		case was.methods[i].text != m.text && was.doc == is.doc:
			add(m.method, ".%s is called in another way", m.method)
		}
	}
	for _, m := range was.methods {
		if !slices.ContainsFunc(is.methods, func(o entry) bool { return o.key == m.key }) {
			add("", " lost %s", m.method)
		}
	}
	return list
}

// fields says which settings changed.
func fields(was, is *description) []Difference {
	var list []Difference
	add := func(format string, args ...any) {
		list = append(list, Difference{Type: is.name, Text: is.name + fmt.Sprintf(format, args...)})
	}
	for _, f := range is.fields {
		i := slices.IndexFunc(was.fields, func(o entry) bool { return o.key == f.key })
		switch {
		case i < 0:
			add(": %s is %s, and was not set", f.key, f.text)
		case was.fields[i].text != f.text:
			add(": %s is %s, and was %s", f.key, f.text, was.fields[i].text)
		}
	}
	for _, f := range was.fields {
		if !slices.ContainsFunc(is.fields, func(o entry) bool { return o.key == f.key }) {
			add(": %s is not set any more, and was %s", f.key, f.text)
		}
	}
	return list
}
