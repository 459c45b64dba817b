package gen

import (
	"cmp"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/fwgen/fwgen/gen/templates"
	"github.com/fwgen/fwgen/internal/model"
)

// runtime is the import path of package fw.
const runtime = "github.com/fwgen/fwgen/runtime"

// wanted is a package that the file imports, with the name it has by itself.
type wanted struct{ path, name string }

// chooseNames picks the names of imports and of the few local variables. A name is free if neither
// the package's scope nor an earlier choice has it: in Go, an import and a declaration of the
// package, in whichever file, cannot share a name, and a local variable would hide either.
func chooseNames(p *model.Package, file *model.File) *templates.Names {
	taken := map[string]bool{}
	for name := range p.Taken {
		taken[name] = true
	}
	free := func(candidates ...string) string {
		last := candidates[len(candidates)-1]
		for i := 2; ; i++ {
			for _, c := range candidates {
				if !taken[c] {
					taken[c] = true
					return c
				}
			}
			candidates = []string{last + strconv.Itoa(i)}
		}
	}
	names := &templates.Names{Package: p.Path, ByPath: map[string]string{}}
	for _, w := range imports(p, file) {
		i := templates.Import{Path: w.path}
		if w.path == runtime {
			i.Name, i.Alias = free("fw", "fwruntime"), true
			names.FW = i.Name
		} else {
			i.Name = free(w.name)
			i.Alias = i.Name != w.name || !tells(w.path, w.name)
		}
		names.ByPath[w.path] = i.Name
		names.Imports = append(names.Imports, i)
	}
	names.Receiver, names.Ctx, names.Event = free("h"), free("ctx"), free("ev")
	return names
}

// version is the last element of the path of a later major version.
var version = regexp.MustCompile(`^v[2-9][0-9]*$|^v1[0-9]+$`)

// tells whether a reader of the path would guess the name; if not, the import says it.
func tells(importPath, name string) bool {
	if version.MatchString(path.Base(importPath)) {
		importPath = path.Dir(importPath)
	}
	return path.Base(importPath) == name
}

// imports lists the packages that the file needs, the runtime first so that it gets its name, the
// others by path.
func imports(p *model.Package, file *model.File) []wanted {
	byPath := map[string]string{}
	add := func(pkg *types.Package) {
		if pkg != nil && pkg.Path() != p.Path && pkg.Path() != runtime {
			byPath[pkg.Path()] = pkg.Name()
		}
	}
	for _, h := range file.Handlers {
		if templates.UsesContext(h) {
			byPath["context"] = "context"
		}
		if templates.UsesTime(h) {
			byPath["time"] = "time"
		}
		eachPackage(h.Doc, add)
		for _, m := range matches(h) {
			if m.Value != nil {
				add(m.Value.Pkg())
			} else {
				eachPackage(m.Type, add)
			}
		}
	}
	list := []wanted{}
	for p, name := range byPath {
		list = append(list, wanted{p, name})
	}
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.path, b.path) })
	return append([]wanted{{runtime, "fw"}}, list...)
}

func matches(h *model.Handler) []model.Match {
	list := slices.Concat(h.Stream.Retry.On, h.Stream.Retry.Except)
	for _, e := range h.OnError {
		list = append(list, e.Match...)
	}
	return list
}

// eachPackage calls add for every package that a written type names.
func eachPackage(t types.Type, add func(*types.Package)) {
	types.TypeString(t, func(p *types.Package) string {
		add(p)
		return p.Name()
	})
}
