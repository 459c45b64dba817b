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
		return a.apply(chosen[0].node, at.into(at.element.fields[chosen[0].index],
			indexName(chosen[0].index)))
	}
	return a.several(chosen, at)
}

// several applies updates to more than one element. What changed goes on record as a whole: the
// element if it is one, else the array.
func (a *application) several(chosen []choice, at place) error {
	var changed []string
	before := a.touched
	a.quiet++
	defer func() { a.quiet-- }()
	for _, c := range chosen {
		a.touched = false
		name := indexName(c.index)
		if err := a.apply(c.node, at.into(at.element.fields[c.index], name)); err != nil {
			return err
		}
		if a.touched {
			changed = append(changed, name)
		}
	}
	a.touched = before || len(changed) > 0
	a.quiet--
	defer func() { a.quiet++ }()
	switch len(changed) {
	case 0:
	case 1:
		a.record(at.path.with(changed[0]), modified)
	default:
		a.record(at.path, modified)
	}
	return nil
}

// choice is what is done with an element of an array.
type choice struct {
	index int
	node  *node
}

// choose finds the elements that the filters of a node's children match.
func (a *application) choose(n *node, at place) (chosen []choice, err error) {
	for i, item := range at.element.fields {
		var merged *node
		for _, c := range n.children {
			matches, err := a.matches(c.name, item)
			if err != nil {
				return nil, err
			}
			if !matches {
				continue
			}
			if merged == nil {
				merged = c.node
			} else if merged, err = merge(at.path.with(indexName(i)), merged, c.node); err != nil {
				return nil, err
			}
		}
		if merged != nil {
			chosen = append(chosen, choice{i, merged})
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
