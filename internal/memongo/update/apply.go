package update

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// application is the work of operators on one document.
type application struct {
	Context
	root    *element
	filters map[string]*match.ElementMatcher
	touched bool // by an operator that did not find itself without effect
	written bool // and there is something to write

	log   *record
	quiet int // how many levels up somebody else keeps the record
}

// place is where an operator works: the deepest element that is there, and what is missing below.
type place struct {
	element *element
	above   []*element // what the element is in, from the document on
	path    path       // of the element
	missing path
}

// full is the path with what is missing.
func (p place) full() path {
	return append(append(make(path, 0, len(p.path)+len(p.missing)), p.path...), p.missing...)
}

func (a *application) apply(n *node, at place) error {
	switch {
	case n.leaf != nil:
		return a.leaf(n.leaf, at)
	case n.filtered:
		return a.array(n, at)
	}
	children, err := n.at(at.full(), a.Position)
	if err != nil {
		return err
	}
	for _, c := range children {
		at = at.resolve() // the child before may have made what was missing
		if err := a.apply(c.node, at.enter(c.name)); err != nil {
			return err
		}
	}
	return nil
}

// enter goes to a part of the place, which may be missing.
func (p place) enter(name string) place {
	if len(p.missing) > 0 {
		p.missing = p.missing.with(name)
		return p
	}
	field := p.element.field(name)
	if field == nil {
		p.missing = path{name}
		return p
	}
	return p.into(field, name)
}

// resolve enters what is no longer missing.
func (p place) resolve() place {
	for len(p.missing) > 0 && p.element.field(p.missing[0]) != nil {
		rest := p.missing[1:]
		p = p.into(p.element.field(p.missing[0]), p.missing[0])
		p.missing = rest
	}
	return p
}

func (p place) into(field *element, name string) place {
	if p.element.form == array && field.name == "" {
		field.name = canonical(name)
	}
	above := append(p.above[:len(p.above):len(p.above)], p.element)
	return place{element: field, above: above, path: p.path.with(name)}
}

// parent is what the element is in. The document is in nothing.
func (p place) parent() *element { return p.above[len(p.above)-1] }

func (a *application) leaf(l *leaf, at place) error {
	switch {
	case l.reserved, l.onInsert && !a.Insert:
		return nil
	case l.rename != nil:
		return a.rename(l, at)
	case len(at.missing) > 0:
		return a.create(l, at)
	}
	return a.update(l, at)
}

// update puts the operator to a value that is there.
func (a *application) update(l *leaf, at place) error {
	old := at.element.close()
	v, effect, err := l.op.update(a.site(at), old)
	if err != nil || effect == nothing {
		return err
	}
	return a.put(at, old, v, effect)
}

// put writes what became of a value.
func (a *application) put(at place, old, v any, effect effect) error {
	if effect == removed {
		at.parent().remove(lastOf(at.path))
	} else {
		at.element.set(v)
	}
	if err := a.checkUpdated(at, effect); err != nil {
		return err
	}
	if err := checkDepth(at.path, v); err != nil {
		return err
	}
	a.touched, a.written = true, a.written || effect != touched
	switch {
	case effect == appended:
		for i := len(old.(bson.A)); i < len(v.(bson.A)); i++ {
			a.record(at.path.with(indexName(i)), created)
		}
	case effect == removed && at.parent().form == document:
		a.record(at.path, deleted)
	default:
		a.record(at.path, modified)
	}
	return nil
}

// create makes what the path of an operator misses.
func (a *application) create(l *leaf, at place) error {
	switch {
	case l.absent == ignores:
		return nil
	case l.absent == needs && !at.element.accepts(at.missing[0]):
		return mongoerr.New(mongoerr.PathNotViable,
			"Cannot use the part (%s) of (%s) to traverse the element (%s)",
			at.missing[0], at.full(), shown(at))
	case l.absent == needs:
		return nil
	}
	return a.makePath(at, l.op.create(a.site(at)))
}

// makePath puts a value behind components that are missing.
func (a *application) makePath(at place, v any) error {
	first := at.missing[0]
	if !at.element.accepts(first) {
		return mongoerr.New(mongoerr.PathNotViable, "Cannot create field '%s' in element %s",
			first, shown(at))
	}
	for i := len(at.missing) - 1; i > 0; i-- {
		v = bson.D{{Key: at.missing[i], Value: v}}
	}
	if err := at.checkPadding(); err != nil {
		return err
	}
	at.element.add(first, v)
	if err := a.checkCreated(at); err != nil {
		return err
	}
	if err := checkDepth(at.path.with(first), v); err != nil {
		return err
	}
	a.touched, a.written = true, true
	a.record(at.path.with(first), created)
	return nil
}

// checkPadding bounds how many nulls come between an array's end and a new element.
func (p place) checkPadding() error {
	index, _ := arrayIndex(p.missing[0])
	if p.element.form == array && index > len(p.element.fields)+maxPadding {
		return mongoerr.New(codeCannotBackfill,
			"can't backfill more than %d elements", maxPadding)
	}
	return nil
}

// record notes a change for the description.
func (a *application) record(p path, how manner) {
	if a.quiet == 0 {
		a.log.add(a.root, p, how)
	}
}

// shown is the place's element as messages print it.
func shown(at place) string {
	return "{" + at.element.name + ": " + value.Show(at.element.close()) + "}"
}

func indexName(index int) string { return strconv.Itoa(index) }

// canonical returns an index without leading zeros.
func canonical(part string) string {
	index, _ := arrayIndex(part)
	return indexName(index)
}
