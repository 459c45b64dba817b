// Package lines compares what a user writes with fwgen and without: two programs that do the same,
// counted. They are run against a real server in runtime/internal/integration.
package lines

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go/scanner"
	"go/token"
)

// count is the number of lines with code on them, without generated files.
func count(t *testing.T, dir string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			continue
		}
		var s scanner.Scanner
		file := token.NewFileSet().AddFile(name, -1, len(text))
		s.Init(file, text, nil, scanner.ScanComments)
		lines := map[int]bool{}
		for {
			pos, tok, literal := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok != token.COMMENT || strings.HasPrefix(literal, "//fw:") ||
				strings.HasPrefix(literal, "//go:") {
				lines[file.Line(pos)] = true
			}
		}
		n += len(lines)
	}
	return n
}

// TestThePageHasTheFigures keeps docs/lines.md true.
func TestThePageHasTheFigures(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/lines.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]string{
		"withfwgen": "../examples/lines/withfwgen/main.go", "withdriver": "../examples/lines/withdriver/main.go",
	} {
		want := fmt.Sprintf("| [%s](%s) | %d |", name, link, count(t, name))
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/lines.md has no row that begins with %s", want)
		}
	}
}

// TestTheReadmeHasTheFigures keeps the README's sentence true.
func TestTheReadmeHasTheFigures(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d lines of code with fwgen and %d with the plain driver",
		count(t, "withfwgen"), count(t, "withdriver"))
	if text := strings.Join(strings.Fields(string(readme)), " "); !strings.Contains(text, want) {
		t.Errorf("the README does not say %q", want)
	}
}
