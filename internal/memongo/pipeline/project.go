package pipeline

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func (c *compiler) project(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(15969, "$project specification must be an object")
	}
	if len(d) == 0 {
		return nil, invalid("$project", mongoerr.New(51272,
			"projection specification must have at least one field"))
	}
	r := &projectionReader{compile: c.expr, root: newNode()}
	if err := r.read(d); err != nil {
		return nil, invalid("$project", err)
	}
	return r.root.stage(), r.constant
}

// unset reads $unset, which is a $project that excludes.
func (c *compiler) unset(spec any) (stage, error) {
	list, ok := spec.(bson.A)
	if name, single := spec.(string); single {
		list, ok = bson.A{name}, true
	}
	switch {
	case !ok:
		return nil, mongoerr.New(31002, "$unset specification must be a string or an array")
	case len(list) == 0:
		return nil, mongoerr.New(31119,
			"$unset specification must be a string or an array with at least one field")
	}
	d := bson.D{}
	for _, element := range list {
		name, ok := element.(string)
		if !ok {
			return nil, mongoerr.New(31120, "$unset specification must be a string or an array "+
				"containing only string values")
		}
		d = append(d, bson.E{Key: name, Value: false})
	}
	r := &projectionReader{compile: c.expr, root: newNode()}
	if err := r.read(d); err != nil {
		return nil, invalid("$unset", err)
	}
	return r.root.stage(), nil
}

// mode is whether a projection names what stays or what goes.
type mode int

const (
	undecided mode = iota
	inclusion
	exclusion
)

// projectionReader reads the specification of a $project, or of find's projection.
type projectionReader struct {
	compile  func(e any) (expr.Expr, error)
	find     bool
	root     *node
	name     string // of the field that is being read, in its document
	mode     mode
	id       any   // what is said of _id itself: nil, true or false
	constant error // an error of constants, which comes after all others

	// What only find has.
	elemMatch  bool
	positional []string
	slices     []slicing
}

func (r *projectionReader) read(d bson.D) error {
	if err := r.document("", d); err != nil {
		return err
	}
	if r.mode == undecided {
		r.mode = exclusion
		if r.id == true || r.elemMatch && len(r.slices) == 0 {
			r.mode = inclusion
		}
	}
	if r.mode == inclusion && r.root.entries["_id"] == nil {
		r.root.add("_id", &entry{include: true})
	}
	r.root.finish(r.mode == exclusion)
	return nil
}

func (r *projectionReader) document(prefix string, d bson.D) error {
	for _, field := range d {
		r.name = field.Key
		if err := r.field(prefix+field.Key, field.Value); err != nil {
			return err
		}
	}
	return nil
}

func (r *projectionReader) field(path string, spec any) error {
	if done, err := r.positionalField(path, spec); done || err != nil {
		return err
	}
	if err := expr.CheckPath(path); err != nil {
		return err
	}
	switch spec := spec.(type) {
	case bool, int32, int64, float64, bson.Decimal128:
		return r.simple(path, value.Truthy(spec))
	case bson.D:
		if len(spec) == 0 {
			return mongoerr.New(51270,
				"An empty sub-projection is not a valid value. Found empty object at path")
		}
		if len(spec) > 1 || !isOperator(spec[0]) {
			return r.document(path+".", spec)
		}
		if done, err := r.findOperator(path, spec); done || err != nil {
			return err
		}
	}
	return r.computed(path, spec)
}

// simple includes or excludes a field. What is said of _id decides nothing about others.
func (r *projectionReader) simple(path string, include bool) error {
	if err := r.insert(path, &entry{include: include}); err != nil {
		return err
	}
	if path == "_id" {
		r.id = include
		return nil
	}
	return r.decide(include)
}

func (r *projectionReader) decide(include bool) error {
	switch {
	case include && r.mode == exclusion:
		return mongoerr.New(31253, "Cannot do inclusion on field %s in exclusion projection", r.name)
	case !include && r.mode == inclusion:
		return mongoerr.New(31254, "Cannot do exclusion on field %s in inclusion projection", r.name)
	case include:
		r.mode = inclusion
	default:
		r.mode = exclusion
	}
	return nil
}

func (r *projectionReader) insert(path string, e *entry) error {
	at := r.root.insert(strings.Split(path, "."), e)
	switch {
	case at == nil:
		return nil
	case at.atEnd:
		return mongoerr.New(31250, "Path collision at %s", r.name)
	}
	_, rest, _ := strings.Cut(path, ".")
	return mongoerr.New(31249, "Path collision at %s remaining portion %s", path, rest)
}

// computed gives a field the value of an expression.
func (r *projectionReader) computed(path string, spec any) error {
	d, operator := spec.(bson.D)
	if r.mode == exclusion && operator {
		return mongoerr.New(31252,
			"Cannot use expression other than $meta in exclusion projection")
	}
	if r.mode == exclusion {
		return mongoerr.New(31310, "Cannot use an expression %s in an exclusion projection",
			showField(r.name, spec))
	}
	r.mode = inclusion
	x, err := r.compile(spec)
	if err != nil && !isConstant(err) {
		if operator {
			err = unknownExpression(d[0].Key, err)
		}
		return err
	}
	if err != nil && r.constant == nil {
		r.constant = err
	}
	return r.insert(path, &entry{compute: x.Eval})
}

func showField(name string, spec any) string {
	return name + ": " + value.Show(spec)
}

// unknownExpression says of a field's own operator what a projection says of it.
func unknownExpression(name string, err error) error {
	unknown := "Unrecognized expression '" + name + "'"
	if e, ok := err.(*mongoerr.Error); ok && e.Message == unknown {
		return mongoerr.New(31325, "Unknown expression %s", name)
	}
	return err
}
