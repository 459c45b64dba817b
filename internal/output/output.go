// Package output decides what has to happen to fwgen's files, and does it or says it.
//
// [Plan] compares what a package should have with what is there. Its result goes to one of two
// sinks: [Write] makes the changes, [Check] and [Diff] report them, so they can never disagree about
// what is up to date. Only files that fwgen wrote are ever replaced or removed.
package output

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fwgen/fwgen/internal/diag"
)

// File is a generated file.
type File struct {
	Path string // absolute
	Text []byte
}

// Package is where files belong.
type Package struct {
	Dir string
	// Own and Foreign are the files of fwgen's names that are there: fwgen's, and others.
	Own, Foreign []string
	// Files are what should be there.
	Files []File
}

// Action is what has to happen to a file.
type Action int

// The actions.
const (
	Create Action = iota
	Replace
	Remove
)

// Change is one file that is not as it should be, with its text before and after.
type Change struct {
	Action Action
	File
	Old []byte
}

// Foreign reports somebody else's file in the place of one of fwgen's.
func Foreign(f File, list *diag.List) {
	list.Add(diag.New(diag.Foreign, diag.Pos{File: f.Path, Line: 1, Col: 1},
		"%s was not written by fwgen, and is not touched", filepath.Base(f.Path)).
		Hinted("rename the file, or remove it"))
}

// Plan returns the changes that a package needs, in order of the files' names. A foreign file in
// the way is a problem, and then nothing is planned.
func Plan(p Package, list *diag.List) ([]Change, error) {
	var changes []Change
	for _, f := range p.Files {
		if slices.Contains(p.Foreign, f.Path) {
			Foreign(f, list)
			return nil, nil
		}
		old, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			changes = append(changes, Change{Create, f, nil})
		case err != nil:
			return nil, err
		case !bytes.Equal(old, f.Text):
			changes = append(changes, Change{Replace, f, old})
		}
	}
	for _, own := range p.Own {
		if !slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == own }) {
			old, err := os.ReadFile(own)
			if err != nil {
				return nil, err
			}
			changes = append(changes, Change{Remove, File{Path: own}, old})
		}
	}
	return changes, nil
}
