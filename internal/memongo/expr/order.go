package expr

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Order is an order of values by what paths lead to in them. The zero value leaves them as they
// are.
type Order struct {
	whole      int // 1 or -1 to compare the values themselves
	paths      [][]string
	directions []int
}

// Add appends a path, with 1 for ascending and -1 for descending.
func (o *Order) Add(path string, direction int) {
	o.paths = append(o.paths, strings.Split(path, "."))
	o.directions = append(o.directions, direction)
}

// Sorted sorts a slice that the caller made and returns it; equal values stay in their order. It
// is an error if two paths lead through different arrays of a value.
func Sorted[S ~[]E, E any](o *Order, values S) (S, error) {
	type keyed struct {
		val  E
		keys []any
	}
	all := make([]keyed, len(values))
	for i, val := range values {
		keys, err := o.keys(val)
		if err != nil {
			return nil, err
		}
		all[i] = keyed{val, keys}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return o.compare(a.keys, b.keys) })
	for i := range all {
		values[i] = all[i].val
	}
	return values, nil
}

func (o *Order) compare(a, b []any) int {
	if o.whole != 0 {
		return o.whole * value.Compare(a[0], b[0])
	}
	for i, direction := range o.directions {
		if c := value.Compare(a[i], b[i]); c != 0 {
			return c * direction
		}
	}
	return 0
}

// keys returns what a value is sorted by. Where paths lead through an array, that is the first of
// what its elements would be sorted by.
func (o *Order) keys(val any) ([]any, error) {
	if o.whole != 0 {
		return []any{val}, nil
	}
	walks := make([]walk, len(o.paths))
	for i, path := range o.paths {
		walks[i] = walk{at: val, path: path}
	}
	tuples, err := o.tuples(walks, nil)
	if err != nil {
		return nil, err
	}
	return slices.MinFunc(tuples, o.compare), nil
}

// walk is how far a path has been followed.
type walk struct {
	at   any
	path []string
	met  int  // how many names lead to the array that it stopped at
	done bool // at is what the path leads to
}

// advance follows the path to its end or to an array. An array is entered by an index.
func (w walk) advance() walk {
	for !w.done {
		rest := w.path[w.met:]
		list, isArray := w.at.(bson.A)
		switch {
		case isArray && len(rest) > 0:
			i, ok := position(rest[0])
			if !ok {
				return w
			}
			w.at, w.met = pick(list, i), w.met+1
			w.done = w.met == len(w.path) // an array that is an element is not taken apart
		case isArray:
			return w
		case len(rest) == 0:
			w.done = true
		default:
			d, ok := w.at.(bson.D)
			if w.at = any(value.Missing); ok {
				w.at = field(d, rest[0])
			}
			w.met++
		}
	}
	w.at = orNull(w.at)
	return w
}

// into continues with an element of the array where the walk stopped.
func (w walk) into(element any) walk {
	_, isDocument := element.(bson.D)
	switch {
	case w.met == len(w.path):
		return walk{at: element, done: true}
	case !isDocument:
		return walk{done: true}
	}
	return walk{at: element, path: w.path, met: w.met}
}

// empty is the end of a walk at an array without elements: undefined, or null on the way.
func (w walk) empty() walk {
	if w.met == len(w.path) {
		return walk{at: bson.Undefined{}, done: true}
	}
	return walk{done: true}
}

// tuples appends all keys that the elements of arrays give.
func (o *Order) tuples(walks []walk, found [][]any) ([][]any, error) {
	var (
		list    bson.A
		through string
		stopped []int
		keys    = make([]any, len(walks))
	)
	walks = slices.Clone(walks)
	for i := range walks {
		w := walks[i].advance()
		if walks[i], keys[i] = w, w.at; w.done {
			continue
		}
		at := strings.Join(w.path[:w.met], ".")
		if len(stopped) > 0 && at != through {
			return nil, mongoerr.New(mongoerr.BadValue,
				"cannot sort with keys that are parallel arrays")
		}
		list, through, stopped = w.at.(bson.A), at, append(stopped, i)
	}
	if len(stopped) == 0 {
		return append(found, keys), nil
	}
	return o.expand(walks, stopped, list, found)
}

// expand continues the walks that stopped at an array with each of its elements.
func (o *Order) expand(walks []walk, stopped []int, list bson.A, found [][]any) (_ [][]any,
	err error) {
	inner := slices.Clone(walks)
	for _, element := range list {
		for _, i := range stopped {
			inner[i] = walks[i].into(element)
		}
		if found, err = o.tuples(inner, found); err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		return found, nil
	}
	for _, i := range stopped {
		inner[i] = walks[i].empty()
	}
	return o.tuples(inner, found)
}

// position reads a name that is an index, without leading zeros.
func position(name string) (int, bool) {
	if name == "" || len(name) > 9 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n := 0
	for i := range len(name) {
		if !digit(name[i]) {
			return 0, false
		}
		n = n*10 + int(name[i]-'0')
	}
	return n, true
}
