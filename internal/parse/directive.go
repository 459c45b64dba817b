package parse

import (
	"go/ast"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// File is what the directives of one file say.
type File struct {
	Types   []*Type
	Methods []*Method
	// Meant are the names of types with a comment that was meant to be their //fw:changestream,
	// and was reported. What depends on it is not reported as well.
	Meant map[string]bool
	// Count is the number of comments that are directives, or nearly so, wherever they stand.
	Count int
}

// Type is a type declaration with directives.
type Type struct {
	Spec       *ast.TypeSpec
	Directives []*Directive
	Pos        diag.Pos // of its name
}

// Method is a method declaration with directives.
type Method struct {
	Func       *ast.FuncDecl
	Directives []*Directive
}

// Directive is one that was read, with the arguments that are right. Broken says that others were
// not, so that what is missing may only seem to be.
type Directive struct {
	Verb   *spec.Verb
	Pos    diag.Pos
	Args   []*Arg
	Broken bool
}

// Arg is a key with its values, or the values of a method's verb.
type Arg struct {
	Option *spec.Option
	Key    diag.Pos // the directive's verb, for the values of a method's verb
	Values []Value  // none for a bare key
}

// Value is one checked value.
type Value struct {
	Text   string
	Parsed any // what [spec.Option.Parse] made of it
	Pos    diag.Pos
}

// Arg finds a key.
func (d *Directive) Arg(name string) *Arg {
	for _, a := range d.Args {
		if a.Option.Name == name {
			return a
		}
	}
	return nil
}

// Find finds the directive of a verb.
func Find(directives []*Directive, verb string) *Directive {
	for _, d := range directives {
		if d.Verb.Name == verb {
			return d
		}
	}
	return nil
}
