package expr

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// arrays has what takes arrays apart and puts them together.
func arrays(name string) reader {
	switch name {
	case "$arrayElemAt":
		return strictBinary(elementAt)
	case "$first":
		return strictUnary(func(operand any) (any, error) { return end(name, operand, 0) })
	case "$last":
		return strictUnary(func(operand any) (any, error) { return end(name, operand, -1) })
	case "$concatArrays":
		return associative(false, concatArrays)
	case "$slice":
		return eager(2, 3, sliceOperands)
	case "$size":
		return unary(size)
	case "$in":
		return dyadic(isIn)
	case "$range":
		return lazy(2, 3, rangeOf)
	case "$reverseArray":
		return strictUnary(reversed)
	case "$indexOfArray":
		return indexOfArray
	case "$zip":
		return zipping
	case "$sortArray":
		return sortingArray
	}
	return nil
}

func elementAt(list, index any) (any, error) {
	elements, ok := list.(bson.A)
	if !ok {
		return nil, mongoerr.New(28689,
			"$arrayElemAt's first argument must be an array, but is %s", value.TypeName(list))
	}
	if widthOf(index) == notNumeric {
		return nil, mongoerr.New(28690,
			"$arrayElemAt's second argument must be a numeric value, but is %s",
			value.TypeName(index))
	}
	i, ok := integer(index)
	if !ok {
		return nil, mongoerr.New(28691, "$arrayElemAt's second argument must be representable as "+
			"a 32-bit integer: %s", value.ShowResult(index))
	}
	return pick(elements, int(i)), nil
}

// pick counts from the end if the index is negative.
func pick(elements bson.A, i int) any {
	if i < 0 {
		i += len(elements)
	}
	if i < 0 || i >= len(elements) {
		return value.Missing
	}
	return elements[i]
}

func end(name string, operand any, i int) (any, error) {
	elements, ok := operand.(bson.A)
	if !ok {
		return nil, mongoerr.New(28689, "%s's argument must be an array, but is %s", name,
			value.TypeName(operand))
	}
	return pick(elements, i), nil
}

// concatArrays stops at the first null.
func concatArrays(v *Vars, operands []Expr) (any, error) {
	all := bson.A{}
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil || nullish(val) {
			return nil, err
		}
		elements, ok := val.(bson.A)
		if !ok {
			return nil, mongoerr.New(28664, "$concatArrays only supports arrays, not %s",
				value.TypeName(val))
		}
		all = append(all, elements...)
	}
	return all, nil
}

// sliceOperands is $slice: an array, a start or a number of elements, perhaps a number of them.
func sliceOperands(operands []any) (any, error) {
	if nullish(operands[0]) || nullish(operands[1]) {
		return nil, nil
	}
	elements, ok := operands[0].(bson.A)
	if !ok {
		return nil, mongoerr.New(28724,
			"First argument to $slice must be an array, but is of type: %s",
			value.TypeName(operands[0]))
	}
	if widthOf(operands[1]) == notNumeric {
		return nil, mongoerr.New(28725,
			"Second argument to $slice must be a numeric value, but is of type: %s",
			value.TypeName(operands[1]))
	}
	n, ok := integer(operands[1])
	if !ok {
		return nil, mongoerr.New(28726, "Second argument to $slice can't be represented as a "+
			"32-bit integer: %s", value.ShowResult(operands[1]))
	}
	if len(operands) == 2 {
		return slice(elements, int(n)), nil
	}
	if nullish(operands[2]) {
		return nil, nil
	}
	count, err := sliceCount(operands[2])
	if err != nil {
		return nil, err
	}
	return SliceFrom(elements, int(n), count), nil
}

func sliceCount(operand any) (int, error) {
	if widthOf(operand) == notNumeric {
		return 0, mongoerr.New(28727,
			"Third argument to $slice must be numeric, but is of type: %s",
			value.TypeName(operand))
	}
	count, ok := integer(operand)
	if !ok {
		return 0, mongoerr.New(28728, "Third argument to $slice can't be represented as a 32-bit "+
			"integer: %s", value.ShowResult(operand))
	}
	if count <= 0 {
		return 0, mongoerr.New(28729, "Third argument to $slice must be positive: %d", count)
	}
	return int(count), nil
}

// slice returns the first n elements, or the last ones if n is negative.
func slice(elements bson.A, n int) bson.A {
	if n < 0 {
		return SliceFrom(elements, n, -n)
	}
	return SliceFrom(elements, 0, n)
}

// SliceFrom returns count elements from a place that is counted from the end if it is negative.
func SliceFrom(elements bson.A, from, count int) bson.A {
	if from < 0 {
		from = max(0, from+len(elements))
	}
	from = min(from, len(elements))
	return append(bson.A{}, elements[from:from+min(count, len(elements)-from)]...)
}

func size(operand any) (any, error) {
	elements, ok := operand.(bson.A)
	if !ok {
		return nil, mongoerr.New(17124, "The argument to $size must be an array, but was of type: "+
			"%s", value.TypeName(operand))
	}
	return int32(len(elements)), nil
}

func isIn(val, list any) (any, error) {
	elements, ok := list.(bson.A)
	if !ok {
		return nil, mongoerr.New(40081, "$in requires an array as a second argument, found: %s",
			value.TypeName(list))
	}
	return contains(elements, val), nil
}

func contains(elements bson.A, val any) bool {
	return slices.ContainsFunc(elements, func(e any) bool { return value.Equal(e, val) })
}

func reversed(operand any) (any, error) {
	elements, ok := operand.(bson.A)
	if !ok {
		return nil, mongoerr.New(34435, "The argument to $reverseArray must be an array, but was "+
			"of type: %s", value.TypeName(operand))
	}
	backwards := append(bson.A{}, elements...)
	slices.Reverse(backwards)
	return backwards, nil
}
