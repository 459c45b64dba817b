package match

import (
	"cmp"
	"slices"
	"strings"
)

// rank is the place of a condition among others, in the server's order. All conditions of an $and
// are evaluated in it, and those of the same rank by path, which decides which of them sets the
// position.
type rank int

const (
	rankAll rank = iota
	rankEither
	rankElemMatch
	rankSize
	rankEQ
	rankLTE
	rankLT
	rankGT
	rankGTE
	rankRegex
	rankMod
	rankExists
	rankIn
	rankBitsAllSet
	rankBitsAllClear
	rankBitsAnySet
	rankBitsAnyClear
	rankNot
	rankType
	rankConstant
	rankExpr
)

// conjunction returns the $and of conditions, in the order in which the server lists them: what an
// $and among them has comes last. What changes nothing is left out.
func conjunction(nodes []node) node {
	var flat, inner all
	for _, n := range nodes {
		switch n := n.(type) {
		case all:
			inner = append(inner, n...)
		case constant:
			if !n {
				return n
			}
		default:
			flat = append(flat, n)
		}
	}
	flat = append(flat, inner...)
	if len(flat) == 1 {
		return flat[0]
	}
	return flat
}

// ranked returns the condition with every $and in the order of its evaluation.
func ranked(n node) node {
	switch n := n.(type) {
	case all:
		sorted := all(rankedEach(n))
		slices.SortStableFunc(sorted, func(a, b node) int {
			left, leftPath := place(a)
			right, rightPath := place(b)
			return cmp.Or(cmp.Compare(left, right), strings.Compare(leftPath, rightPath))
		})
		return sorted
	case either:
		return either(rankedEach(n))
	case not:
		return not{ranked(n.child)}
	}
	return n
}

func rankedEach(nodes []node) []node {
	each := make([]node, len(nodes))
	for i, n := range nodes {
		each[i] = ranked(n)
	}
	return each
}

// disjunction returns the $or of conditions, without what changes nothing. Equalities of one path
// are an $in.
func disjunction(nodes []node) node {
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return n == constant(false) })
	switch {
	case len(nodes) == 0:
		return constant(false)
	case len(nodes) == 1:
		return nodes[0]
	}
	var values []any
	for _, n := range nodes {
		equal, ok := equality(n)
		if !ok || !slices.Equal(equal.path, nodes[0].(field).path) {
			return either(nodes)
		}
		values = append(values, equal.test.(comparison).with)
	}
	return field{nodes[0].(field).path, newIn(values, nil)}
}

// equality reports whether a condition is that a path has a value.
func equality(n node) (field, bool) {
	f, ok := n.(field)
	return f, ok && f.test.rank() == rankEQ
}

func place(n node) (rank, string) {
	switch n := n.(type) {
	case field:
		return n.test.rank(), strings.Join(n.path, ".")
	case all:
		return rankAll, ""
	case either:
		return rankEither, ""
	case not:
		return rankNot, ""
	case expression:
		return rankExpr, ""
	}
	return rankConstant, ""
}
