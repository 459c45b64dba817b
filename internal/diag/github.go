package diag

import (
	"fmt"
	"io"
	"strings"
)

// GitHub prints the problems as commands of GitHub's workflows, which shows them beside the code.
// File names are relative to Dir, which has to be the root of the checked-out repository.
func (r Renderer) GitHub(w io.Writer, list *List) error {
	var b strings.Builder
	for _, d := range list.Sorted() {
		fmt.Fprintf(&b, "::error file=%s", property(r.Relative(d.Pos.File)))
		if d.Pos.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", d.Pos.Line)
		}
		if start, end := r.characters(d.Pos); start > 0 {
			fmt.Fprintf(&b, ",col=%d,endColumn=%d", start, end)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property("fwgen "+d.Code.String()), data(r.plain(d)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain is all that a problem says, without the excerpt.
func (r Renderer) plain(d Diagnostic) string {
	lines := []string{clean(d.Message)}
	if d.Hint != "" {
		lines = append(lines, clean(d.Hint))
	}
	for _, note := range d.Notes {
		lines = append(lines, clean(note))
	}
	for _, rel := range d.Related {
		lines = append(lines, r.Position(rel.Pos)+": "+clean(rel.Message))
	}
	return strings.Join(lines, "\n")
}

// characters are the columns of a range in UTF-16 code units, which is what editors and web pages
// count, and 0 where there are none.
func (r Renderer) characters(p Pos) (start, end int) {
	if p.Col == 0 {
		return 0, 0
	}
	line, ok := r.line(p)
	if !ok {
		return p.Col, p.Col + max(p.Len, 1)
	}
	before, marked, _ := split(line, p)
	start = 1 + units(before)
	return start, start + max(units(marked), 1)
}

func units(text string) int {
	n := 0
	for _, c := range text {
		n++
		if c > 0xffff {
			n++
		}
	}
	return n
}

// data and property escape what would end a value, as the toolkit of GitHub's actions does.

func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
