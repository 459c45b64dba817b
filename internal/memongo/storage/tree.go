package storage

import (
	"cmp"
	"iter"
)

// tree is an ordered map that never changes: putting and removing make a new tree, which shares
// most of its nodes with the old one. It is an AVL tree. The zero value is empty.
type tree[K cmp.Ordered, V any] struct {
	root *node[K, V]
}

type node[K cmp.Ordered, V any] struct {
	key         K
	value       V
	left, right *node[K, V]
	height      int
	size        int
}

func (t tree[K, V]) len() int { return t.root.len() }

func (t tree[K, V]) get(key K) (value V, ok bool) {
	for n := t.root; n != nil; {
		switch c := cmp.Compare(key, n.key); {
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		default:
			return n.value, true
		}
	}
	return value, false
}

func (t tree[K, V]) put(key K, value V) tree[K, V] {
	return tree[K, V]{root: t.root.put(key, value)}
}

func (t tree[K, V]) remove(key K) tree[K, V] { return tree[K, V]{root: t.root.remove(key)} }

// all yields the pairs in the order of their keys.
func (t tree[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walk(yield) }
}

// from yields the pairs whose keys are not less than the first.
func (t tree[K, V]) from(first K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walkFrom(first, yield) }
}

func (n *node[K, V]) len() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *node[K, V]) tall() int {
	if n == nil {
		return 0
	}
	return n.height
}

// join makes a node of two trees whose heights differ by no more than two.
func join[K cmp.Ordered, V any](left *node[K, V], of *node[K, V], right *node[K, V]) *node[K, V] {
	switch {
	case left.tall() > right.tall()+1:
		if left.right.tall() > left.left.tall() {
			inner := left.right
			return raise(raise(left.left, left, inner.left), inner, raise(inner.right, of, right))
		}
		return raise(left.left, left, raise(left.right, of, right))
	case right.tall() > left.tall()+1:
		if right.left.tall() > right.right.tall() {
			inner := right.left
			return raise(raise(left, of, inner.left), inner, raise(inner.right, right, right.right))
		}
		return raise(raise(left, of, right.left), right, right.right)
	default:
		return raise(left, of, right)
	}
}

// raise makes a node with another's pair and its own children.
func raise[K cmp.Ordered, V any](left *node[K, V], of *node[K, V], right *node[K, V]) *node[K, V] {
	return &node[K, V]{
		key: of.key, value: of.value, left: left, right: right,
		height: 1 + max(left.tall(), right.tall()),
		size:   1 + left.len() + right.len(),
	}
}

func (n *node[K, V]) put(key K, value V) *node[K, V] {
	if n == nil {
		return &node[K, V]{key: key, value: value, height: 1, size: 1}
	}
	switch c := cmp.Compare(key, n.key); {
	case c < 0:
		return join(n.left.put(key, value), n, n.right)
	case c > 0:
		return join(n.left, n, n.right.put(key, value))
	default:
		changed := *n
		changed.value = value
		return &changed
	}
}

func (n *node[K, V]) remove(key K) *node[K, V] {
	if n == nil {
		return nil
	}
	switch c := cmp.Compare(key, n.key); {
	case c < 0:
		return join(n.left.remove(key), n, n.right)
	case c > 0:
		return join(n.left, n, n.right.remove(key))
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	default:
		next := n.right
		for next.left != nil {
			next = next.left
		}
		return join(n.left, next, n.right.remove(next.key))
	}
}

func (n *node[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.key, n.value) && n.right.walk(yield)
}

func (n *node[K, V]) walkFrom(first K, yield func(K, V) bool) bool {
	switch {
	case n == nil:
		return true
	case cmp.Less(n.key, first):
		return n.right.walkFrom(first, yield)
	default:
		return n.left.walkFrom(first, yield) && yield(n.key, n.value) && n.right.walk(yield)
	}
}
