package update

import "github.com/fwgen/fwgen/internal/memongo/mongoerr"

// array applies the operators behind $[] and $[identifier] to the elements that they are for.
func (a *application) array(n *node, at place) error {
	if len(at.missing) > 0 {
		return mongoerr.New(mongoerr.BadValue, "The path '%s' must exist in the document "+
			"in order to apply array updates.", at.full())
	}
	if at.element.open(); at.element.form != array {
		return mongoerr.New(mongoerr.BadValue,
			"Cannot apply array updates to non-array element %s", shownBare(at))
	}
	chosen, err := a.choose(n, at)
	if err != nil {
		return err
	}
	if len(chosen) == 1 { // its own record is more precise
		return a.one(chosen[0], at)
	}
	return a.several(chosen, at)
}

// one applies updates to an element.
func (a *application) one(c choice, at place) error {
	name := indexName(c.index)
	update := c.nodes[0]
	for _, other := range c.nodes[1:] {
		var err error
		if update, err = merge(at.path.with(name), update, other); err != nil {
			return err
		}
	}
	return a.apply(update, at.into(at.element.fields[c.index], name))
}

// several applies updates to more than one element. What changed goes on record as a whole: the
// element if it is one, else the array.
func (a *application) several(chosen []choice, at place) error {
	changed, err := a.quietly(chosen, at)
	switch {
	case err != nil:
		return err
	case len(changed) == 1:
		a.record(at.path.with(changed[0]), modified)
	case len(changed) > 1:
		a.record(at.path, modified)
	}
	return nil
}

// quietly keeps no record, but tells which elements changed.
func (a *application) quietly(chosen []choice, at place) (changed []string, err error) {
	before := a.touched
	a.quiet++
	for _, c := range chosen {
		a.touched = false
		if err := a.one(c, at); err != nil {
			return nil, err
		}
		if a.touched {
			changed = append(changed, indexName(c.index))
		}
	}
	a.quiet--
	a.touched = before || len(changed) > 0
	return changed, nil
}

// choice is what is done with an element of an array.
type choice struct {
	index int
	nodes []*node // at least one
}

// choose finds the elements that the filters of a node's children match.
func (a *application) choose(n *node, at place) (chosen []choice, err error) {
	for i, item := range at.element.fields {
		c := choice{index: i}
		for _, child := range n.children {
			matches, err := a.matches(child.name, item)
			if err != nil {
				return nil, err
			}
			if matches {
				c.nodes = append(c.nodes, child.node)
			}
		}
		if len(c.nodes) > 0 {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

func (a *application) matches(name string, item *element) (bool, error) {
	identifier, _ := arrayFilter(name)
	if identifier == "" {
		return true, nil
	}
	return a.filters[identifier].Match(item.close())
}
