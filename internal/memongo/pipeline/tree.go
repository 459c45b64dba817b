package pipeline

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// node says what becomes of a document's fields, for the whole document and for those below it.
type node struct {
	entries    map[string]*entry
	order      []string // the names of what is computed and of nodes, as they were given
	keepOthers bool     // fields that are not named stay
	computes   bool     // something here or below is computed
}

// entry is what becomes of one field: one of the three, or it is dropped.
type entry struct {
	include bool
	compute compute
	below   *node
}

// compute gives a field its value; the root is the document before any change.
type compute func(v *expr.Vars) (any, error)

func newNode() *node { return &node{entries: map[string]*entry{}} }

// apply returns a document made of a document's fields. What is computed comes where the field
// was if that would have stayed, and else behind the others. What is taken away leaves a gap where
// others stay, see shaper; v has the document without gaps.
func (n *node) apply(doc bson.D, v *expr.Vars) (bson.D, error) {
	out := make(bson.D, 0, len(doc)+len(n.order))
	for _, field := range doc {
		val, err := n.field(field, v)
		if err != nil {
			return nil, err
		}
		if val != value.Missing || n.keepOthers {
			out = append(out, bson.E{Key: field.Key, Value: val})
		}
	}
	for _, name := range n.order {
		e := n.entries[name]
		if _, had := value.Get(doc, name); had && (e.below != nil || n.keepOthers) {
			continue
		}
		val, err := e.added(v)
		if err != nil {
			return nil, err
		}
		if val != value.Missing || e.compute != nil {
			out = append(out, bson.E{Key: name, Value: val})
		}
	}
	return out, nil
}

// field returns what becomes of a field that the document has.
func (n *node) field(field bson.E, v *expr.Vars) (any, error) {
	e := n.entries[field.Key]
	switch {
	case e == nil && n.keepOthers, e != nil && e.include:
		return field.Value, nil
	case e == nil:
		return value.Missing, nil
	case e.below != nil:
		return e.below.inside(field.Value, v)
	case e.compute != nil && n.keepOthers:
		return e.compute(v)
	}
	return value.Missing, nil
}

// added returns a field that comes behind those that the document had.
func (e *entry) added(v *expr.Vars) (any, error) {
	if e.compute != nil {
		return e.compute(v)
	}
	return e.below.inside(value.Missing, v)
}

// inside returns what becomes of a value whose fields are named: of a document, or of the
// documents in an array. Other values make room for what is computed.
func (n *node) inside(val any, v *expr.Vars) (any, error) {
	switch val := val.(type) {
	case bson.D:
		return n.apply(val, v)
	case bson.A:
		out := make(bson.A, 0, len(val))
		for _, element := range val {
			kept, err := n.inside(element, v)
			if err != nil {
				return nil, err
			}
			if kept != value.Missing {
				out = append(out, kept)
			}
		}
		return out, nil
	}
	switch {
	case n.computes:
		return n.apply(nil, v)
	case n.keepOthers:
		return val, nil
	}
	return value.Missing, nil
}

// collision says where a path meets one that was given before.
type collision struct {
	before string
	atEnd  bool // the path ends there
}

// insert adds a path; it reports a collision instead if one is the beginning of the other.
func (n *node) insert(names []string, e *entry) *collision {
	at := n
	for i, name := range names[:len(names)-1] {
		next := at.entries[name]
		if next == nil {
			next = &entry{below: newNode()}
			at.add(name, next)
		}
		if next.below == nil {
			return &collision{before: strings.Join(names[:i+1], ".")}
		}
		at = next.below
	}
	last := names[len(names)-1]
	if at.entries[last] != nil {
		return &collision{before: at.firstBelow(names), atEnd: true}
	}
	at.add(last, e)
	return nil
}

func (n *node) add(name string, e *entry) {
	n.entries[name] = e
	if e.compute != nil || e.below != nil {
		n.order = append(n.order, name)
	}
}

// firstBelow returns the first path that was given at or below a path whose last name is an entry.
func (n *node) firstBelow(names []string) string {
	path := strings.Join(names, ".")
	e := n.entries[names[len(names)-1]]
	for e.below != nil {
		name := e.below.order0()
		path, e = path+"."+name, e.below.entries[name]
	}
	return path
}

// order0 returns the name that was given first, as far as that is known.
func (n *node) order0() string {
	if len(n.order) > 0 {
		return n.order[0]
	}
	for name := range n.entries {
		return name
	}
	return ""
}

// finish tells all nodes whether other fields stay, and what is computed below them.
func (n *node) finish(keepOthers bool) {
	n.keepOthers = keepOthers
	for _, e := range n.entries {
		if e.below != nil {
			e.below.finish(keepOthers)
			n.computes = n.computes || e.below.computes
		}
		n.computes = n.computes || e.compute != nil
	}
}
