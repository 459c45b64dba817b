package update

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// addToSet is $addToSet.
type addToSet struct{ values bson.A }

func parseAddToSet(arg any) (operator, error) {
	spec, ok := arg.(bson.D)
	if !ok || len(spec) == 0 || spec[0].Key != "$each" {
		return addToSet{bson.A{arg}}, nil
	}
	each, ok := spec[0].Value.(bson.A)
	if !ok {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "The argument to $each in $addToSet must "+
			"be an array but it was of type %s", value.TypeName(spec[0].Value))
	}
	if len(spec) > 1 {
		return nil, mongoerr.New(mongoerr.BadValue,
			"Found unexpected fields after $each in $addToSet: %s", value.Show(spec))
	}
	return addToSet{each}, nil
}

func (o addToSet) update(s site, old any) (any, effect, error) {
	list, ok := old.(bson.A)
	if !ok {
		return nil, nothing, mongoerr.New(mongoerr.BadValue, "Cannot apply $addToSet to "+
			"non-array field. Field named '%s' has non-array type %s",
			s.at.element.name, value.TypeName(old))
	}
	longer := o.addTo(list)
	if len(longer) == len(list) {
		return old, nothing, nil
	}
	return longer, changed, nil
}

func (o addToSet) create(site) any { return o.addTo(bson.A{}) }

func (o addToSet) addTo(list bson.A) bson.A {
	longer := slices.Clip(list)
	for _, v := range o.values {
		if !contains(longer, v) {
			longer = append(longer, v)
		}
	}
	return longer
}

// push is $push with its clauses.
type push struct {
	values   bson.A
	position *int64
	slice    *int64
	sort     func(a, b any) int
}

func parsePush(arg any) (operator, error) {
	spec, ok := arg.(bson.D)
	each, clauses := value.Get(spec, "$each")
	if !ok || !clauses {
		return push{values: bson.A{arg}}, nil
	}
	values, ok := each.(bson.A)
	if !ok {
		return nil, mongoerr.New(mongoerr.BadValue, "The argument to $each in $push must be an "+
			"array but it was of type: %s", value.TypeName(each))
	}
	o := push{values: values}
	for _, clause := range spec {
		if err := o.parseClause(clause); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *push) parseClause(clause bson.E) (err error) {
	n, whole := value.Int64(clause.Value)
	switch clause.Key {
	case "$each":
	case "$slice":
		if !whole {
			return mongoerr.New(mongoerr.BadValue, "The value for $slice must be an integer value "+
				"but was given type: %s", value.TypeName(clause.Value))
		}
		o.slice = &n
	case "$position":
		if !whole {
			return mongoerr.New(mongoerr.BadValue, "The value for $position must be an integer "+
				"value, not of type: %s", value.TypeName(clause.Value))
		}
		o.position = &n
	case "$sort":
		o.sort, err = parseSort(clause.Value)
	default:
		return mongoerr.New(mongoerr.BadValue, "Unrecognized clause in $push: %s", clause.Key)
	}
	return err
}

func (o push) update(s site, old any) (any, effect, error) {
	list, ok := old.(bson.A)
	if !ok {
		return nil, nothing, mongoerr.New(mongoerr.BadValue, "The field '%s' must be an array "+
			"but is of type %s in document %s", s.at.path, value.TypeName(old), s.id("{", "}"))
	}
	longer, effect := o.insert(list)
	if o.sort != nil {
		effect = changed
		slices.SortStableFunc(longer, o.sort)
	}
	if len(list)+len(longer) == 0 && effect == changed {
		effect = touched
	}
	cut := o.cut(longer)
	if len(cut) < len(longer) {
		effect = changed
	}
	return cut, effect, nil
}

func (o push) create(s site) any {
	v, _, _ := o.update(s, bson.A{}) // an array, so no error
	return v
}

// insert puts the values to their position, in a new array. Only those behind the end of an
// array that is not empty are appended; anything else goes on record as another array.
func (o push) insert(list bson.A) (bson.A, effect) {
	end := int64(len(list))
	at := end + 1
	if o.position != nil {
		at = *o.position
	}
	if at < 0 {
		at = max(0, end+at)
	}
	at = min(at, end+1)
	longer := join(list[:min(at, end)], o.values, list[min(at, end):])
	switch {
	case len(o.values) == 0:
		return longer, nothing
	case end == 0 || at <= end:
		return longer, changed
	}
	return longer, appended
}

// cut keeps the first or the last elements, as $slice says.
func (o push) cut(list bson.A) bson.A {
	size := int64(len(list))
	switch {
	case o.slice == nil:
		return list
	case *o.slice >= 0:
		return list[:min(*o.slice, size)]
	}
	return list[max(0, size+*o.slice):]
}

// join makes a new array of others. It is never nil, which would be null.
func join(lists ...bson.A) bson.A { return append(bson.A{}, slices.Concat(lists...)...) }
