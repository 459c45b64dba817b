package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func countOf(t *testing.T, dir string) int {
	t.Helper()
	n, err := count(dir)
	if err != nil || n == 0 {
		t.Fatalf("%d lines in %s (%v)", n, dir, err)
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
		want := fmt.Sprintf("| [%s](%s) | %d |", name, link, countOf(t, name))
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
		countOf(t, "withfwgen"), countOf(t, "withdriver"))
	if text := strings.Join(strings.Fields(string(readme)), " "); !strings.Contains(text, want) {
		t.Errorf("the README does not say %q", want)
	}
}
