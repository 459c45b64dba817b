package update

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// element is a field of a document or an array that is being changed. Documents are immutable,
// so what an update enters is opened into elements of its own, and closed into a new value when
// the update is done.
type element struct {
	name   string // in arrays, kept for messages alone
	value  any    // unless it is open
	form   form
	fields []*element // of an open one
}

// form is what an element is opened as.
type form int

const (
	closed form = iota
	document
	array
)

// open makes the fields of a document or array accessible. It does nothing to other values.
func (e *element) open() {
	if e.form != closed {
		return
	}
	switch v := e.value.(type) {
	case bson.D:
		e.form = document
		e.fields = make([]*element, len(v))
		for i, field := range v {
			e.fields[i] = &element{name: field.Key, value: field.Value}
		}
	case bson.A:
		e.form = array
		e.fields = make([]*element, len(v))
		for i, item := range v {
			e.fields[i] = &element{value: item}
		}
	}
}

// close returns the value as it is now.
func (e *element) close() any {
	switch e.form {
	case document:
		d := make(bson.D, len(e.fields))
		for i, field := range e.fields {
			d[i] = bson.E{Key: field.name, Value: field.close()}
		}
		return d
	case array:
		a := make(bson.A, len(e.fields))
		for i, item := range e.fields {
			a[i] = item.close()
		}
		return a
	}
	return e.value
}

// set gives the element another value.
func (e *element) set(v any) { e.value, e.form, e.fields = v, closed, nil }

// field returns what a component names inside of the element, or nil. Part of an array are its
// indexes alone.
func (e *element) field(part string) *element {
	e.open()
	switch e.form {
	case document:
		if i := e.find(part); i >= 0 {
			return e.fields[i]
		}
	case array:
		if i, ok := arrayIndex(part); ok && i < len(e.fields) {
			return e.fields[i]
		}
	}
	return nil
}

func (e *element) find(name string) int {
	return slices.IndexFunc(e.fields, func(f *element) bool { return f.name == name })
}

// accepts reports whether the element could have a part of that name.
func (e *element) accepts(part string) bool {
	e.open()
	_, isIndex := arrayIndex(part)
	return e.form == document || e.form == array && isIndex
}

// add appends a field, or puts an element at an index behind an array's end.
func (e *element) add(part string, v any) {
	if e.form == array {
		index, _ := arrayIndex(part)
		for len(e.fields) < index {
			e.fields = append(e.fields, &element{})
		}
	}
	e.fields = append(e.fields, &element{name: part, value: v})
}

// remove takes a field away. An array keeps its length: null stands for the element.
func (e *element) remove(part string) {
	if e.form == array {
		e.field(part).set(nil)
		return
	}
	if i := e.find(part); i >= 0 {
		e.fields = slices.Delete(e.fields, i, i+1)
	}
}
