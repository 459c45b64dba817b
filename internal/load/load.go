package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
)

// Runtime is the import path of the package that generated code uses. It is all the generator knows
// about it, together with the number of the generation ABI.
const Runtime = "github.com/fwgen/fwgen/runtime"

// Config says where and how to look for packages.
type Config struct {
	Dir  string   // the directory that patterns are relative to
	Env  []string // of the go command; nil for the process's own
	Tags string   // build tags, as for go build
}

// Program is the packages that a run is about.
type Program struct {
	Fset     *token.FileSet
	Packages []*Package // by import path

	config  Config
	sources map[string][]byte
	read    func(name string) ([]byte, error)
	// built are the files that are built, where somebody else has decided about it.
	built map[string]bool
}

// Package is one of them.
type Package struct {
	Path, Name, Dir string
	Variant         Variant
	// Problems are what is wrong with it and its tests. Nothing is written into a directory that
	// has any.
	Problems *diag.List
	// Excluded are handlers that only a run under other constraints can generate.
	Excluded *diag.List
	// Directives are what its files say, for the files that say anything, in order of their names.
	Directives []*Directives
	// Own are fwgen's files in its directory, Foreign others of such a name.
	Own, Foreign []string
	// Kept are those of Own that belong to files which this run leaves out.
	Kept []string

	// The rest is there for annotated packages after [Program.Types].

	Files []*ast.File // without fwgen's own, in order of their names
	Types *types.Package
	Info  *types.Info
	// TypeErrors are what does not type-check before generation, function bodies aside.
	TypeErrors []types.Error
	// Taken are all names in the package's scope, in whichever files: what an import of the
	// generated file cannot be called.
	Taken map[string]token.Position

	goFiles  []string
	module   string // the directory of its module
	version  string // of the language
	parsed   map[string]*ast.File
	syntax   map[string]*diag.List // of the parsed files
	importer types.Importer
}

// Directives are what one file says.
type Directives struct {
	*parse.File
	Source parse.Source
	// Output is the name of the generated file for the handlers of this one, and Build the
	// //go:build line that it has in common with it.
	Output, Build string
}

// Annotated tells whether anything in the package has directives, so that it needs types.
func (p *Package) Annotated() bool {
	for _, d := range p.Directives {
		if len(d.Types)+len(d.Methods) > 0 {
			return true
		}
	}
	return false
}

// Place is the position of a node of the package.
func (p *Program) Place(from, to token.Pos) diag.Pos {
	name := p.Fset.PositionFor(from, false).Filename
	return parse.Source{Fset: p.Fset, Text: p.sources[name]}.Place(from, to)
}

// Holds tells whether a file belongs to the package's module, so that its user can change it.
func (p *Package) Holds(file string) bool {
	return p.module != "" && strings.HasPrefix(file, p.module+string(filepath.Separator))
}

// Source returns the text of a file as this run has read it.
func (p *Program) Source(name string) ([]byte, bool) {
	text, ok := p.sources[name]
	return text, ok
}
