package update

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// record is which paths of a document, or of a part of it, operators changed. Descriptions tell
// what is recorded level by level: removed fields, updated, created, and then the parts.
type record struct {
	name     string
	array    bool
	deleted  []string
	modified []string
	created  []string
	parts    []*record // of a document in the order of their first change
}

// manner is how a path was changed.
type manner int

const (
	modified manner = iota
	created
	deleted
)

// add notes a change. What is inside of something that is noted as a whole goes with it.
func (r *record) add(e *element, p path, how manner) {
	r.array = e.form == array
	name := p[0]
	if r.array {
		name = canonical(name)
	}
	if slices.Contains(r.modified, name) || slices.Contains(r.created, name) {
		return
	}
	if len(p) > 1 {
		r.part(name).add(e.field(name), p[1:], how)
		return
	}
	switch how {
	case deleted:
		r.deleted = append(r.deleted, name)
	case modified:
		r.modified = append(r.modified, name)
	case created:
		r.created = append(r.created, name)
	}
}

func (r *record) part(name string) *record {
	for _, part := range r.parts {
		if part.name == name {
			return part
		}
	}
	part := &record{name: name}
	r.parts = append(r.parts, part)
	return part
}

// describe reads the changed values from the document as it has become.
func (r *record) describe(d *Description, prefix string, e *element) {
	for _, name := range r.deleted {
		d.Removed = append(d.Removed, prefix+name)
	}
	if r.array {
		r.describeArray(d, prefix, e)
		return
	}
	for _, name := range slices.Concat(r.modified, r.created) {
		d.update(prefix+name, e.field(name).close())
	}
	for _, part := range r.parts {
		part.describe(d, prefix+part.name+".", e.field(part.name))
	}
}

// describeArray tells the elements in their order, however they changed.
func (r *record) describeArray(d *Description, prefix string, e *element) {
	parts := slices.Clone(r.parts)
	for _, name := range slices.Concat(r.modified, r.created) {
		parts = append(parts, &record{name: name})
	}
	slices.SortStableFunc(parts, func(a, b *record) int { return compareParts(a.name, b.name) })
	for _, part := range parts {
		if part.empty() {
			d.update(prefix+part.name, e.field(part.name).close())
			continue
		}
		part.describe(d, prefix+part.name+".", e.field(part.name))
	}
}

func (r *record) empty() bool {
	return len(r.deleted)+len(r.modified)+len(r.created)+len(r.parts) == 0
}

func (d *Description) update(path string, v any) {
	d.Updated = append(d.Updated, bson.E{Key: path, Value: v})
}
