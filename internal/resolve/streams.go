package resolve

import (
	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
)

// Stream is a stream's name and where it comes from.
type Stream struct {
	Name    string
	Pos     diag.Pos
	Package *load.Package
}

// Packages resolves all packages of a run that could be read, and compares their streams.
func Packages(prog *load.Program, packages []*load.Package) map[*load.Package]*model.Package {
	models := map[*load.Package]*model.Package{}
	var streams []Stream
	for _, pkg := range packages {
		if pkg.Types == nil || pkg.Problems.Has(diag.SyntaxError) {
			continue
		}
		m, s := Package(prog, pkg)
		models[pkg] = m
		if pkg.Variant == load.Main {
			streams = append(streams, s...)
		} else {
			Duplicates(s) // handlers of tests run in no program but theirs
		}
	}
	Duplicates(streams)
	return models
}

// Duplicates reports streams of the same name, at each of the places: they would share one lease
// and one position, and each would skip what the other has seen.
func Duplicates(streams []Stream) {
	byName := map[string][]Stream{}
	for _, s := range streams {
		byName[s.Name] = append(byName[s.Name], s)
	}
	for name, same := range byName {
		for i, s := range same {
			if len(same) < 2 {
				break
			}
			d := diag.New(diag.DuplicateStream, s.Pos, "%d streams are called %q", len(same), name).
				Hinted("give each a name of its own with name=")
			for j, other := range same {
				if j != i {
					d = d.With(other.Pos, "also here")
				}
			}
			s.Package.Problems.Add(d)
		}
	}
}
