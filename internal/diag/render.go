package diag

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Sources returns the content of a file, as it was read by the run.
type Sources func(file string) ([]byte, error)

// Renderer prints problems for people.
type Renderer struct {
	// Dir is what file names are relative to: the directory the command runs in.
	Dir string
	// Sources are the excerpts' source; nil prints none.
	Sources Sources
}

// Render prints the problems in order of their positions.
func (r Renderer) Render(w io.Writer, list *List) error {
	var b strings.Builder
	for _, d := range list.Sorted() {
		r.diagnostic(&b, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Renderer) diagnostic(b *strings.Builder, d Diagnostic) {
	fmt.Fprintf(b, "%s: %s [%s]\n", r.position(d.Pos), d.Message, d.Code)
	r.excerpt(b, d.Pos, d.Hint)
	for _, note := range d.Notes {
		fmt.Fprintf(b, "      = %s\n", note)
	}
	for _, rel := range d.Related {
		fmt.Fprintf(b, "   %s: %s\n", r.position(rel.Pos), rel.Message)
	}
}

func (r Renderer) position(p Pos) string {
	name := r.Relative(p.File)
	switch {
	case p.Line == 0:
		return name
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Col)
}

// Relative shortens a file name to what a person in Dir would type, with forward slashes.
func (r Renderer) Relative(file string) string {
	if rel, err := filepath.Rel(r.Dir, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	return filepath.ToSlash(file)
}

// excerpt prints the source line with the range underlined and the hint beside it. Without a line
// to show, the hint stands alone.
func (r Renderer) excerpt(b *strings.Builder, p Pos, hint string) {
	line, ok := r.line(p)
	if !ok {
		if hint != "" {
			fmt.Fprintf(b, "      = %s\n", hint)
		}
		return
	}
	fmt.Fprintf(b, "%5d | %s\n", p.Line, line)
	before, marked := split(line, p)
	mark := strings.Repeat("^", max(1, utf8.RuneCountInString(marked)))
	fmt.Fprintf(b, "      | %s%s", padding(before), mark)
	if hint != "" {
		b.WriteString(" " + hint)
	}
	b.WriteString("\n")
}

func (r Renderer) line(p Pos) (string, bool) {
	if p.Line == 0 || r.Sources == nil {
		return "", false
	}
	src, err := r.Sources(p.File)
	if err != nil {
		return "", false
	}
	for range p.Line - 1 {
		_, rest, found := bytes.Cut(src, []byte("\n"))
		if !found {
			return "", false
		}
		src = rest
	}
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r"), true
}

// split cuts a line at the marked range; a range that does not fit is cut to the line's length.
func split(line string, p Pos) (before, marked string) {
	start := min(max(p.Col-1, 0), len(line))
	end := min(start+max(p.Len, 0), len(line))
	return line[:start], line[start:end]
}

// padding is as wide as text on a screen: a tab stays a tab, anything else is one column.
func padding(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' {
			return c
		}
		return ' '
	}, text)
}
