package storage

import (
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// indexKey is one of the keys under which an index knows a document.
type indexKey struct {
	text   string // equal keys have equal texts
	values []any  // per field of the index
}

// keys returns a document's keys in the order of the index, each once: none where the index does
// not take it, several where an indexed field is an array. Two fields that are arrays are 171, an
// array in a hashed index is 16766.
func (x *index) keys(doc bson.D) ([]indexKey, error) {
	if x.partial != nil {
		if ok, err := x.partial.Match(doc, nil); err != nil || !ok {
			return nil, err
		}
	}
	walks := make([]walk, len(x.paths))
	for i, path := range x.paths {
		walks[i] = walk{at: doc, rest: path}
	}
	var keys []indexKey
	if err := x.expand(walks, &keys); err != nil {
		return nil, err
	}
	slices.SortFunc(keys, x.compare)
	return slices.CompactFunc(keys, func(a, b indexKey) bool { return a.text == b.text }), nil
}

// walk is the way to one field's value: where it has come to, and the names still to go.
type walk struct {
	at      any
	rest    []string
	gone    string // the way so far
	element bool   // at is an array's element: if it is an array, it is a value by itself
}

// array returns the array that the walk stands before and has to go into.
func (w *walk) array() (bson.A, bool) {
	array, ok := w.at.(bson.A)
	return array, ok && !w.element
}

// expand follows the ways to their ends. Where one comes to an array it is followed into each
// element, and so are the others that came to the same array.
func (x *index) expand(walks []walk, keys *[]indexKey) error {
	var array bson.A
	first := -1
	for i := range walks {
		walks[i].advance()
		elements, ok := walks[i].array()
		switch {
		case !ok:
		case x.key[i].Value == "hashed":
			return mongoerr.New(hashedIndexOfArray, "Error: hashed indexes do not currently "+
				"support array values. Found array at path: %s", walks[i].gone[1:])
		case first < 0:
			array, first = elements, i
		case walks[i].gone != walks[first].gone:
			return mongoerr.New(mongoerr.CannotIndexParallelArrays, "cannot index parallel arrays [%s] [%s]",
				lastName(walks[i].gone), lastName(walks[first].gone))
		}
	}
	if first < 0 {
		x.emit(walks, keys)
		return nil
	}
	if len(array) == 0 {
		array = bson.A{bson.Undefined{}} // the key of an empty array
	}
	for _, element := range array {
		if err := x.expand(into(walks, walks[first].gone, element), keys); err != nil {
			return err
		}
	}
	return nil
}

// emit adds the key whose values have all been reached.
func (x *index) emit(walks []walk, keys *[]indexKey) {
	key, found := indexKey{values: make([]any, len(walks))}, false
	for i, w := range walks {
		if w.at == value.Missing {
			w.at = nil
		} else {
			found = true
		}
		key.values[i] = w.at
		key.text += value.Key(w.at)
	}
	if found || !x.sparse {
		*keys = append(*keys, key)
	}
}

// advance goes through documents, to the end or to an array.
func (w *walk) advance() {
	for len(w.rest) > 0 {
		next := any(value.Missing)
		switch at := w.at.(type) {
		case bson.D:
			next = value.Lookup(at, w.rest[0])
		case bson.A:
			i, err := strconv.Atoi(w.rest[0])
			numbered := err == nil && i >= 0 && i < len(at)
			switch {
			case w.element:
			case !numbered:
				return
			default:
				next = at[i]
			}
		}
		w.at, w.gone, w.rest, w.element = next, w.gone+"."+w.rest[0], w.rest[1:], false
	}
}

// into returns the walks with those that stand before an array gone into one of its elements.
func into(walks []walk, gone string, element any) []walk {
	next := slices.Clone(walks)
	for i := range next {
		if _, ok := next[i].array(); ok && next[i].gone == gone {
			next[i].at, next[i].element = element, true
		}
	}
	return next
}

func lastName(way string) string { return way[strings.LastIndexByte(way, '.')+1:] }

// compare orders keys as the index does.
func (x *index) compare(a, b indexKey) int {
	for i, field := range x.key {
		c := value.Compare(a.values[i], b.values[i])
		if direction, ok := value.Float64(field.Value); ok && direction < 0 {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// keyValue names the values of a key by the index's fields.
func (x *index) keyValue(key indexKey) bson.D {
	d := make(bson.D, len(x.key))
	for i, field := range x.key {
		d[i] = bson.E{Key: field.Key, Value: key.values[i]}
	}
	return d
}
