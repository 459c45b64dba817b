package diag

import (
	"embed"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// examples has an archive for each code: what it means and how it is mended, code that is WRONG and
// gives exactly this problem, and code that is RIGHT. Tests generate and compile both.
//
//go:embed examples/*.txtar
var examples embed.FS

// Explanation is what there is to know about a code.
type Explanation struct {
	Entry
	// Doc is prose in paragraphs.
	Doc string
	// Wrong and Right are example files. Where a name is empty, the file is an excerpt: package
	// clause, imports and what is of no interest are left out. Both are empty for a problem that no
	// user can cause.
	Wrong, Right []Example
}

// Example is a file of an example.
type Example struct{ Name, Text string }

// Explain returns what there is to know about a code of the catalog.
func Explain(code Code) Explanation {
	var out Explanation
	for _, e := range Catalog() {
		if e.Code == code {
			out.Entry = e
		}
	}
	text, err := examples.ReadFile(fmt.Sprintf("examples/%s.txtar", code))
	if err != nil {
		return out // a test holds that every code has one
	}
	archive := txtar.Parse(text)
	out.Doc = strings.TrimSpace(string(archive.Comment))
	for _, f := range archive.Files {
		side, name, _ := strings.Cut(f.Name, "/")
		example := Example{name, strings.TrimSpace(string(f.Data)) + "\n"}
		if side == "wrong" {
			out.Wrong = append(out.Wrong, example)
		} else {
			out.Right = append(out.Right, example)
		}
	}
	return out
}

// ParseCode reads a code as it is printed: FW1102, in whichever case.
func ParseCode(text string) (Code, bool) {
	for _, e := range Catalog() {
		if strings.EqualFold(e.Code.String(), text) {
			return e.Code, true
		}
	}
	return 0, false
}
