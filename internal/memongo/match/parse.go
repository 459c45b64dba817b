package match

import (
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// level is where a filter stands, which decides what it may have.
type level int

const (
	wholeDocument level = iota // all
	insideArray                // $elemMatch: no $expr and its like
	elementOnly                // $pull and arrayFilters: neither, in other words
)

// parser reads filters.
type parser struct {
	place    level
	usesExpr bool

	// compile reads the expressions of $expr.
	compile func(e any) (expr.Expr, error)

	depth    int                 // lists of conditions around the current one
	constant *expr.ConstantError // the first, which comes after what can't be read at all
}

func badValue(format string, args ...any) error {
	return mongoerr.New(mongoerr.BadValue, format, args...)
}

func failedToParse(format string, args ...any) error {
	return mongoerr.New(mongoerr.FailedToParse, format, args...)
}

// filter reads a filter as an $and of its fields.
func (p *parser) filter(filter bson.D) (node, error) {
	if len(filter) > 1 {
		p.depth++
		defer func() { p.depth-- }()
	}
	nodes := make([]node, 0, len(filter))
	for _, e := range filter {
		conditions, err := p.conditions(e)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, conditions...)
	}
	return conjunction(nodes), nil
}

// conditions reads a field of a filter. A comment is none.
func (p *parser) conditions(e bson.E) ([]node, error) {
	if operators, ok := e.Value.(bson.D); ok && !isOperator(e.Key) && isOperators(operators) {
		return p.operators(e.Key, operators)
	}
	if e.Key == "$comment" {
		return nil, nil
	}
	n, err := p.condition(e)
	return []node{n}, err
}

func (p *parser) condition(e bson.E) (node, error) {
	if isOperator(e.Key) {
		return p.operator(e.Key, e.Value)
	}
	if source, ok := e.Value.(bson.Regex); ok {
		return newField(e.Key)(newPattern(source))
	}
	return p.comparison(e.Key, rankEQ, e.Value)
}

// operator reads an operator that has no field.
func (p *parser) operator(name string, v any) (node, error) {
	switch name {
	case "$and", "$or", "$nor":
		return p.logical(name, v)
	case "$expr":
		return p.expr(v)
	case "$alwaysTrue", "$alwaysFalse":
		return always(name, v)
	case "$where", "$text":
		if err := p.onlyWhole(name); err != nil {
			return nil, err
		}
		return nil, mongoerr.Unsupported("%s", name)
	case "$jsonSchema", "$sampleRate":
		return nil, mongoerr.Unsupported("%s", name)
	case "$not":
		return nil, badValue("unknown top level operator: $not. If you are trying to negate an " +
			"entire expression, use $nor.")
	}
	if strings.HasPrefix(name, "$_internal") {
		return nil, mongoerr.Unsupported("%s", name)
	}
	return nil, badValue("unknown top level operator: %s. If you have a field name that starts "+
		"with a '$' symbol, consider using $getField or $setField.", name)
}

func (p *parser) logical(name string, v any) (node, error) {
	branches, ok := v.(bson.A)
	if !ok {
		return nil, badValue("%s must be an array", name)
	}
	if len(branches) == 0 {
		return nil, badValue("$and/$or/$nor must be a nonempty array")
	}
	p.depth++
	defer func() { p.depth-- }()
	nodes := make([]node, len(branches))
	for i, branch := range branches {
		filter, ok := branch.(bson.D)
		if !ok {
			return nil, badValue("$or/$and/$nor entries need to be full objects")
		}
		var err error
		if nodes[i], err = p.filter(filter); err != nil {
			return nil, err
		}
	}
	switch name {
	case "$and":
		return conjunction(nodes), nil
	case "$or":
		return disjunction(nodes), nil
	}
	return not{either(nodes)}, nil
}

func (p *parser) expr(v any) (node, error) {
	if err := p.onlyWhole("$expr"); err != nil {
		return nil, err
	}
	compiled, err := p.compile(v)
	var constant *expr.ConstantError
	if errors.As(err, &constant) {
		p.remember(constant)
	} else if err != nil {
		return nil, err
	}
	p.usesExpr = true
	return expression{compiled}, nil
}

// remember keeps the error of an expression of constants. A server meets it while it optimizes,
// and says so once for each list of conditions.
func (p *parser) remember(err *expr.ConstantError) {
	if p.constant != nil {
		return
	}
	said := *err.Cause
	said.Message = strings.Repeat("Failed to optimize expression :: caused by :: ", p.depth+1) +
		said.Message
	p.constant = &expr.ConstantError{Cause: &said}
}

// onlyWhole refuses operators that need the whole document elsewhere.
func (p *parser) onlyWhole(name string) error {
	switch {
	case p.place == insideArray:
		return badValue("%s can only be applied to the top-level document", name)
	case p.place == elementOnly && name == "$expr":
		return mongoerr.New(mongoerr.QueryFeatureNotAllowed, "$expr is not allowed in this context")
	case p.place == elementOnly:
		return badValue("%s is not allowed in this context", name)
	}
	return nil
}

func always(name string, v any) (node, error) {
	i, err := integer(name, v)
	if err != nil {
		return nil, failedToParse("%s", err)
	}
	if i != 1 {
		return nil, failedToParse("%s must be an integer value of 1", name)
	}
	return constant(name == "$alwaysTrue"), nil
}

// isOperators tells operators from a document to compare with. References are documents.
func isOperators(d bson.D) bool {
	return len(d) > 0 && strings.HasPrefix(d[0].Key, "$") && !isReference(d)
}

func isReference(d bson.D) bool { return has(d, "$ref") && has(d, "$id") }

// isOperator tells an operator from the name of a field.
func isOperator(name string) bool {
	return strings.HasPrefix(name, "$") && !isReferenceField(name)
}

func isReferenceField(name string) bool {
	return name == "$ref" || name == "$id" || name == "$db"
}

func has(d bson.D, name string) bool {
	_, found := value.Get(d, name)
	return found
}
