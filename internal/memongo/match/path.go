package match

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// path is a dotted path, in its parts.
type path []string

func newPath(dotted string) path { return strings.Split(dotted, ".") }

// walk visits what a path leads to in a document.
//
// A part of a path that meets an array goes on in each of its elements that is a document, and,
// if it is a number, in the element of that index, too. An array at the end of the path is
// visited after its elements. Arrays directly within arrays are entered by index only.
type walk struct {
	intoArrays bool // at the end of the path

	// visit gets a value, or [value.Missing] where the path leads nowhere, and the index of the
	// outermost array element that was entered without being named, or -1. It returns true to
	// end the walk, which does so, too.
	visit func(v any, position int) bool
}

func (w walk) document(d bson.D, p path) bool {
	for i, part := range p {
		v, found := value.Get(d, part)
		if !found {
			return w.visit(value.Missing, -1)
		}
		rest := p[i+1:]
		if array, ok := v.(bson.A); ok {
			return w.array(array, rest)
		}
		if len(rest) == 0 {
			return w.visit(v, -1)
		}
		inner, ok := v.(bson.D)
		if !ok {
			return w.visit(value.Missing, -1)
		}
		d = inner
	}
	return false
}

// array goes on in an array. A path that ends in a dot is over here.
func (w walk) array(a bson.A, rest path) bool {
	if len(rest) == 0 || len(rest) == 1 && rest[0] == "" {
		return w.end(a)
	}
	named := index(rest[0])
	for i, element := range a {
		if d, ok := element.(bson.D); ok && w.at(i).document(d, rest) {
			return true
		}
		if i == named && w.element(element, rest[1:]) {
			return true
		}
	}
	return false
}

// end visits an array that the path ends with.
func (w walk) end(a bson.A) bool {
	if w.intoArrays {
		for i, element := range a {
			if w.visit(element, i) {
				return true
			}
		}
	}
	return w.visit(a, -1)
}

// element goes on in an element that the path names by its index.
func (w walk) element(v any, rest path) bool {
	if len(rest) == 0 {
		return w.visit(v, -1)
	}
	switch v := v.(type) {
	case bson.D:
		return w.document(v, rest)
	case bson.A:
		return w.array(v, rest)
	}
	return false
}

// at returns a walk within an array's element, which is the position of all that is in it.
func (w walk) at(position int) walk {
	visit := w.visit
	w.visit = func(v any, _ int) bool { return visit(v, position) }
	return w
}

// index reads a part of a path as an index, or returns -1. "01" is a name.
func index(part string) int {
	i, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(i) != part {
		return -1
	}
	return i
}
