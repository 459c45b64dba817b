package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// logic has the operators that decide. They evaluate no more than they need.
func logic(name string) reader {
	switch name {
	case "$and":
		return junction(false)
	case "$or":
		return junction(true)
	case "$not":
		return unary(func(operand any) (any, error) { return !value.Truthy(operand), nil })
	case "$cond":
		return cond
	case "$ifNull":
		return ifNull
	case "$switch":
		return switching
	case "$literal", "$const":
		return func(_ *compiler, _ string, argument any) (Expr, error) {
			return constant{argument}, nil
		}
	}
	return nil
}

// junction reads $or, or $and, where an operand that is false decides. A constant that decides does
// so before all others.
func junction(decides bool) reader {
	read := lazy(0, unlimited, func(v *Vars, operands []Expr) (any, error) {
		return until(v, operands, decides)
	})
	return func(c *compiler, name string, argument any) (Expr, error) {
		x, err := read(c, name, argument)
		if all, ok := x.(call); ok && !c.asIs {
			for _, operand := range all.operands {
				if val, ok := known(operand); ok && value.Truthy(val) == decides {
					return constant{decides}, err
				}
			}
		}
		return x, err
	}
}

// until returns the first operand's truth that is the wanted one.
func until(v *Vars, operands []Expr, wanted bool) (any, error) {
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil {
			return nil, err
		}
		if value.Truthy(val) == wanted {
			return wanted, nil
		}
	}
	return !wanted, nil
}

func cond(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return lazy(3, 3, choose)(c, name, argument)
	}
	n, err := c.named(d, "if", "then", "else")
	if err != nil {
		return nil, err
	}
	if n.unknown != "" {
		return nil, mongoerr.New(17083, "Unrecognized parameter to $cond: %s", n.unknown)
	}
	for i, missing := range []string{"if", "then", "else"} {
		if !n.has(missing) {
			return nil, mongoerr.New(17080+int32(i), "Missing '%s' parameter to $cond", missing)
		}
	}
	operands := n.list("if", "then", "else")
	return c.fold(call{name, operands, choose}, operands...), nil
}

func choose(v *Vars, operands []Expr) (any, error) {
	val, err := operands[0].Eval(v)
	if err != nil {
		return nil, err
	}
	if value.Truthy(val) {
		return operands[1].Eval(v)
	}
	return operands[2].Eval(v)
}

func ifNull(c *compiler, name string, argument any) (Expr, error) {
	list, ok := argument.(bson.A)
	if !ok {
		list = bson.A{argument}
	}
	if len(list) < 2 {
		if _, err := c.compileAll(list); err != nil {
			return nil, err
		}
		return nil, mongoerr.New(1257300, "$ifNull needs at least two arguments, had: %d",
			len(list))
	}
	x, err := lazy(2, unlimited, firstNotNull)(c, name, list)
	if all, ok := x.(call); ok && !c.asIs {
		if val, ok := known(all.operands[0]); ok && !nullish(val) {
			return constant{val}, err
		}
	}
	return x, err
}

func firstNotNull(v *Vars, operands []Expr) (val any, err error) {
	for _, operand := range operands {
		val, err = operand.Eval(v)
		if err != nil || !nullish(val) {
			return val, err
		}
	}
	return val, nil
}

// switching reads $switch.
func switching(c *compiler, _ string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(40060, "$switch requires an object as an argument, found: %s",
			value.TypeName(argument))
	}
	s := cases{}
	for _, field := range d {
		var err error
		switch field.Key {
		case "branches":
			err = s.branches(c, field.Value)
		case "default":
			s.fallback, err = c.compile(field.Value)
		default:
			err = mongoerr.New(40067, "$switch found an unknown argument: %s", field.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(s.conditions) == 0 {
		return nil, mongoerr.New(40068, "$switch requires at least one branch")
	}
	return s.fold(c), nil
}

// cases is a $switch.
type cases struct {
	conditions, results []Expr
	fallback            Expr
}

func (s *cases) branches(c *compiler, argument any) error {
	list, ok := argument.(bson.A)
	if !ok {
		return mongoerr.New(40061, "$switch expected an array for 'branches', found: %s",
			value.TypeName(argument))
	}
	for _, branch := range list {
		d, ok := branch.(bson.D)
		if !ok {
			return mongoerr.New(40062, "$switch expected each branch to be an object, found: %s",
				value.TypeName(branch))
		}
		if err := s.branch(c, d); err != nil {
			return err
		}
	}
	return nil
}

func (s *cases) branch(c *compiler, d bson.D) error {
	n, err := c.named(d, "case", "then")
	switch {
	case err != nil:
		return err
	case n.unknown != "":
		return mongoerr.New(40063, "$switch found an unknown argument to a branch: %s", n.unknown)
	case !n.has("case"):
		return mongoerr.New(40064, "$switch requires each branch have a 'case' expression")
	case !n.has("then"):
		return mongoerr.New(40065, "$switch requires each branch have a 'then' expression.")
	}
	s.conditions = append(s.conditions, n.get("case"))
	s.results = append(s.results, n.get("then"))
	return nil
}

// fold drops branches that are never taken, as the server does, and what follows one that is
// always taken.
func (s cases) fold(c *compiler) Expr {
	if c.asIs {
		return s
	}
	kept := cases{fallback: s.fallback}
	for i, condition := range s.conditions {
		val, known := known(condition)
		if known && value.Truthy(val) {
			kept.fallback = s.results[i]
			break
		}
		if !known {
			kept.conditions = append(kept.conditions, condition)
			kept.results = append(kept.results, s.results[i])
		}
	}
	if len(kept.conditions) > 0 {
		return kept
	}
	if kept.fallback == nil {
		return c.fold(failing{mongoerr.New(40069, "Cannot execute a switch statement where all "+
			"the cases evaluate to false without a default")})
	}
	return kept.fallback
}

func (s cases) Eval(v *Vars) (any, error) {
	for i, condition := range s.conditions {
		val, err := condition.Eval(v)
		if err != nil {
			return nil, err
		}
		if value.Truthy(val) {
			return s.results[i].Eval(v)
		}
	}
	if s.fallback == nil {
		return nil, mongoerr.New(40066, "$switch could not find a matching branch for an input, "+
			"and no default was specified.")
	}
	return s.fallback.Eval(v)
}

// failing is an expression that has no value for any document.
type failing struct{ err error }

func (f failing) Eval(*Vars) (any, error) { return nil, f.err }
