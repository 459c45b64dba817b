package output

import (
	"bytes"
	"fmt"
	"slices"
)

// around is how many equal lines are shown beside changed ones.
const around = 3

// maxEdits bounds the search for a shortest difference. Texts that are further apart have little in
// common worth showing.
const maxEdits = 1000

// edit is a line of a difference: of both texts (' '), of the old one only ('-') or of the new ('+').
type edit struct {
	op   byte
	line []byte
}

// Unified is the difference between two texts in the unified format, nil if there is none. A name
// may be /dev/null, for a text that does not exist.
func Unified(oldName string, old []byte, newName string, new []byte) []byte {
	if bytes.Equal(old, new) {
		return nil
	}
	edits := compare(lines(old), lines(new))
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	oldLine, newLine, done := 0, 0, 0
	for _, h := range hunks(edits) {
		for _, e := range edits[done:h.start] {
			oldLine, newLine = step(e, oldLine, newLine)
		}
		writeHunk(&b, edits[h.start:h.end], oldLine, newLine)
		done = h.start
	}
	return b.Bytes()
}

// Diff shows a change as patch would take it, with the file under the name that a user knows.
func Diff(c Change, name string) []byte {
	old, new := "a/"+name, "b/"+name
	switch c.Action {
	case Create:
		old = "/dev/null"
	case Remove:
		new = "/dev/null"
	}
	return Unified(old, c.Old, new, c.Text)
}

// lines splits a text behind its newlines.
func lines(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

// step counts the lines of both texts that an edit consumes.
func step(e edit, oldLine, newLine int) (int, int) {
	if e.op != '+' {
		oldLine++
	}
	if e.op != '-' {
		newLine++
	}
	return oldLine, newLine
}

func writeHunk(b *bytes.Buffer, edits []edit, oldStart, newStart int) {
	oldEnd, newEnd := oldStart, newStart
	for _, e := range edits {
		oldEnd, newEnd = step(e, oldEnd, newEnd)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(oldStart, oldEnd), span(newStart, newEnd))
	for _, e := range edits {
		b.WriteByte(e.op)
		b.Write(e.line)
		if !bytes.HasSuffix(e.line, []byte("\n")) {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a range of lines as a hunk's header has it: an empty one names the line before it.
func span(start, end int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}

type hunk struct{ start, end int }

// hunks groups the changed lines with what is around them.
func hunks(edits []edit) []hunk {
	var list []hunk
	for i, e := range edits {
		if e.op == ' ' {
			continue
		}
		start, end := max(i-around, 0), min(i+around+1, len(edits))
		if n := len(list); n > 0 && list[n-1].end >= start {
			list[n-1].end = end
		} else {
			list = append(list, hunk{start, end})
		}
	}
	return list
}

// compare finds a short way from one text to another.
func compare(old, new [][]byte) []edit {
	head := 0
	for head < min(len(old), len(new)) && bytes.Equal(old[head], new[head]) {
		head++
	}
	tail := 0
	for tail < min(len(old), len(new))-head &&
		bytes.Equal(old[len(old)-1-tail], new[len(new)-1-tail]) {
		tail++
	}
	edits := all(' ', old[:head])
	edits = append(edits, middle(old[head:len(old)-tail], new[head:len(new)-tail])...)
	return append(edits, all(' ', old[len(old)-tail:])...)
}

func all(op byte, lines [][]byte) []edit {
	var edits []edit
	for _, l := range lines {
		edits = append(edits, edit{op, l})
	}
	return edits
}

// middle is Myers' greedy algorithm: reach[k] is how far into old one gets on diagonal k with so
// many edits.
func middle(old, new [][]byte) []edit {
	reach, trace := map[int]int{1: 0}, []map[int]int{}
	for d := 0; d <= min(len(old)+len(new), maxEdits); d++ {
		next := make(map[int]int, len(reach))
		for k := -d; k <= d; k += 2 {
			x := furthest(reach, k, d)
			for x < len(old) && x-k < len(new) && bytes.Equal(old[x], new[x-k]) {
				x++
			}
			next[k] = x
			if x >= len(old) && x-k >= len(new) {
				return backtrack(append(trace, reach), old, new)
			}
		}
		trace, reach = append(trace, reach), next
	}
	return append(all('-', old), all('+', new)...)
}

// furthest is where diagonal k begins after d edits: below or to the right of a neighbour.
func furthest(reach map[int]int, k, d int) int {
	if k == -d || k != d && reach[k-1] < reach[k+1] {
		return reach[k+1]
	}
	return reach[k-1] + 1
}

// backtrack walks the trace from the end to the beginning.
func backtrack(trace []map[int]int, old, new [][]byte) []edit {
	var edits []edit
	x, y := len(old), len(new)
	for d := len(trace) - 1; d >= 0; d-- {
		k, reach := x-y, trace[d]
		before := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			before = k + 1
		}
		startX := reach[before]
		startY := startX - before
		for x > max(startX, 0) && y > max(startY, 0) {
			x, y = x-1, y-1
			edits = append(edits, edit{' ', old[x]})
		}
		switch {
		case d == 0:
		case x > startX:
			x--
			edits = append(edits, edit{'-', old[x]})
		default:
			y--
			edits = append(edits, edit{'+', new[y]})
		}
	}
	slices.Reverse(edits)
	return edits
}
