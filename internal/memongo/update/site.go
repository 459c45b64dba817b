package update

import (
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// operator is what an update does with a value.
type operator interface {
	// update computes what becomes of a value that is there.
	update(s site, old any) (any, effect, error)

	// create gives the value where there is none.
	create(s site) any
}

// effect is what an operator did with a value that was there.
type effect int

const (
	nothing  effect = iota
	changed         // it has another value
	appended        // the array got further elements
	touched         // it has the same value, which is on record if something else changed
	removed
)

// site is what an operator is told of where it works.
type site struct {
	*application
	at place
}

func (a *application) site(at place) site { return site{a, at} }

// id is the document's _id as messages print it.
func (a *application) id(left, right string) string {
	field := a.root.field("_id")
	if field == nil {
		return "no id"
	}
	return left + "_id: " + value.Show(field.close()) + right
}

// changedTo compares the bytes: equal numbers of other types are a change.
func changedTo(old, v any) (any, effect, error) {
	if value.Identical(old, v) {
		return old, nothing, nil
	}
	return v, changed, nil
}

// shownBare is an element as messages print it without braces.
func shownBare(at place) string {
	return at.element.name + ": " + value.Show(at.element.close())
}
