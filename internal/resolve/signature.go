package resolve

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/model"
)

// mismatch is where a signature differs from what it should be. Param is the index of a parameter,
// or -1 for the method as a whole.
type mismatch struct {
	param  int
	reason string
}

func whole(reason string) *mismatch { return &mismatch{-1, reason} }

// checkSignature checks a method against its role and records it in the model.
func (h *handler) checkSignature(c *candidate, r role) bool {
	if h.unresolved(c) {
		return false
	}
	sig := c.fn.Signature()
	var form model.Form
	var plain bool
	var wrong *mismatch
	switch {
	case sig.Variadic():
		wrong = &mismatch{sig.Params().Len() - 1, "it cannot be variadic"}
	case r.operation():
		form, wrong = h.checkOperation(c, r, sig)
	case r == onError:
		wrong = h.checkOnError(c, sig)
	case r == isFilter:
		plain, wrong = h.checkFilter(c, sig)
	default:
		wrong = checkPipeline(sig)
	}
	if wrong != nil {
		if wrong.reason != "" {
			h.badSignature(c, r, wrong)
		}
		return false
	}
	h.set(c, r, form, plain)
	return true
}

// reported stands for a mismatch that has its own problem already.
var reported = &mismatch{}

func (h *handler) badSignature(c *candidate, r role, m *mismatch) {
	at := h.methodPlace(c)
	if c.decl != nil && m.param >= 0 {
		at = h.place(paramTypes(c.decl)[m.param])
	}
	want := h.expected(r, c.fn.Signature())
	d := diag.New(diag.BadSignature, at, "%s must be %s", c.fn.Name(), want).Hinted("%s", m.reason)
	if c.decl == nil {
		d = d.With(h.objectPlace(c.fn), "%s is promoted from here", c.fn.Name())
	}
	h.Problems.Add(d)
}

// expected describes the signature that a method should have: of several forms the one that is
// nearest to what was written, with the document type as far as it can be told.
func (h *handler) expected(r role, sig *types.Signature) string {
	doc, event := "*T", "*fw.Event[T]"
	hasDoc, hasEvent := false, false
	t := h.out.Doc
	for i := range sig.Params().Len() {
		found, isEvent := mentioned(sig.Params().At(i).Type())
		hasDoc, hasEvent = hasDoc || found != nil && !isEvent, hasEvent || isEvent
		if t == nil {
			t = found
		}
	}
	if t != nil {
		doc, event = "*"+h.typeName(t), "*fw.Event["+h.typeName(t)+"]"
		if isRaw(t) {
			doc = h.typeName(t)
		}
	}
	forms := []string{doc, event, doc + ", " + event}
	switch {
	case r == onError:
		return "func(context.Context, error, " + event + ") fw.ErrorAction"
	case r == isFilter:
		return "func(" + event + ") bool or func(context.Context, " + event + ") (bool, error)"
	case r == isPipeline:
		return "func() mongo.Pipeline"
	case !r.takesDocument() || hasEvent && !hasDoc:
		forms = forms[1:2]
	case hasEvent:
		forms = forms[2:]
	case hasDoc:
		forms = forms[:1]
	}
	return "func(context.Context, " + strings.Join(forms, ") error or func(context.Context, ") +
		") error"
}

// mentioned is the document type that a parameter was probably meant to show.
func mentioned(t types.Type) (doc types.Type, isEvent bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if doc, ok := eventType(types.NewPointer(t)); ok {
		return doc, true
	}
	_, isStruct := t.Underlying().(*types.Struct)
	if _, named := types.Unalias(t).(*types.Named); named && isStruct || isRaw(t) {
		return t, false
	}
	return nil, false
}

func (h *handler) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == h.Types {
			return ""
		}
		return p.Name()
	})
}

// paramTypes lists the type expressions of a function's parameters, one for each parameter.
func paramTypes(f *ast.FuncDecl) []ast.Expr {
	var list []ast.Expr
	for _, field := range f.Type.Params.List {
		for range max(1, len(field.Names)) {
			list = append(list, field.Type)
		}
	}
	return list
}

// paramPlace is where a parameter's type is written.
func (h *handler) paramPlace(c *candidate, i int) diag.Pos {
	if c.decl == nil {
		return h.methodPlace(c)
	}
	return h.place(paramTypes(c.decl)[i])
}

func (h *handler) checkOperation(c *candidate, r role, sig *types.Signature) (
	form model.Form, wrong *mismatch,
) {
	if wrong := checkContext(sig, 1); wrong != nil {
		return 0, wrong
	}
	docs, events := -1, -1
	for i := 1; i < sig.Params().Len(); i++ {
		t := sig.Params().At(i).Type()
		_, isEvent := eventType(t)
		switch {
		case isEvent && events < 0:
			events = i
		case isEvent:
			return 0, &mismatch{i, "it takes one event"}
		case docs > 0:
			return 0, &mismatch{i, "it takes a document and an event, and no more"}
		case events > 0:
			return 0, &mismatch{i, "the document comes before the event"}
		case isEventValue(t):
			return 0, &mismatch{i, "it takes the event by pointer"}
		case !r.takesDocument():
			return 0, &mismatch{i, "a " + r.word() + " may have no document, so it takes the event"}
		default:
			docs = i
		}
	}
	if wrong := checkResults(sig, "error", isErrorInterface); wrong != nil {
		return 0, wrong
	}
	if docs > 0 && !h.documentParam(c, docs) || events > 0 && !h.eventParam(c, events) {
		return 0, reported
	}
	switch {
	case docs < 0:
		return model.TakesEvent, nil
	case events < 0:
		return model.TakesDocument, nil
	}
	return model.TakesBoth, nil
}

// checkContext checks the first parameter, and that at least more others follow it.
func checkContext(sig *types.Signature, more int) *mismatch {
	params := sig.Params()
	switch {
	case params.Len() == 0:
		return whole("it takes no parameters yet")
	case !isNamed(params.At(0).Type(), "context", "Context"):
		return &mismatch{0, "the first parameter is a context.Context"}
	case params.Len() <= more:
		if more == 1 {
			return whole("it takes a document or an event behind the context")
		}
		return whole("a parameter is missing")
	}
	return nil
}

// checkResults checks that there is one result, and which.
func checkResults(sig *types.Signature, name string, is func(types.Type) bool) *mismatch {
	results := sig.Results()
	switch {
	case results.Len() == 0:
		return whole("the result " + name + " is missing")
	case results.Len() > 1:
		return whole("it has one result, " + name)
	case !is(results.At(0).Type()):
		return whole("its result is " + name)
	}
	return nil
}

func (h *handler) checkOnError(c *candidate, sig *types.Signature) *mismatch {
	if wrong := checkContext(sig, 2); wrong != nil {
		return wrong
	}
	params := sig.Params()
	_, isEvent := eventType(params.At(2).Type())
	switch {
	case !isErrorInterface(params.At(1).Type()):
		return &mismatch{1, "the second parameter is an error"}
	case !isEvent:
		return &mismatch{2, "the third parameter is the event, by pointer"}
	case params.Len() > 3:
		return &mismatch{3, "it takes no more than the event"}
	}
	wrong := checkResults(sig, "fw.ErrorAction", func(t types.Type) bool {
		return isNamed(t, runtimePath, "ErrorAction")
	})
	if wrong == nil && !h.eventParam(c, 2) {
		return reported
	}
	return wrong
}

func (h *handler) checkFilter(c *candidate, sig *types.Signature) (plain bool, wrong *mismatch) {
	params, results := sig.Params(), sig.Results()
	event := 0
	if params.Len() > 0 && isNamed(params.At(0).Type(), "context", "Context") {
		event = 1
	}
	if params.Len() != event+1 {
		return false, whole("it takes the event, and a context before it or not")
	}
	if _, ok := eventType(params.At(event).Type()); !ok {
		return false, &mismatch{event, "it takes the event, by pointer"}
	}
	isBool := results.Len() > 0 && types.Identical(results.At(0).Type(), types.Typ[types.Bool])
	switch {
	case event == 0 && (!isBool || results.Len() != 1):
		return false, whole("without a context its result is bool")
	case event == 1 && (!isBool || results.Len() != 2 || !isErrorInterface(results.At(1).Type())):
		return false, whole("with a context its results are (bool, error)")
	case !h.eventParam(c, event):
		return false, reported
	}
	return event == 0, nil
}

func checkPipeline(sig *types.Signature) *mismatch {
	if sig.Params().Len() > 0 {
		return &mismatch{0, "it takes nothing"}
	}
	return checkResults(sig, "mongo.Pipeline", func(t types.Type) bool {
		return isNamed(t, driverPath+"/mongo", "Pipeline")
	})
}

// unresolved reports what does not type-check in a method's signature.
func (h *handler) unresolved(c *candidate) bool {
	return c.decl != nil && (h.signatureErrors(c.decl) || h.importFault(c))
}

// signatureErrors reports the type errors inside a signature. Lines of a message that only point
// to another place, which begin with a tab, belong to the one before.
func (h *handler) signatureErrors(f *ast.FuncDecl) (found bool) {
	for _, err := range h.TypeErrors {
		if err.Pos >= f.Type.Pos() && err.Pos < f.Type.End() && !strings.HasPrefix(err.Msg, "\t") {
			found = true
			h.Problems.Add(h.typeError(err))
		}
	}
	return found
}
