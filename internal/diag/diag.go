package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is a place in a file: Len bytes from Line and Col on, both counted from 1. A Line of 0 means
// the file as a whole; a Col of 0 the line as a whole, for declarations of other packages, of which
// the compiler's export data has no more.
type Pos struct {
	File           string // absolute
	Line, Col, Len int
}

// IsValid reports whether p names a file at all.
func (p Pos) IsValid() bool { return p.File != "" }

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File),
		cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.Col, q.Col),
	)
}

// Related is a second place that a problem refers to.
type Related struct {
	Pos     Pos
	Message string
}

// Diagnostic is one problem.
type Diagnostic struct {
	Code    Code
	Pos     Pos
	Message string
	// Hint says what to write instead. It stands beside the underlined source.
	Hint string
	// Fix is what has to stand in the place of Pos, where nobody needs to think about it.
	Fix string
	// Notes follow the source, one a line: what is valid, what to run.
	Notes   []string
	Related []Related
}

// With returns d with a related place added, if there is a place: what the standard library
// declares has none that a user could open.
func (d Diagnostic) With(pos Pos, format string, args ...any) Diagnostic {
	if !pos.IsValid() {
		return d
	}
	d.Related = append(slices.Clip(d.Related), Related{pos, fmt.Sprintf(format, args...)})
	return d
}

// Hinted returns d with a hint.
func (d Diagnostic) Hinted(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// Noted returns d with a note added.
func (d Diagnostic) Noted(format string, args ...any) Diagnostic {
	d.Notes = append(slices.Clip(d.Notes), fmt.Sprintf(format, args...))
	return d
}

// New makes a diagnostic.
func New(code Code, pos Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// List collects the problems of a run. Its zero value is empty and ready.
type List struct {
	items []Diagnostic
}

// Add adds a problem.
func (l *List) Add(d Diagnostic) { l.items = append(l.items, d) }

// Addf adds a problem that needs no more than a message.
func (l *List) Addf(code Code, pos Pos, format string, args ...any) {
	l.Add(New(code, pos, format, args...))
}

// Append adds the problems of another list.
func (l *List) Append(m *List) { l.items = append(l.items, m.items...) }

// Len is the number of problems.
func (l *List) Len() int { return len(l.items) }

// Has tells whether there is a problem of the code.
func (l *List) Has(code Code) bool {
	return slices.ContainsFunc(l.items, func(d Diagnostic) bool { return d.Code == code })
}

// Sorted returns the problems in the order of their positions, each once: a declaration that two
// stages find fault with in the same words is reported once.
func (l *List) Sorted() []Diagnostic {
	sorted := slices.Clone(l.items)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}
