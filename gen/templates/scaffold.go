package templates

import (
	_ "embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
)

// Scaffold is what a new handler's source is made from.
type Scaffold struct {
	Package, Document, Handler, Collection string
	// Generate says that the package has no //go:generate line for fwgen yet.
	Generate bool
}

//go:embed scaffold.go.tmpl
var scaffoldText string

var scaffold = template.Must(template.New("scaffold").Parse(scaffoldText))

// Source renders the file.
func (s Scaffold) Source() ([]byte, error) {
	var b strings.Builder
	if err := scaffold.Execute(&b, s); err != nil {
		return nil, fmt.Errorf("render scaffold: %w", err)
	}
	return format.Source([]byte(b.String()))
}
