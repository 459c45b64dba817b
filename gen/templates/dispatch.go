package templates

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/internal/model"
)

// operation is a method with the field it goes to.
type operation struct {
	field  string
	method *model.Method
}

func operations(h *model.Handler) []operation {
	all := []operation{
		{"Insert", h.Insert}, {"Update", h.Update}, {"Replace", h.Replace},
		{"Delete", h.Delete}, {"Change", h.Change},
	}
	var present []operation
	for _, o := range all {
		if o.method != nil {
			present = append(present, o)
		}
	}
	return present
}

// handlers writes the dispatch table.
func handlers(n *Names, h *model.Handler) jen.Code {
	w := &writer{n: n}
	for _, o := range operations(h) {
		w.add(o.field, adapter(n, h, o.method))
	}
	if h.Filter != nil {
		w.add("Filter", filter(n, h))
	}
	if len(h.OnError) > 0 {
		w.add("OnError", onError(n, h))
	}
	table := n.fw("Handlers").Index(n.typed(h.Doc)).Add(lines(w.fields))
	return n.fw("Typed").Call(table)
}

// adapter makes a method fit the runtime's one signature. A method that takes the event fits as it
// is; one that takes the document is never called without.
func adapter(n *Names, h *model.Handler, m *model.Method) jen.Code {
	method := jen.Id(n.Receiver).Dot(m.Name)
	if m.Form == model.TakesEvent {
		return method
	}
	doc := func() *jen.Statement { return jen.Id(n.Event).Dot("Doc") }
	arg := doc()
	if h.Raw {
		arg = jen.Op("*").Add(doc())
	}
	args := []jen.Code{jen.Id(n.Ctx), arg}
	if m.Form == model.TakesBoth {
		args = append(args, jen.Id(n.Event))
	}
	return jen.Func().Params(contextParam(n), eventParam(n, h)).Error().Block(
		jen.If(doc().Op("==").Nil()).Block(
			jen.Return(n.fw("Skip").Call(n.fw("NoDocument"))),
		),
		jen.Return(method.Call(args...)),
	)
}

func contextParam(n *Names) jen.Code {
	return jen.Id(n.Ctx).Id(n.ByPath["context"]).Dot("Context")
}

func eventParam(n *Names, h *model.Handler) jen.Code {
	return jen.Id(n.Event).Op("*").Add(n.fw("Event").Index(n.typed(h.Doc)))
}

func filter(n *Names, h *model.Handler) jen.Code {
	method := jen.Id(n.Receiver).Dot(h.Filter.Name)
	if !h.Filter.Plain {
		return method
	}
	return jen.Func().
		Params(jen.Id("_").Id(n.ByPath["context"]).Dot("Context"), eventParam(n, h)).
		Params(jen.Bool(), jen.Error()).
		Block(jen.Return(method.Call(jen.Id(n.Event)), jen.Nil()))
}

func onError(n *Names, h *model.Handler) jen.Code {
	var items []jen.Code
	for _, e := range h.OnError {
		w := &writer{n: n}
		w.matches("Match", e.Match)
		w.add("Handle", jen.Id(n.Receiver).Dot(e.Name))
		items = append(items, inline(w.fields))
	}
	list := inline(items)
	if len(items) > 1 {
		list = lines(items)
	}
	return jen.Index().Add(n.fw("OnError").Index(n.typed(h.Doc))).Add(list)
}

// UsesContext tells whether an adapter of the handler names the context's type.
func UsesContext(h *model.Handler) bool {
	for _, o := range operations(h) {
		if o.method.Form != model.TakesEvent {
			return true
		}
	}
	return h.Filter != nil && h.Filter.Plain
}

// UsesTime tells whether a setting of the handler is written as a duration.
func UsesTime(h *model.Handler) bool {
	s := h.Stream
	for _, d := range []time.Duration{
		s.Timeout, s.Retry.Initial, s.Retry.Max, s.DLQ.Retention,
		s.Checkpoint.Interval, s.Checkpoint.Idle, s.Lease.TTL,
		s.Lease.Heartbeat, s.Lease.Poll, s.Restart.Initial,
		s.Restart.Max,
	} {
		if d > 0 {
			return true
		}
	}
	return false
}
