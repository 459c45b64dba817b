package diag

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Sources returns the content of a file, as it was read by the run.
type Sources func(file string) ([]byte, error)

// Renderer prints problems, for people or for machines.
type Renderer struct {
	// Dir is what file names are relative to: the directory the command runs in.
	Dir string
	// Sources are the excerpts' source; nil prints none.
	Sources Sources
	// Color paints what is printed for people.
	Color bool
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

// diagnostic prints one problem. Only its first line stands at the margin, so that an editor takes
// it for one problem, however many lines the message has.
func (r Renderer) diagnostic(b *strings.Builder, d Diagnostic) {
	message, more, _ := strings.Cut(clean(d.Message), "\n")
	fmt.Fprintf(b, "%s: %s %s\n", r.paint(bold, r.Position(d.Pos)), message,
		r.paint(faint, "["+d.Code.String()+"]"))
	for line := range strings.Lines(more) {
		fmt.Fprintf(b, "      %s\n", strings.TrimRight(line, "\r\n"))
	}
	r.excerpt(b, d.Pos, d.Hint)
	for _, note := range d.Notes {
		r.note(b, note)
	}
	for _, rel := range d.Related {
		fmt.Fprintf(b, "   %s: %s\n", r.Position(rel.Pos), clean(rel.Message))
	}
}

func (r Renderer) note(b *strings.Builder, text string) {
	for i, line := range strings.Split(clean(text), "\n") {
		mark := r.paint(blue, "=")
		if i > 0 {
			mark = " "
		}
		fmt.Fprintf(b, "      %s %s\n", mark, line)
	}
}

// Position is a place as it is printed: file, line and column, as far as they are known.
func (r Renderer) Position(p Pos) string {
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

// line returns the text of the line that a position is in.
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
func split(line string, p Pos) (before, marked, after string) {
	start := min(max(p.Col-1, 0), len(line))
	end := min(start+max(p.Len, 0), len(line))
	return line[:start], line[start:end], line[end:]
}
