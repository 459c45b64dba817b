package diag

import (
	"fmt"
	"strings"
)

// Limits of an excerpt, in columns of a screen.
const (
	margin   = 8   // of what stands before the source: "   14 | "
	maxWidth = 110 // of the source; a longer line is cut around the marked range
	context  = 30  // of a cut line before the marked range
)

// excerpt prints the source line with the range underlined and the hint beside it. Without a line
// to show, the hint stands alone.
func (r Renderer) excerpt(b *strings.Builder, p Pos, hint string) {
	line, ok := r.line(p)
	if !ok || p.Col == 0 {
		if hint != "" {
			r.note(b, hint)
		}
		return
	}
	before, marked, after := split(line, p)
	v := newView(before, marked, after)
	rule := r.paint(blue, "|")
	fmt.Fprintf(b, "%5d %s %s\n", p.Line, rule, v.source())
	fmt.Fprintf(b, "      %s %s%s", rule, v.padding(), r.paint(red, v.mark()))
	beside := hint != "" && v.end()+1+width(hint) <= margin+maxWidth
	if beside {
		b.WriteString(" " + r.paint(green, hint))
	}
	b.WriteString("\n")
	if hint != "" && !beside {
		r.note(b, hint)
	}
}

// view is what is shown of a line.
type view struct{ before, marked, after []rune }

// newView cuts a line that is too long for a screen: its beginning, as far as the range can do
// without it, and its end.
func newView(before, marked, after string) view {
	v := view{[]rune(visible(before)), []rune(visible(marked)), []rune(visible(after))}
	if v.width() <= maxWidth {
		return v
	}
	if cut := len(v.before) - context; columns(margin, v.before) > margin+2*context {
		v.before = append([]rune{'…'}, v.before[cut:]...)
	}
	for room := maxWidth; v.width() > room; {
		switch {
		case len(v.after) > 0:
			v.after = shorten(v.after, v.width()-room)
		case len(v.marked) > 1:
			v.marked = shorten(v.marked, v.width()-room)
		default:
			return v
		}
	}
	return v
}

// shorten takes at least excess columns away from the end of text, and shows that it did.
func shorten(text []rune, excess int) []rune {
	if len(text) == 1 && text[0] == '…' {
		return nil
	}
	end := len(text)
	for excess++; end > 0 && excess > 0; end-- {
		excess -= max(runeWidth(text[end-1]), 1)
	}
	return append(text[:end:end], '…')
}

func (v view) width() int {
	return columns(columns(columns(margin, v.before), v.marked), v.after) - margin
}

// end is the column behind the mark.
func (v view) end() int { return columns(margin, v.before) + len(v.mark()) }

func (v view) source() string { return string(v.before) + string(v.marked) + string(v.after) }

// padding is as wide as what precedes the range: a tab stays a tab, wherever its stop is.
func (v view) padding() string {
	var b strings.Builder
	for _, c := range v.before {
		if c == '\t' {
			b.WriteRune(c)
		} else {
			b.WriteString(strings.Repeat(" ", runeWidth(c)))
		}
	}
	return b.String()
}

// mark underlines the range, an empty one with a single sign.
func (v view) mark() string {
	start := columns(margin, v.before)
	return strings.Repeat("^", max(1, columns(start, v.marked)-start))
}
