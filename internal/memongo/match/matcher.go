package match

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
)

// Matcher is a compiled filter. It can be shared between goroutines.
type Matcher struct {
	root     node
	listed   node // the root with its conditions in the order of the filter
	usesExpr bool
}

// Compile reads a filter. Variables that its $expr don't define are looked up when they match. An
// [expr.ConstantError] has the complete message of a find.
func Compile(filter bson.D) (*Matcher, error) { return compile(filter, expr.Compile) }

// CompileIn reads a filter of a command whose let is known: another variable is 17276.
func CompileIn(filter bson.D, let map[string]any) (*Matcher, error) {
	return compile(filter, func(e any) (expr.Expr, error) { return expr.CompileIn(e, let) })
}

func compile(filter bson.D, compileExpr func(any) (expr.Expr, error)) (*Matcher, error) {
	p := parser{place: wholeDocument, compile: compileExpr}
	root, err := p.filter(filter)
	if err == nil && p.constant != nil {
		err = p.constant
	}
	if err != nil {
		return nil, err
	}
	return &Matcher{root: ranked(root), listed: root, usesExpr: p.usesExpr}, nil
}

// Match reports whether a document matches. vars are for $expr, whose errors are the only ones;
// its root is set here.
func (m *Matcher) Match(doc bson.D, vars *expr.Vars) (bool, error) {
	s := state{vars: vars}
	matches := m.root.matches(&s, doc)
	return matches && s.err == nil, s.err
}

// MatchPosition is Match that also tells the index of the array element that matched, which the
// positional operator $ of an update stands for, or -1. Where several conditions match elements,
// it is the one that the server evaluates last, see rank.
func (m *Matcher) MatchPosition(doc bson.D, vars *expr.Vars) (pos int, ok bool, err error) {
	return position(m.root, doc, vars)
}

// MatchPositionListed is MatchPosition for the $ of a projection: of several conditions it is the
// last one that the filter lists.
func (m *Matcher) MatchPositionListed(
	doc bson.D, vars *expr.Vars,
) (pos int, ok bool, err error) {
	return position(m.listed, doc, vars)
}

func position(n node, doc bson.D, vars *expr.Vars) (pos int, ok bool, err error) {
	s := state{vars: vars, recording: true, position: -1}
	matches := n.matches(&s, doc)
	if !matches || s.err != nil {
		return -1, false, s.err
	}
	return s.position, true, nil
}

// UsesExpr reports whether the filter has a $expr, which an upsert refuses.
func (m *Matcher) UsesExpr() bool { return m.usesExpr }

// state is what belongs to one match.
type state struct {
	vars      *expr.Vars
	err       error // of the first $expr that failed
	recording bool  // a position is wanted
	position  int
}

func (s *state) record(position int) {
	if s.recording && position >= 0 {
		s.position = position
	}
}

// quietly runs a part of the match whose position does not count.
func (s *state) quietly(f func(s *state) bool) bool {
	quiet := state{vars: s.vars}
	matches := f(&quiet)
	if s.err == nil {
		s.err = quiet.err
	}
	return matches
}
