// Package model is what fwgen has understood of a package: the handlers, their settings and which
// method does what. It is complete and free of contradictions; package gen turns it into files
// without asking anything further.
//
// Settings mirror the runtime's descriptors. Zero means not written, and nothing is emitted for it:
// the runtime's defaults hold, whatever they are by then.
package model

import (
	"cmp"
	"go/types"
	"slices"
	"time"
)

// Package is a package with handlers.
type Package struct {
	Path, Name string
	// Taken are the names in the package's scope.
	Taken map[string]bool
	// Files are what is generated, in order of their names.
	Files []*File
}

// File is a generated file: one for the package, and one more for each source file with handlers
// under a build constraint.
type File struct {
	Name string
	// Build is its //go:build line, or empty.
	Build string
	// Handlers, in order of their source files and of their places in them.
	Handlers []*Handler
}

// File finds or adds a file.
func (p *Package) File(name, build string) *File {
	i, found := slices.BinarySearchFunc(p.Files, name, func(f *File, name string) int {
		return cmp.Compare(f.Name, name)
	})
	if !found {
		p.Files = slices.Insert(p.Files, i, &File{Name: name, Build: build})
	}
	return p.Files[i]
}

// Handler is a struct with a change stream.
type Handler struct {
	// Type is its name.
	Type string
	// Pointer says that a method has a pointer receiver, so that only a *Type is a handler.
	Pointer bool
	Stream  Stream
	// Doc is the document type T of its events; Raw says that it is one of the driver's own
	// types, which methods take by value.
	Doc types.Type
	Raw bool

	Insert, Update, Replace, Delete, Change *Method

	Filter   *Filter
	Pipeline string    // the method's name, or none
	OnError  []OnError // the one that takes all errors last
}

// Form says what an operation's method takes beside the context.
type Form int

// The forms.
const (
	TakesDocument Form = iota // (ctx, *T)
	TakesEvent                // (ctx, *fw.Event[T])
	TakesBoth                 // (ctx, *T, *fw.Event[T])
)

// NeedsDocument tells whether a method of the form cannot be called without a document.
func (f Form) NeedsDocument() bool { return f != TakesEvent }

// Method handles an operation.
type Method struct {
	Name string
	Form Form
}

// Filter decides which events are handled.
type Filter struct {
	Name string
	// Plain is the form Filter(*fw.Event[T]) bool.
	Plain bool
}

// OnError decides about errors.
type OnError struct {
	Name  string
	Match []Match // none: all errors
}

// Match is an error value (Value) or all errors of a type (Type).
type Match struct {
	Value types.Object
	Type  types.Type
}

// Stream has the written settings.
type Stream struct {
	Name, Database string
	Collections    []string
	Mode           string
	FullDocument   string
	Window         int
	Timeout        time.Duration
	Exhausted      string
	Retry          Retry
	DLQ            DLQ
	Checkpoint     Checkpoint
	Lease          Lease
	Restart        Restart
	Disabled       bool
	ManualStart    bool
	Description    string
	Zone           string
}

// Retry has the settings of //fw:retry. A Jitter that was written as 0 is negative.
type Retry struct {
	Attempts           int
	Initial, Max       time.Duration
	Multiplier, Jitter float64
	On, Except         []Match
}

// DLQ has the settings of //fw:dlq. A Retention that was written as 0 is negative.
type DLQ struct {
	Enabled                 bool
	Collection              string
	Retention               time.Duration
	OmitDocument, OmitStack bool
}

// Checkpoint has the settings of //fw:checkpoint.
type Checkpoint struct {
	Every          int
	Interval, Idle time.Duration
	Start          string
}

// Lease has the settings of //fw:lease.
type Lease struct {
	TTL, Heartbeat, Poll time.Duration
	Priority, Yield      int
}

// Restart has the settings of //fw:restart. A Jitter that was written as 0 is negative.
type Restart struct {
	Attempts           int
	Initial, Max       time.Duration
	Multiplier, Jitter float64
}

// Handler finds the handler of a type, nil if it is none.
func (p *Package) Handler(name string) *Handler {
	for _, f := range p.Files {
		for _, h := range f.Handlers {
			if h.Type == name {
				return h
			}
		}
	}
	return nil
}
