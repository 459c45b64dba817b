package manual

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// leftOut is said below examples that are excerpts.
const leftOut = "Left out are the package clause, the imports, the type Order, and methods of no interest."

// Code explains a code for a terminal.
func Code(e diag.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", e.Code, e.Title, e.Doc)
	examples(&b, "WRONG", e.Wrong)
	examples(&b, "RIGHT", e.Right)
	if isExcerpt(e) {
		fmt.Fprintf(&b, "\n%s\n", leftOut)
	}
	return b.String()
}

func isExcerpt(e diag.Explanation) bool {
	for _, f := range append(e.Wrong, e.Right...) {
		if f.Name == "" {
			return true
		}
	}
	return false
}

func examples(b *strings.Builder, title string, files []diag.Example) {
	for _, f := range files {
		fmt.Fprintf(b, "\n%s", title)
		if f.Name != "" {
			fmt.Fprintf(b, ", %s", f.Name)
		}
		b.WriteString("\n\n")
		for line := range strings.Lines(f.Text) {
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
}

// Verb explains a directive for a terminal.
func Verb(v *spec.Verb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "//fw:%s\n\n%s\nIt stands %s.\n", v.Name, v.Doc, where(v))
	if v.Arg != nil {
		b.WriteString("\n" + body(v, v.Arg))
	}
	if len(v.Keys) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, o := range v.Keys {
		note := standard(o)
		if o.Missing {
			note = notYet
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", o.Name, note, prose(o.Doc))
	}
	_ = w.Flush() // to a builder, which takes all
	fmt.Fprintf(&b, "\n\"fwgen explain %s.%s\" says more about a key.\n", v.Name, v.Keys[0].Name)
	return b.String()
}

// Option explains a key of a verb for a terminal.
func Option(v *spec.Verb, o *spec.Option) string {
	return fmt.Sprintf("%s.%s\n\n%s", v.Name, o.Name, body(v, o))
}

func body(v *spec.Verb, o *spec.Option) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n    %s\n\n", prose(o.Doc), written(v, o))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %s\t%s\n", name, text)
		}
	}
	row("value", kind(o))
	for _, word := range o.Values {
		text := "  " + word.Name
		if word.Doc != "" {
			text += ": " + word.Doc
		}
		if word.Missing {
			text += " (" + notYet + ")"
		}
		row("", text)
	}
	if o.Required {
		row("required", "yes")
	} else {
		row("default", o.Default)
	}
	row("range", bounds(o))
	if o.Missing {
		row("release", notYet)
	}
	_ = w.Flush() // to a builder, which takes all
	return b.String()
}
