package gen

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/gen/templates"
	"github.com/fwgen/fwgen/internal/model"
)

// File renders a generated file of a package.
func File(p *model.Package, file *model.File) ([]byte, error) {
	names := chooseNames(p, file)
	f := jen.NewFile(p.Name)
	templates.Header(f, names)
	for _, h := range file.Handlers {
		templates.Handler(f, names, h)
	}
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, fmt.Errorf("format %s of %s: %w", file.Name, p.Path, err)
	}
	return constrain(b.Bytes(), file.Build), nil
}

// constrain puts a build constraint between the header and the package clause.
func constrain(text []byte, build string) []byte {
	if build == "" {
		return text
	}
	header, rest, _ := bytes.Cut(text, []byte("\n"))
	return slices.Concat(header, []byte("\n\n"+build+"\n"), rest)
}
