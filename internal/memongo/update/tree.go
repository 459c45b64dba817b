package update

import (
	"slices"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// node is a path component of an update that is ordered as a tree: the operators of all paths
// hang below the components that they share. A leaf has what is done there.
type node struct {
	leaf     *leaf
	filtered bool    // the children are named by array filters
	children []child // in the order of application
}

type child struct {
	name string
	node *node
}

// leaf is an operator at the end of its path.
type leaf struct {
	op       operator
	absent   absence
	onInsert bool // for documents that an upsert inserts alone
	rename   path // the source, of $rename
	reserved bool // nothing is done here: it is the source of a $rename
}

// absence is what an operator does where its path leads to nothing.
type absence int

const (
	creates absence = iota // makes what is missing
	needs                  // does nothing, if the path could be there
	ignores                // does nothing
)

func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c.node
		}
	}
	return nil
}

// put adds a child at its place in the order.
func (n *node) put(name string, added *node) {
	i, _ := slices.BinarySearchFunc(n.children, name, func(c child, name string) int {
		return compareParts(c.name, name)
	})
	n.children = slices.Insert(n.children, i, child{name, added})
}

// builder makes the tree of an update.
type builder struct {
	root    *node
	filters map[string]*match.ElementMatcher
	used    map[string]bool // identifiers of filters
}

// add hangs a leaf at the end of its path. Two operators cannot have the same path, and none
// can be below another.
func (b *builder) add(p path, l *leaf) error {
	if err := p.checkFirst(); err != nil {
		return err
	}
	n := b.root
	for i, name := range p {
		identifier, filtered := arrayFilter(name)
		if len(n.children) > 0 && n.filtered != filtered {
			return conflict(p, p[:i])
		}
		if filtered && identifier != "" && b.filters[identifier] == nil {
			return mongoerr.New(mongoerr.BadValue,
				"No array filter found for identifier '%s' in path '%s'", identifier, p)
		}
		b.used[identifier] = b.used[identifier] || filtered
		n.filtered = filtered
		next := n.child(name)
		last := i == len(p)-1
		switch {
		case next == nil:
			next = &node{}
			n.put(name, next)
		case last || next.leaf != nil:
			return conflict(p, p[:i+1])
		}
		n = next
	}
	n.leaf = l
	return nil
}

func conflict(p, at path) error {
	return mongoerr.New(mongoerr.ConflictingUpdateOperators,
		"Updating the path '%s' would create a conflict at '%s'", p, at)
}

// at returns the children in order, with the positional one under the index that it stands for.
func (n *node) at(p path, index int) ([]child, error) {
	positional := n.child(position)
	if positional == nil {
		return n.children, nil
	}
	if index < 0 {
		return nil, mongoerr.New(mongoerr.BadValue,
			"The positional operator did not find the match needed from the query.")
	}
	resolved := node{}
	for _, c := range n.children {
		if c.name != position {
			resolved.children = append(resolved.children, c)
		}
	}
	name := indexName(index)
	same := resolved.child(name)
	if same == nil {
		resolved.put(name, positional)
		return resolved.children, nil
	}
	merged, err := merge(p.with(name), same, positional)
	if err != nil {
		return nil, err
	}
	for i := range resolved.children {
		if resolved.children[i].node == same {
			resolved.children[i].node = merged
		}
	}
	return resolved.children, nil
}

// merge joins two trees that turned out to be for the same place p of a document.
func merge(p path, a, b *node) (*node, error) {
	if a.leaf != nil || b.leaf != nil || a.filtered != b.filtered {
		return nil, mongoerr.New(mongoerr.ConflictingUpdateOperators,
			"Update created a conflict at '%s'", p)
	}
	joined := &node{filtered: a.filtered, children: slices.Clone(a.children)}
	for _, c := range b.children {
		i := slices.IndexFunc(joined.children, func(o child) bool { return o.name == c.name })
		if i < 0 {
			joined.put(c.name, c.node)
			continue
		}
		both, err := merge(p.with(c.name), joined.children[i].node, c.node)
		if err != nil {
			return nil, err
		}
		joined.children[i].node = both
	}
	return joined, nil
}
