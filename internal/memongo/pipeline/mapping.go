package pipeline

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func (c *compiler) match(spec any) (stage, error) {
	filter, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(15959, "the match filter must be an expression in an object")
	}
	m, err := match.CompileIn(filter, c.let)
	if err != nil {
		return nil, err
	}
	return mapper(func(doc bson.D, v *expr.Vars) (bson.D, bool, error) {
		keep, err := m.Match(doc, v)
		return doc, keep, err
	}), nil
}

func (c *compiler) replaceRoot(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(40229,
			"expected an object as specification for $replaceRoot stage, got %s",
			value.TypeName(spec))
	}
	for _, field := range d {
		if field.Key != "newRoot" {
			return nil, mongoerr.New(mongoerr.UnknownField,
				"BSON field '$replaceRoot.%s' is an unknown field.", field.Key)
		}
	}
	newRoot, given := value.Get(d, "newRoot")
	if !given {
		return nil, mongoerr.New(40414,
			"BSON field '$replaceRoot.newRoot' is missing but a required field")
	}
	return c.replaceWith(newRoot, "'newRoot' expression ")
}

// replaceWith puts an expression's result in place of the document.
func (c *compiler) replaceWith(spec any, what string) (stage, error) {
	x, err := c.expr(spec)
	if err != nil && !isConstant(err) {
		return nil, err
	}
	if spec == "$$ROOT" || spec == "$$CURRENT" {
		return shaper(func(doc, _ bson.D, _ *expr.Vars) (bson.D, error) { return doc, nil }), nil
	}
	if d, ok := spec.(bson.D); ok && (len(d) == 0 || !isOperator(d[0])) {
		return c.construct(d, err)
	}
	shown := func(doc bson.D) bson.D { return doc }
	if !c.update {
		shown = used(spec)
	}
	return mapper(func(doc bson.D, v *expr.Vars) (bson.D, bool, error) {
		result, err := x.Eval(v.On(doc))
		if err != nil {
			return nil, false, err
		}
		root, ok := result.(bson.D)
		if !ok {
			return nil, false, mongoerr.New(40228, "%s must evaluate to an object, but resulting "+
				"value was: %s. Type of resulting value: '%s'. Input document: %s", what,
				value.ShowResult(result), value.TypeName(result), value.ShowResult(shown(doc)))
		}
		return root, true, nil
	}), err
}

// construct replaces documents by one that is put together; what is missing leaves a gap.
func (c *compiler) construct(d bson.D, constant error) (stage, error) {
	n := newNode()
	for _, field := range d {
		x, err := c.expr(field.Value)
		if err != nil && !isConstant(err) {
			return nil, err
		}
		n.add(field.Key, &entry{compute: x.Eval})
	}
	n.finish(false)
	return shaper(func(_, closed bson.D, v *expr.Vars) (bson.D, error) {
		return n.apply(nil, v.On(closed))
	}), constant
}

// used returns what leaves a document with what an expression looks at, as a server reads
// nothing else.
func used(spec any) func(doc bson.D) bson.D {
	paths := mentioned(spec, nil)
	if slices.Contains(paths, "") {
		return func(doc bson.D) bson.D { return doc }
	}
	slices.Sort(paths) // what is inside of another path comes after it, and collides
	root := newNode()
	for _, path := range paths {
		root.insert(strings.Split(path, "."), &entry{include: true})
	}
	root.finish(false)
	return func(doc bson.D) bson.D {
		read, err := root.apply(doc, &expr.Vars{})
		if err != nil {
			return doc
		}
		return read
	}
}

// mentioned appends all paths of fields, "" for the whole document.
func mentioned(spec any, names []string) []string {
	switch spec := spec.(type) {
	case bson.D:
		for _, field := range spec {
			names = mentioned(field.Value, names)
		}
	case bson.A:
		for _, element := range spec {
			names = mentioned(element, names)
		}
	case string:
		path := strings.TrimPrefix(strings.TrimPrefix(spec, "$$ROOT."), "$$CURRENT.")
		switch {
		case path == "$$ROOT" || path == "$$CURRENT":
			return append(names, "")
		case path != spec:
		case !strings.HasPrefix(path, "$") || strings.HasPrefix(path, "$$"):
			return names
		}
		return append(names, strings.TrimPrefix(path, "$"))
	}
	return names
}

// redact keeps, prunes or goes through documents inside of documents.
func (c *compiler) redact(spec any) (stage, error) {
	x, err := c.expr(spec)
	if err != nil && !isConstant(err) {
		return nil, err
	}
	return mapper(func(doc bson.D, v *expr.Vars) (bson.D, bool, error) {
		kept, err := redactDocument(x, doc, v.On(doc))
		d, keep := kept.(bson.D)
		return d, keep, err
	}), err
}

// redactDocument returns value.Missing for what is pruned.
func redactDocument(x expr.Expr, doc bson.D, v *expr.Vars) (any, error) {
	verdict, err := x.Eval(v.With("CURRENT", doc))
	if err != nil {
		return nil, err
	}
	switch verdict {
	case "keep":
		return doc, nil
	case "prune":
		return value.Missing, nil
	case "descend":
		kept := make(bson.D, 0, len(doc))
		for _, field := range doc {
			below, err := redactValue(x, field.Value, v)
			if err != nil {
				return nil, err
			}
			if below != value.Missing {
				kept = append(kept, bson.E{Key: field.Key, Value: below})
			}
		}
		return kept, nil
	}
	return nil, mongoerr.New(17053, "$redact's expression should not return anything aside from "+
		"the variables $$KEEP, $$DESCEND, and $$PRUNE, but returned %s", value.ShowResult(verdict))
}

func redactValue(x expr.Expr, val any, v *expr.Vars) (any, error) {
	switch val := val.(type) {
	case bson.D:
		return redactDocument(x, val, v)
	case bson.A:
		kept := make(bson.A, 0, len(val))
		for _, element := range val {
			below, err := redactValue(x, element, v)
			if err != nil {
				return nil, err
			}
			if below != value.Missing {
				kept = append(kept, below)
			}
		}
		return kept, nil
	}
	return val, nil
}
