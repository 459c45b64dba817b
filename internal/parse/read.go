package parse

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// Source is a parsed file with its text, which has the exact bytes of every comment.
type Source struct {
	Fset *token.FileSet
	File *ast.File
	Text []byte
}

// reader reads the directives of one file.
type reader struct {
	Source
	list    *diag.List
	owners  map[*ast.CommentGroup]owner
	types   map[*ast.TypeSpec]*Type
	methods map[*ast.FuncDecl]*Method
	out     *File
}

// Read reads the directives of a file and adds what is wrong with them to the list.
func Read(src Source, list *diag.List) *File {
	r := &reader{
		Source:  src,
		list:    list,
		owners:  findOwners(src.File),
		types:   map[*ast.TypeSpec]*Type{},
		methods: map[*ast.FuncDecl]*Method{},
		out:     &File{Meant: map[string]bool{}},
	}
	for _, group := range src.File.Comments {
		for _, comment := range group.List {
			r.comment(comment, group)
		}
	}
	r.lonelyVerbs()
	return r.out
}

// Place is the position of a node's range on its first line.
func (s Source) Place(from, to token.Pos) diag.Pos {
	p := s.Fset.PositionFor(from, false)
	length := int(to - from)
	if q := s.Fset.PositionFor(to, false); q.Line != p.Line {
		length = len(s.rest(p.Offset))
	}
	return diag.Pos{File: p.Filename, Line: p.Line, Col: p.Column, Len: length}
}

// rest is the text from an offset to the end of its line.
func (s Source) rest(offset int) string {
	text := s.Text[min(offset, len(s.Text)):]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimRight(string(text), "\r")
}

func (r *reader) comment(comment *ast.Comment, group *ast.CommentGroup) {
	at := r.Place(comment.Pos(), comment.End())
	text := r.rest(r.Fset.PositionFor(comment.Pos(), false).Offset)
	if strings.HasPrefix(comment.Text, "/*") {
		text = comment.Text
		r.block(comment, group)
	}
	text = strings.TrimRight(text, " \t")
	at.Len = min(at.Len, len(text))
	switch {
	case isDirective(text):
		r.out.Count++
		r.directive(text, at, group)
	default:
		if correction, ok := nearMiss(text); ok {
			r.out.Count++
			r.meant(group, strings.HasPrefix(correction, prefix+"changestream"))
			r.list.Add(r.nearMiss(comment, at, correction))
		}
	}
}

// nearMiss is the problem of a comment that is nearly a directive. It has a fix where the comment has
// its line to itself, so that the correction is a directive in a place for one.
func (r *reader) nearMiss(comment *ast.Comment, at diag.Pos, correction string) diag.Diagnostic {
	d := diag.New(diag.NearMiss, at, "a comment that looks like a directive but is none")
	if r.behindCode(at) {
		return d.Hinted("write %s on a line of its own", correction)
	}
	d = d.Hinted("write %s", correction)
	if !strings.Contains(comment.Text, "\n") && r.ends(comment) {
		d.Fix = correction
	}
	return d
}

// block looks for directives in the lines of a block comment behind the first.
func (r *reader) block(comment *ast.Comment, group *ast.CommentGroup) {
	at := r.Fset.PositionFor(comment.Pos(), false)
	text, _, _ := bytes.Cut(r.Text[min(at.Offset, len(r.Text)):], []byte("*/"))
	for i, line := range bytes.Split(text, []byte("\n")) {
		content := strings.TrimRight(string(line), " \t\r")
		correction, skipped, ok := nearMissInBlock(content)
		if i == 0 || !ok {
			continue
		}
		r.out.Count++
		r.meant(group, strings.HasPrefix(correction, prefix+"changestream"))
		r.list.Add(diag.New(diag.NearMiss, diag.Pos{
			File: at.Filename, Line: at.Line + i, Col: skipped + 1, Len: len(content) - skipped,
		}, "a directive inside a block comment, where it is none").
			Hinted("write %s on a line of its own", correction))
	}
}

// ends tells whether nothing follows a comment on its line.
func (r *reader) ends(comment *ast.Comment) bool {
	return strings.TrimSpace(r.rest(r.Fset.PositionFor(comment.End(), false).Offset)) == ""
}

// directive reads a true directive and gives it to its declaration. Both are checked, so that a
// misplaced directive with a typing error is reported once and completely.
func (r *reader) directive(text string, at diag.Pos, group *ast.CommentGroup) {
	c := &checker{text: text, at: at, list: r.list}
	d := c.directive()
	r.meant(group, c.unknown == "changestream")
	own := r.owners[group]
	if r.behindCode(at) {
		own = owner{behind: true}
	}
	switch {
	case own.behind:
		r.list.Add(diag.New(diag.Trailing, at, "a directive behind code").
			Hinted("move it to a line of its own above the declaration"))
	case own.fun != nil && own.fun.Recv == nil:
		r.misplaced(d, at, "a function")
	case own.kind != "":
		r.misplaced(d, at, own.kind)
	case own.spec == nil && own.fun == nil:
		r.detached(at)
	case d != nil:
		r.attach(d, own)
	}
}

// meant notes that a type's comment was an attempt at its //fw:changestream.
func (r *reader) meant(group *ast.CommentGroup, yes bool) {
	if s := r.owners[group].spec; s != nil && yes {
		r.out.Meant[s.Name.Name] = true
	}
}

// behindCode tells whether anything but space precedes a comment on its line.
func (r *reader) behindCode(at diag.Pos) bool {
	file := r.Fset.File(r.File.FileStart)
	start := file.Offset(file.LineStart(at.Line))
	before := r.Text[min(start, len(r.Text)):min(start+at.Col-1, len(r.Text))]
	before = bytes.TrimPrefix(before, []byte("\uFEFF"))
	return len(bytes.TrimSpace(before)) > 0
}

func (r *reader) misplaced(d *Directive, at diag.Pos, kind string) {
	belongs := "directives belong above a struct type or one of its methods"
	if d != nil {
		belongs = prefix + d.Verb.Name + " belongs above " + target(d.Verb)
	}
	if kind == alias {
		belongs = "an alias has no methods of its own; declare a struct type that embeds it"
	}
	r.list.Add(diag.New(diag.Misplaced, at, "a directive on %s", kind).Hinted("%s", belongs))
}

func target(v *spec.Verb) string {
	if v.Target == spec.OnMethod {
		return "a method of a handler"
	}
	return "a struct type"
}

func (r *reader) detached(at diag.Pos) {
	d := diag.New(diag.Detached, at, "a directive that belongs to no declaration")
	next := r.next(at)
	if next == nil {
		r.list.Add(d.Hinted("move it directly above its declaration"))
		return
	}
	r.list.Add(d.Hinted("no blank line may lie between it and its declaration").
		With(r.Place(next.Pos(), next.Pos()+1), "the next declaration"))
}

// next is the declaration that follows a place.
func (r *reader) next(at diag.Pos) ast.Decl {
	for _, decl := range r.File.Decls {
		if r.Fset.PositionFor(decl.Pos(), false).Line > at.Line {
			return decl
		}
	}
	return nil
}

func (r *reader) attach(d *Directive, own owner) {
	if (own.spec != nil) != (d.Verb.Target == spec.OnType) {
		kind := "a method"
		if own.spec != nil {
			kind = "a type"
		}
		r.list.Add(diag.New(diag.WrongTarget, d.Pos, "%s%s on %s", prefix, d.Verb.Name, kind).
			Hinted("it belongs above %s", target(d.Verb)))
		return
	}
	directives := r.of(own)
	if first := Find(*directives, d.Verb.Name); first != nil {
		r.list.Add(diag.New(diag.RepeatedVerb, d.Pos, "%s%s is written twice",
			prefix, d.Verb.Name).Hinted("write one, with the keys of both").
			With(first.Pos, "first here"))
		return
	}
	*directives = append(*directives, d)
}

// of returns the list of a declaration's directives, making its entry in the result.
func (r *reader) of(own owner) *[]*Directive {
	if s := own.spec; s != nil {
		if r.types[s] == nil {
			r.types[s] = &Type{Spec: s, Pos: r.Place(s.Name.Pos(), s.Name.End())}
			r.out.Types = append(r.out.Types, r.types[s])
		}
		return &r.types[s].Directives
	}
	f := own.fun
	if r.methods[f] == nil {
		r.methods[f] = &Method{Func: f}
		r.out.Methods = append(r.out.Methods, r.methods[f])
	}
	return &r.methods[f].Directives
}

// lonelyVerbs reports directives of a stream on a type that declares none.
func (r *reader) lonelyVerbs() {
	r.out.Types = slices.DeleteFunc(r.out.Types, func(t *Type) bool {
		if Find(t.Directives, "changestream") != nil {
			return false
		}
		for _, d := range t.Directives {
			if r.out.Meant[t.Spec.Name.Name] {
				break
			}
			r.list.Add(diag.New(diag.NoChangestream, d.Pos,
				"%s%s without %schangestream", prefix, d.Verb.Name, prefix).
				Hinted("add %schangestream collection=…", prefix))
		}
		return true
	})
}
