package pipeline

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// accumulator adds the values of a group's documents up.
type accumulator interface {
	add(val any) error
	result() any
}

func newAccumulator(operator string, pushed bool) accumulator {
	switch operator {
	case "$sum", "$count":
		return &total{}
	case "$avg":
		return &mean{}
	case "$min":
		return &extreme{direction: -1}
	case "$max":
		return &extreme{direction: 1}
	case "$first":
		return &position{}
	case "$last":
		return &position{last: true}
	case "$addToSet":
		return &list{seen: map[string]bool{}}
	case "$mergeObjects":
		return &merged{doc: bson.D{}, pushed: pushed}
	}
	return &list{}
}

type total struct{ sum expr.Sum }

func (t *total) add(val any) error {
	t.sum.Add(val) // what is no number does not count
	return nil
}

func (t *total) result() any { return t.sum.Result() }

type mean struct{ average expr.Average }

func (m *mean) add(val any) error {
	m.average.Add(val)
	return nil
}

func (m *mean) result() any { return m.average.Result() }

// extreme keeps the greatest value, or the least; null and missing don't count.
type extreme struct {
	direction int
	found     any
}

func (e *extreme) add(val any) error {
	switch val.(type) {
	case nil, value.MissingType, bson.Undefined:
		return nil
	}
	if e.found == nil || value.Compare(val, e.found)*e.direction > 0 {
		e.found = val
	}
	return nil
}

func (e *extreme) result() any { return e.found }

// position keeps the value of the first document, or of the last.
type position struct {
	last, set bool
	val       any
}

func (p *position) add(val any) error {
	if p.last || !p.set {
		p.val, p.set = val, true
	}
	return nil
}

func (p *position) result() any {
	if p.val == value.Missing {
		return nil
	}
	return p.val
}

// list keeps all values that are there, or each once.
type list struct {
	elements bson.A
	seen     map[string]bool // nil: all
}

func (l *list) add(val any) error {
	if val == value.Missing {
		return nil
	}
	if l.seen != nil {
		key := value.Key(val)
		if l.seen[key] {
			return nil
		}
		l.seen[key] = true
	}
	l.elements = append(l.elements, val)
	return nil
}

func (l *list) result() any { return append(bson.A{}, l.elements...) }

type merged struct {
	doc    bson.D
	pushed bool // see compiler
}

func (m *merged) add(val any) error {
	doc, err := expr.Merge(m.doc, val)
	if err != nil && m.pushed {
		return mongoerr.New(5911200, "$mergeObjects only supports objects")
	}
	if err != nil {
		return err
	}
	m.doc = doc
	return nil
}

func (m *merged) result() any { return m.doc }
