package resolve

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/parse"
)

// candidate is a method of a handler, its own or promoted.
type candidate struct {
	fn *types.Func
	// decl is its declaration, for methods of this package.
	decl *ast.FuncDecl
	// with are its directives.
	with *parse.Method
	at   token.Position
}

func (c *candidate) directives() []*parse.Directive {
	if c.with == nil {
		return nil
	}
	return c.with.Directives
}

func (c *candidate) ignored() bool {
	return parse.Find(c.directives(), "ignore") != nil
}

// candidates lists the methods of the handler in source order; those of other packages, which can
// only be promoted ones, come last, by their names.
func (h *handler) candidates() []*candidate {
	set := types.NewMethodSet(types.NewPointer(h.named))
	var list []*candidate
	for i := range set.Len() {
		fn, ok := set.At(i).Obj().(*types.Func)
		if !ok {
			continue
		}
		c := &candidate{fn: fn, at: h.prog.Fset.PositionFor(fn.Pos(), false)}
		if c.decl = h.decls[fn.Origin()]; c.decl != nil {
			c.with = h.methods[c.decl]
			h.used[c.decl] = true
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(b2i(a.decl == nil), b2i(b.decl == nil)),
			cmp.Compare(a.at.Filename, b.at.Filename),
			cmp.Compare(a.at.Offset, b.at.Offset),
			cmp.Compare(a.fn.Name(), b.fn.Name()),
		)
	})
	return list
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// methodPlace is where a method is named; for one of another package, where the handler is.
func (h *handler) methodPlace(c *candidate) diag.Pos {
	if c.decl == nil {
		return h.decl.Pos
	}
	return h.place(c.decl.Name)
}

// findMethods gives every method of the handler its role and reports those that nearly have one.
func (h *handler) findMethods() {
	list := h.candidates()
	found := h.lostMethods()
	for _, f := range h.declared() {
		if !h.used[f] {
			h.used[f] = true
			h.signatureErrors(f)
		}
	}
	for _, c := range list {
		if c.ignored() && len(c.directives()) == 1 {
			continue
		}
		roles := h.assigned(c)
		if len(roles) == 0 {
			found = h.nearMethod(c, list) || len(c.directives()) > 0 || found
			continue
		}
		found = h.take(c, roles) || found
	}
	slices.SortStableFunc(h.out.OnError, func(a, b model.OnError) int {
		return cmp.Compare(b2i(len(a.Match) == 0), b2i(len(b.Match) == 0))
	})
	if !found {
		h.Problems.Add(diag.New(diag.NoMethods, h.decl.Pos, "%s handles nothing", h.out.Type).
			Hinted("add a method such as OnInsert(context.Context, *Order) error"))
		return
	}
	h.docArgument()
}

// take gives a method its roles. It tells whether one of them handles an operation.
func (h *handler) take(c *candidate, roles []role) (handles bool) {
	for _, r := range roles {
		handles = handles || r.operation()
		if first := h.roles[r]; first != nil && r != onError {
			h.Problems.Add(diag.New(diag.RepeatedRole, h.methodPlace(c),
				"%s and %s are both for %s", first.fn.Name(), c.fn.Name(), r.word()).
				With(h.methodPlace(first), "the other is here"))
			continue
		}
		h.roles[r] = c
		h.checkConstraint(c)
		if h.checkSignature(c, r) && isPointer(c.fn) {
			h.out.Pointer = true
		}
	}
	return handles
}

// checkConstraint reports a method that is not always there when its handler is: the generated file
// would not compile without it.
func (h *handler) checkConstraint(c *candidate) {
	if c.decl == nil {
		return
	}
	name := h.methodPlace(c).File
	for _, file := range h.Files {
		if h.prog.Fset.File(file.FileStart).Name() != name {
			continue
		}
		have := load.Constraint(file, name)
		if have != "" && have != load.Constraint(h.file.Source.File, h.decl.Pos.File) {
			h.Problems.Add(diag.New(diag.Constrained, h.methodPlace(c),
				"%s is under a build constraint that %s does not have", c.fn.Name(), h.out.Type).
				Hinted("move it to a file that is built whenever the handler is").
				With(h.decl.Pos, "%s is declared here", h.out.Type))
		}
	}
}

func isPointer(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	_, ok := types.Unalias(recv.Type()).(*types.Pointer)
	return ok
}

// set records a method whose signature is right.
func (h *handler) set(c *candidate, r role, form model.Form, plain bool) {
	name, out := c.fn.Name(), h.out
	switch r {
	case isFilter:
		out.Filter = &model.Filter{Name: name, Plain: plain}
	case isPipeline:
		out.Pipeline = name
	case onError:
		h.addOnError(c)
	default:
		*h.method(r) = &model.Method{Name: name, Form: form}
	}
}

func (h *handler) method(r role) **model.Method {
	return []**model.Method{
		&h.out.Insert, &h.out.Update, &h.out.Replace, &h.out.Delete, &h.out.Change,
	}[r]
}

// addOnError adds a method that decides about errors, and reports what an earlier one takes
// already.
func (h *handler) addOnError(c *candidate) {
	d := parse.Find(c.directives(), "onerror")
	e := model.OnError{Name: c.fn.Name()}
	var arg *parse.Arg
	if d != nil && len(d.Args) > 0 {
		arg = d.Args[0]
		e.Match = h.matches(arg)
	}
	if d != nil && d.Broken || arg != nil && len(e.Match) != len(arg.Values) {
		return // reported
	}
	for _, earlier := range h.out.OnError {
		if len(e.Match) == 0 && len(earlier.Match) == 0 {
			h.Problems.Add(diag.New(diag.RepeatedRole, h.methodPlace(c),
				"%s and %s both take all errors", earlier.Name, e.Name))
		}
		for i, m := range e.Match {
			if contains(earlier.Match, m) {
				h.Problems.Add(diag.New(diag.Unreachable, arg.Values[i].Pos,
					"%s already goes to %s", arg.Values[i].Text, earlier.Name))
			}
		}
	}
	h.out.OnError = append(h.out.OnError, e)
}

// nearMethod reports a method that looks like a handler method and is none. Such a method would
// never be called, without a word.
func (h *handler) nearMethod(c *candidate, all []*candidate) bool {
	near, ok := h.looksLike(c, all)
	if !ok || len(c.directives()) > 0 {
		return false
	}
	d := diag.New(diag.NearMethod, h.methodPlace(c), "%s.%s is no handler method", h.out.Type,
		c.fn.Name())
	if near != "" {
		d = d.Hinted("did you mean %s?", near)
	}
	d = d.Noted("handler methods: %s", strings.Join(roleNames, ", ")).
		Noted("a method of another name needs //fw:on, one that fwgen should leave alone //fw:ignore")
	if c.decl == nil {
		d = d.With(h.objectPlace(c.fn), "the method is promoted from here")
	}
	h.Problems.Add(d)
	return true
}

// looksLike finds the handler method that a name was probably meant to be. In a handler's own
// package every exported name that begins with On is taken for one, and so is a handler method's
// name with other capitals, unless the true one exists beside it.
func (h *handler) looksLike(c *candidate, all []*candidate) (near string, ok bool) {
	name := c.fn.Name()
	for _, n := range roleNames {
		if strings.EqualFold(name, n) && strings.HasPrefix(n, "On") {
			return n, token.IsExported(name) || !exists(all, n)
		}
		if name[0] == n[0] && diag.Distance(name, n) <= (len(n)-4)/2 {
			return n, true
		}
	}
	if c.decl == nil || !token.IsExported(name) {
		return "", false
	}
	if meant := synonyms[name]; meant != "" {
		return meant, true
	}
	rest, isOn := strings.CutPrefix(name, "On")
	return "", isOn && token.IsExported(rest)
}

func exists(all []*candidate, name string) bool {
	return slices.ContainsFunc(all, func(c *candidate) bool { return c.fn.Name() == name })
}

// synonyms are names from other tools and from habit.
var synonyms = map[string]string{
	"OnCreate": "OnInsert", "OnCreated": "OnInsert", "OnInserted": "OnInsert", "OnAdd": "OnInsert",
	"OnUpdated": "OnUpdate", "OnModify": "OnUpdate", "OnModified": "OnUpdate",
	"OnReplaced": "OnReplace", "OnDeleted": "OnDelete", "OnRemove": "OnDelete",
	"OnRemoved": "OnDelete", "OnChanged": "OnChange", "OnAny": "OnChange", "OnEvent": "OnChange",
	"OnErr": "OnError", "OnErrors": "OnError", "OnFailure": "OnError",
}
