package gen

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/gen/templates"
	"github.com/fwgen/fwgen/internal/model"
)

// File renders the generated file of a package.
func File(p *model.Package) ([]byte, error) {
	names := chooseNames(p)
	f := jen.NewFile(p.Name)
	templates.Header(f, names)
	for _, h := range p.Handlers {
		templates.Handler(f, names, h)
	}
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, fmt.Errorf("format the generated file of %s: %w", p.Path, err)
	}
	return b.Bytes(), nil
}
