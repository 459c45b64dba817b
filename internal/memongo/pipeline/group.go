package pipeline

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// grouping is a $group.
type grouping struct {
	id     expr.Expr
	fields []groupField
	pushed bool // see compiler
}

// groupField is a field of $group's results.
type groupField struct {
	name     string
	operator string
	operand  expr.Expr
}

func (c *compiler) group(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(15947, "a group's fields must be specified in an object")
	}
	g := &grouping{pushed: c.pushed}
	var constant error
	for _, field := range d {
		err := c.groupField(g, field)
		if err != nil && !isConstant(err) {
			return nil, err
		}
		if err != nil && constant == nil {
			constant = err
		}
	}
	if g.id == nil {
		return nil, mongoerr.New(15955, "a group specification must include an _id")
	}
	return all(g.run), constant
}

func (c *compiler) groupField(g *grouping, field bson.E) (err error) {
	if field.Key == "_id" {
		if g.id != nil {
			return mongoerr.New(15948, "a group's _id may only be specified once")
		}
		g.id, err = c.expr(field.Value)
		return err
	}
	d, ok := field.Value.(bson.D)
	switch {
	case !ok || len(d) == 0:
		return mongoerr.New(40234, "The field '%s' must be an accumulator object", field.Key)
	case strings.Contains(field.Key, "."):
		return mongoerr.New(40235, "The field name '%s' cannot contain '.'", field.Key)
	case strings.HasPrefix(field.Key, "$"):
		return mongoerr.New(40236, "The field name '%s' cannot be an operator name", field.Key)
	case len(d) > 1:
		return mongoerr.New(40238, "The field '%s' must specify one accumulator", field.Key)
	}
	f := groupField{name: field.Key, operator: d[0].Key}
	f.operand, err = c.accumulated(f.operator, d[0].Value)
	g.fields = append(g.fields, f)
	return err
}

// accumulated reads an accumulator's operand.
func (c *compiler) accumulated(operator string, operand any) (expr.Expr, error) {
	switch operator {
	case "$sum", "$avg", "$min", "$max", "$first", "$last", "$push", "$addToSet", "$mergeObjects":
		if _, list := operand.(bson.A); list {
			return nil, mongoerr.New(40237, "The %s accumulator is a unary operator", operator)
		}
		return c.expr(operand)
	case "$count":
		if d, ok := operand.(bson.D); !ok || len(d) > 0 {
			return nil, mongoerr.New(mongoerr.TypeMismatch,
				"$count takes no arguments, i.e. $count:{}")
		}
		return c.expr(int32(1))
	case "$accumulator", "$bottom", "$bottomN", "$firstN", "$lastN", "$maxN", "$minN",
		"$stdDevPop", "$stdDevSamp", "$top", "$topN":
		return nil, mongoerr.Unsupported("the accumulator %s", operator)
	}
	return nil, mongoerr.New(15952, "unknown group operator '%s'", operator)
}

// group has what the documents of one _id add up to.
type group struct {
	id           any
	accumulators []accumulator
}

// run gives the groups in order of their first documents.
func (g *grouping) run(docs []bson.D, v *expr.Vars) ([]bson.D, error) {
	var groups []*group
	byID := map[string]*group{}
	for _, doc := range docs {
		vars := v.On(doc)
		id, err := g.id.Eval(vars)
		if err != nil {
			return nil, err
		}
		if id == value.Missing {
			id = nil
		}
		key := value.Key(id)
		at := byID[key]
		if at == nil {
			at = g.begin(id)
			byID[key], groups = at, append(groups, at)
		}
		if err := g.add(at, vars); err != nil {
			return nil, err
		}
	}
	results := make([]bson.D, len(groups))
	for i, at := range groups {
		results[i] = g.result(at)
	}
	return results, nil
}

func (g *grouping) begin(id any) *group {
	at := &group{id: id}
	for _, field := range g.fields {
		at.accumulators = append(at.accumulators, newAccumulator(field.operator, g.pushed))
	}
	return at
}

func (g *grouping) add(at *group, vars *expr.Vars) error {
	for i, field := range g.fields {
		val, err := field.operand.Eval(vars)
		if err != nil {
			return err
		}
		if err := at.accumulators[i].add(val); err != nil {
			return err
		}
	}
	return nil
}

func (g *grouping) result(at *group) bson.D {
	doc := bson.D{{Key: "_id", Value: at.id}}
	for i, field := range g.fields {
		doc = append(doc, bson.E{Key: field.name, Value: at.accumulators[i].result()})
	}
	return doc
}

// sortByCount groups, and puts the largest group first.
func (c *compiler) sortByCount(spec any) (stage, error) {
	const rule = "the sortByCount field must be defined as a $-prefixed path or an expression " +
		"inside an object"
	switch spec := spec.(type) {
	case bson.D:
		if len(spec) == 0 || !strings.HasPrefix(spec[0].Key, "$") {
			return nil, mongoerr.New(40147, rule)
		}
	case string:
		if !strings.HasPrefix(spec, "$") {
			return nil, mongoerr.New(40148, rule)
		}
	default:
		return nil, mongoerr.New(40149,
			"the sortByCount field must be specified as a string or as an object")
	}
	x, err := c.expr(spec)
	if err != nil && !isConstant(err) {
		return nil, err
	}
	one, failed := expr.Compile(int32(1))
	if failed != nil {
		return nil, failed
	}
	g := &grouping{id: x, fields: []groupField{{"count", "$sum", one}}}
	order := &expr.Order{}
	order.Add("count", -1)
	return all(func(docs []bson.D, v *expr.Vars) ([]bson.D, error) {
		groups, err := g.run(docs, v)
		if err != nil {
			return nil, err
		}
		return expr.Sorted(order, groups)
	}), err
}
