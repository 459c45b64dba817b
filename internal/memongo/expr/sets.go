package expr

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// sets has what takes arrays for sets, with the order of values that a server's results have.
func sets(name string) reader {
	switch name {
	case "$setUnion":
		return associative(true, union)
	case "$setIntersection":
		return associative(true, intersection)
	case "$setDifference":
		return strictBinary(difference)
	case "$setEquals":
		return equalSets
	case "$setIsSubset":
		return subset
	case "$allElementsTrue":
		return unary(func(operand any) (any, error) { return truths(name, 17040, operand, false) })
	case "$anyElementTrue":
		return unary(func(operand any) (any, error) { return truths(name, 17041, operand, true) })
	}
	return nil
}

// sorted returns each value once, in order.
func sorted(elements bson.A) bson.A {
	all := append(bson.A{}, elements...)
	slices.SortStableFunc(all, value.Compare)
	return slices.CompactFunc(all, value.Equal)
}

// setOperands evaluates arrays up to the first null.
func setOperands(v *Vars, name string, code int32, operands []Expr) (all []bson.A, null bool,
	err error) {
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil || nullish(val) {
			return nil, true, err
		}
		elements, ok := val.(bson.A)
		if !ok {
			return nil, false, mongoerr.New(code, "All operands of %s must be arrays. One argument "+
				"is of type: %s", name, value.TypeName(val))
		}
		all = append(all, elements)
	}
	return all, false, nil
}

func union(v *Vars, operands []Expr) (any, error) {
	all, null, err := setOperands(v, "$setUnion", 17043, operands)
	if err != nil || null {
		return nil, err
	}
	return sorted(slices.Concat(all...)), nil
}

func intersection(v *Vars, operands []Expr) (any, error) {
	all, null, err := setOperands(v, "$setIntersection", 17047, operands)
	if err != nil || null {
		return nil, err
	}
	if len(all) == 0 {
		return bson.A{}, nil
	}
	common := bson.A{}
	for _, element := range sorted(all[0]) {
		if !slices.ContainsFunc(all[1:], func(other bson.A) bool { return !contains(other, element) }) {
			common = append(common, element)
		}
	}
	return common, nil
}

// difference keeps the order of the first array.
func difference(a, b any) (any, error) {
	first, second, err := twoSets("$setDifference", 17048, 17049, a, b)
	if err != nil {
		return nil, err
	}
	rest := bson.A{}
	for _, element := range first {
		if !contains(second, element) && !contains(rest, element) {
			rest = append(rest, element)
		}
	}
	return rest, nil
}

// subset reads $setIsSubset. A constant set is checked first, and made ready for all others.
func subset(c *compiler, name string, argument any) (Expr, error) {
	x, err := dyadic(isSubset)(c, name, argument)
	both, ok := x.(call)
	if err != nil || !ok || c.asIs {
		return x, err
	}
	constant, ok := known(both.operands[1])
	if !ok {
		return x, nil
	}
	whole, ok := constant.(bson.A)
	if !ok {
		return c.fold(failing{notSet("$setIsSubset", 17311, "Second", constant)}), nil
	}
	return call{name, both.operands[:1], func(v *Vars, operands []Expr) (any, error) {
		val, err := operands[0].Eval(v)
		if err != nil {
			return nil, err
		}
		part, ok := val.(bson.A)
		if !ok {
			return nil, notSet("$setIsSubset", 17310, "First", val)
		}
		return within(part, whole), nil
	}}, nil
}

func notSet(name string, code int32, which string, val any) *mongoerr.Error {
	return mongoerr.New(code, "both operands of %s must be arrays. %s argument is of type: %s",
		name, which, value.TypeName(val))
}

func isSubset(a, b any) (any, error) {
	first, second, err := twoSets("$setIsSubset", 17046, 17042, a, b)
	if err != nil {
		return nil, err
	}
	return within(first, second), nil
}

func within(part, whole bson.A) bool {
	return !slices.ContainsFunc(part, func(e any) bool { return !contains(whole, e) })
}

func twoSets(name string, firstCode, secondCode int32, a, b any) (first, second bson.A, err error) {
	first, ok := a.(bson.A)
	if !ok {
		return nil, nil, notSet(name, firstCode, "First", a)
	}
	if second, ok = b.(bson.A); !ok {
		return nil, nil, notSet(name, secondCode, "Second", b)
	}
	return first, second, nil
}

// equalSets reads $setEquals. Constants are checked first.
func equalSets(c *compiler, name string, argument any) (Expr, error) {
	list, ok := argument.(bson.A)
	if !ok {
		list = bson.A{argument}
	}
	operands, err := c.compileAll(list)
	if err != nil {
		return nil, err
	}
	if len(operands) < 2 {
		return nil, mongoerr.New(17045, "$setEquals needs at least two arguments had: %d",
			len(list))
	}
	for i, operand := range operands {
		if val, ok := known(operand); ok && !c.asIs {
			if _, err := setOperand(5887502, i, val); err != nil {
				return c.fold(failing{err}), nil
			}
		}
	}
	return c.fold(call{name, operands, haveEqualSets}, operands...), nil
}

func haveEqualSets(v *Vars, operands []Expr) (any, error) {
	var first bson.A
	equal := true
	for i, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil {
			return nil, err
		}
		elements, err := setOperand(17044, i, val)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = elements
		}
		equal = equal && within(first, elements) && within(elements, first)
	}
	return equal, nil
}

func setOperand(code int32, i int, val any) (bson.A, error) {
	elements, ok := val.(bson.A)
	if !ok {
		return nil, mongoerr.New(code, "All operands of $setEquals must be arrays. %d-th argument "+
			"is of type: %s", i+1, value.TypeName(val))
	}
	return elements, nil
}

// truths reports whether an element has the wanted truth, or, where that is false, whether none
// has.
func truths(name string, code int32, operand any, wanted bool) (any, error) {
	elements, ok := operand.(bson.A)
	if !ok {
		return nil, mongoerr.New(code, "%s's argument must be an array, but is %s", name,
			value.TypeName(operand))
	}
	some := slices.ContainsFunc(elements, func(e any) bool { return value.Truthy(e) == wanted })
	return some == wanted, nil
}
