package model_test

import (
	"testing"

	"github.com/fwgen/fwgen/internal/model"
)

func TestFilesAreFoundAndSorted(t *testing.T) {
	t.Parallel()
	var p model.Package
	b := p.File("b.go", "")
	a := p.File("a.go", "//go:build a")
	if p.File("b.go", "") != b || p.File("a.go", "//go:build a") != a {
		t.Error("a file is added twice")
	}
	if len(p.Files) != 2 || p.Files[0] != a || p.Files[1] != b || a.Build != "//go:build a" {
		t.Errorf("got %v", p.Files)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for form, want := range map[model.Form]bool{
		model.TakesDocument: true, model.TakesBoth: true, model.TakesEvent: false,
	} {
		if form.NeedsDocument() != want {
			t.Errorf("form %v: got %v", form, !want)
		}
	}
}
