package pipeline

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Projection is find's projection, or the fields of findAndModify.
type Projection struct {
	root       *node // nil: the document as it is
	positional []string
	slices     []slicing
	filter     *match.Matcher
}

// CompileProjection reads a projection. The filter is what the positional operator looks for if
// Apply is not told.
func CompileProjection(spec bson.D, filter *match.Matcher) (*Projection, error) {
	return compileProjection(spec, filter, expr.Compile)
}

// CompileProjectionIn reads a projection of a command whose let is known.
func CompileProjectionIn(spec bson.D, filter *match.Matcher, let map[string]any) (*Projection,
	error) {
	return compileProjection(spec, filter, func(e any) (expr.Expr, error) {
		return expr.CompileIn(e, let)
	})
}

func compileProjection(spec bson.D, filter *match.Matcher,
	compile func(e any) (expr.Expr, error)) (*Projection, error) {
	if len(spec) == 0 {
		return &Projection{}, nil
	}
	r := &projectionReader{compile: compile, find: true, root: newNode()}
	if err := r.read(spec); err != nil {
		return nil, err
	}
	if r.constant != nil {
		return nil, r.constant
	}
	return &Projection{root: r.root, positional: r.positional, slices: r.slices,
		filter: filter}, nil
}

// Positional reports whether Apply needs the index of the array element that matched.
func (p *Projection) Positional() bool { return p.positional != nil }

// Apply returns what the projection leaves of a document. pos is the index of the array element
// that the filter matched, or -1, for which the filter is asked.
func (p *Projection) Apply(doc bson.D, vars *expr.Vars, pos int) (bson.D, error) {
	if p.root == nil {
		return doc, nil
	}
	if vars == nil {
		vars = &expr.Vars{}
	}
	vars = vars.On(doc)
	kept := any(doc)
	if p.positional != nil {
		picked, err := p.pick(doc, vars, pos)
		if err != nil {
			return nil, err
		}
		kept = picked
	}
	out, err := p.root.inside(kept, vars)
	if err != nil {
		return nil, err
	}
	for _, s := range p.slices {
		out = s.at(out, s.path)
	}
	d, _ := out.(bson.D)
	return withoutGaps(d), nil
}

// pick is what the positional operator does, before all others.
func (p *Projection) pick(doc bson.D, vars *expr.Vars, pos int) (any, error) {
	if pos < 0 && p.filter != nil {
		var err error
		if pos, _, err = p.filter.MatchPositionListed(doc, vars); err != nil {
			return nil, err
		}
	}
	return pickAt(doc, p.positional, pos)
}

// pickAt leaves one element of the first array on a path.
func pickAt(val any, path []string, pos int) (any, error) {
	switch at := val.(type) {
	case bson.A:
		if pos < 0 {
			return nil, mongoerr.New(51246,
				"positional operator '.$' couldn't find a matching element in the array")
		}
		if pos >= len(at) || len(path) > 0 && isScalar(at[pos]) {
			return nil, mongoerr.New(51247, "positional operator '.$' element mismatch")
		}
		return bson.A{at[pos]}, nil
	case bson.D:
		return replaceAt(at, path, func(below any) (any, error) {
			return pickAt(below, path[1:], pos)
		})
	}
	return val, nil
}

// replaceAt returns a copy of a document in which the field that a path begins with is replaced.
func replaceAt(d bson.D, path []string, with func(below any) (any, error)) (bson.D, error) {
	if len(path) == 0 {
		return d, nil
	}
	for i := range d {
		if d[i].Key != path[0] {
			continue
		}
		below, err := with(d[i].Value)
		if err != nil {
			return nil, err
		}
		changed := append(bson.D{}, d...)
		changed[i].Value = below
		return changed, nil
	}
	return d, nil
}

// slicing is a $slice of find: it leaves part of the arrays that a path leads to.
type slicing struct {
	path        []string
	from, count int
}

func (s slicing) at(val any, path []string) any {
	switch at := val.(type) {
	case bson.A:
		if len(path) == 0 {
			return expr.SliceFrom(at, s.from, s.count)
		}
		changed := make(bson.A, len(at))
		for i, element := range at {
			if changed[i] = element; isDocument(element) {
				changed[i] = s.at(element, path)
			}
		}
		return changed
	case bson.D:
		d, _ := replaceAt(at, path, func(below any) (any, error) { // it never fails
			return s.at(below, path[1:]), nil
		})
		return d
	}
	return val
}

// isScalar reports whether a value has nothing below it.
func isScalar(val any) bool {
	_, isArray := val.(bson.A)
	return !isArray && !isDocument(val)
}

func isDocument(val any) bool {
	_, ok := val.(bson.D)
	return ok
}
