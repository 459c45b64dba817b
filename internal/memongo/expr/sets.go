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
		return lazy(0, unlimited, union)
	case "$setIntersection":
		return lazy(0, unlimited, intersection)
	case "$setDifference":
		return strictBinary(difference)
	case "$setEquals":
		return equalSets
	case "$setIsSubset":
		return dyadic(isSubset)
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
		return nil, nil, mongoerr.New(firstCode, "both operands of %s must be arrays. First "+
			"argument is of type: %s", name, value.TypeName(a))
	}
	if second, ok = b.(bson.A); !ok {
		return nil, nil, mongoerr.New(secondCode, "both operands of %s must be arrays. Second "+
			"argument is of type: %s", name, value.TypeName(b))
	}
	return first, second, nil
}

func equalSets(c *compiler, name string, argument any) (Expr, error) {
	list, ok := argument.(bson.A)
	if !ok {
		list = bson.A{argument}
	}
	if len(list) < 2 {
		return nil, mongoerr.New(17045, "$setEquals needs at least two arguments had: %d",
			len(list))
	}
	return eager(2, unlimited, func(operands []any) (any, error) {
		all := make([]bson.A, len(operands))
		for i, operand := range operands {
			elements, ok := operand.(bson.A)
			if all[i] = elements; !ok {
				return nil, mongoerr.New(5887502, "All operands of $setEquals must be arrays. "+
					"%d-th argument is of type: %s", i+1, value.TypeName(operand))
			}
		}
		for _, other := range all[1:] {
			if !within(all[0], other) || !within(other, all[0]) {
				return false, nil
			}
		}
		return true, nil
	})(c, name, list)
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
