package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/internal/model"
)

// Handler writes the FWStream method of a handler, with the assertion that names the type where it
// does not fit the runtime.
func Handler(f *jen.File, n *Names, h *model.Handler) {
	receiver, value := jen.Id(h.Type), jen.Id(h.Type).Values()
	if h.Pointer {
		receiver = jen.Op("*").Id(h.Type)
		value = jen.Parens(jen.Op("*").Id(h.Type)).Parens(jen.Nil())
	}
	f.Line()
	f.Var().Id("_").Add(n.fw("Handler")).Op("=").Add(value)
	f.Line()
	f.Func().Params(jen.Id(n.Receiver).Add(receiver)).Id("FWStream").Params().
		Add(n.fw("Stream")).Block(jen.Return(n.fw("Stream").Add(stream(n, h))))
}

// field is one "Name: value" of a composite literal.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// lines is a composite literal with a line for each field, inline one without.
func lines(fields []jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

func inline(fields []jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ","}, fields...)
}
