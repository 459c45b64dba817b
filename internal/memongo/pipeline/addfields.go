package pipeline

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// addFields reads $set and $addFields.
func (c *compiler) addFields(name string, spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(40272, "%s specification stage must be an object, got %s", name,
			value.TypeName(spec))
	}
	a := addition{c: c, spec: d, root: newNode()}
	if err := a.document("", d); err != nil {
		return nil, invalid(name, err)
	}
	a.root.finish(true)
	return a.root.stage(), a.constant
}

// stage makes a stage of the tree.
func (n *node) stage() stage {
	return shaper(func(doc, closed bson.D, v *expr.Vars) (bson.D, error) {
		return n.apply(doc, v.On(closed))
	})
}

// addition is a $set that is being read.
type addition struct {
	c        *compiler
	spec     bson.D
	root     *node
	constant error // an error of constants, which comes after all others
}

func (a *addition) document(prefix string, d bson.D) error {
	for _, field := range d {
		if prefix != "" && strings.Contains(field.Key, ".") {
			return mongoerr.New(40183, "cannot use dotted field name '%s' in a sub object: %s",
				field.Key, value.Show(a.spec))
		}
		if err := expr.CheckPath(field.Key); err != nil {
			return err
		}
		if err := a.field(prefix+field.Key, field.Value); err != nil {
			return err
		}
	}
	return nil
}

func (a *addition) field(path string, spec any) error {
	if d, ok := spec.(bson.D); ok {
		if len(d) == 0 {
			return mongoerr.New(40180,
				"an empty object is not a valid value. Found empty object at path %s", path)
		}
		if len(d) > 1 && slices.ContainsFunc(d, isOperator) {
			return mongoerr.New(40181, "an expression specification must contain exactly one "+
				"field, the name of the expression. Found %d fields in %s, while parsing object %s",
				len(d), value.Show(d), value.Show(a.spec))
		}
		if !isOperator(d[0]) {
			return a.document(path+".", d)
		}
	}
	x, err := a.c.expr(spec)
	if err != nil && !isConstant(err) {
		return err
	}
	if err != nil && a.constant == nil {
		a.constant = err
	}
	at := a.root.insert(strings.Split(path, "."), &entry{compute: x.Eval})
	if at != nil {
		return mongoerr.New(40176, "specification contains two conflicting paths. Cannot specify "+
			"both '%s' and '%s': %s", path, at.before, value.Show(a.spec))
	}
	return nil
}

func isOperator(field bson.E) bool { return strings.HasPrefix(field.Key, "$") }
